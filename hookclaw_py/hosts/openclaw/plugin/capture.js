// What happens in a session, on its way to the memory process: hooks put it in here and go on; it is sent behind them, and stays
// here until that process says that it is written. While it is away the newest thousand events or eight megabytes wait.
import { cut, unmarked } from "./privacy.js";

const MOST = 1000;
const MOST_CHARS = 8 * 1024 * 1024;
const AT_ONCE = 100;
const AT_ONCE_CHARS = 1024 * 1024;
const ANSWER_MS = 30_000;
const START_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 60_000;
const MAX_PROMPT = 128 * 1024;
const MAX_INPUT = 64 * 1024; // characters of all a tool was given
const DEEPEST = 8;
const WIDEST = 200;

export class Outbox {
  #sidecar;
  #complaints;
  #waiting = [];
  #chars = 0;
  #flying = 0;
  #lost = 0;
  #failures = 0;
  #soon = false;
  #timer;

  constructor(sidecar, complaints) {
    this.#sidecar = sidecar;
    this.#complaints = complaints;
  }

  get length() {
    return this.#waiting.length;
  }

  // make: what gives the event's payload; called behind the hook, for a result may be long.
  put(agentId, report, make) {
    this.#waiting.push({ agentId, report, make, size: 0 });
    if (this.#soon) return;
    this.#soon = true;
    setImmediate(() => {
      this.#soon = false;
      this.send();
    });
  }

  // Send what waits, and settle when it is written or the time is up.
  async flush(ms) {
    const until = Date.now() + ms;
    while (this.#waiting.length && Date.now() < until) {
      this.send();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  #finish(one) {
    if (!one.make) return;
    let payload = {};
    try {
      payload = one.make();
    } catch (error) {
      this.#complaints.wrong("capturing", `an event could not be read: ${error?.message ?? error}`);
    }
    one.make = undefined;
    one.report = { ...one.report, payload };
    one.size = JSON.stringify(one.report).length;
    this.#chars += one.size;
  }

  // The oldest give way, but for those under way.
  #shrink() {
    while (this.#waiting.length > MOST || this.#chars > MOST_CHARS) {
      const [gone] = this.#waiting.splice(Math.min(this.#flying, this.#waiting.length - 1), 1);
      this.#chars -= gone.size;
      this.#lost += 1;
      if (this.#waiting.length <= this.#flying) break;
    }
  }

  // Send what waits, if nothing is under way and no pause is being made. A process that does not run is started for it, but
  // not at once: it may have ended because the gateway is about to.
  async send({ due = false } = {}) {
    for (const one of this.#waiting.slice(-MOST)) this.#finish(one);
    this.#shrink();
    if (this.#flying || !this.#waiting.length || (this.#timer && !due)) return undefined;
    if (!due && this.#sidecar.pid === undefined) return this.#later(START_PAUSE_MS);
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const batch = this.#batch();
    const [{ agentId }] = batch;
    const lost = this.#lost;
    this.#flying = batch.length;
    let written = false;
    try {
      const params = { agentId, host: "openclaw", reports: batch.map(({ report }) => report), lost };
      await this.#sidecar.request("capture", params, ANSWER_MS, { patient: true });
      this.#complaints.right("capturing");
      written = true;
      this.#lost -= lost;
      this.#failures = 0;
    } catch (error) {
      this.#failures += 1;
      this.#complaints.wrong("capturing", `what happens waits to be captured: ${error?.message ?? error}`);
      if (batch.length === 1 && error?.refused) {
        written = true;
        this.#lost += 1;
        this.#failures = 0;
      }
    }
    this.#flying = 0;
    if (written) for (const { size } of this.#waiting.splice(0, batch.length)) this.#chars -= size;
    else this.#later(Math.min(LONGEST_PAUSE_MS, 250 * 2 ** this.#failures));
    return this.send();
  }

  // What was refused together is tried one by one.
  #batch() {
    const [first] = this.#waiting;
    const most = this.#failures ? 1 : AT_ONCE;
    const batch = [];
    let room = AT_ONCE_CHARS;
    for (const one of this.#waiting) {
      room -= one.size;
      if (one.agentId !== first.agentId || batch.length === most || (room < 0 && batch.length)) break;
      batch.push(one);
    }
    return batch;
  }

  #later(ms) {
    this.#timer = setTimeout(() => this.send({ due: true }), ms);
    this.#timer.unref();
  }
}

// A prompt goes as it is: what is private in it must be known where it may come back, and is written nowhere.
export const prompted = (text) => ({ text: text.slice(0, MAX_PROMPT) });

// The last thing that the assistant said, and whether the turn went well.
export function answered(messages, { success, error }) {
  const said = messages.filter((message) => message?.role === "assistant").map((message) => textOf(message.content));
  const text = kept(said.findLast((one) => one.trim()) ?? "");
  return success === false ? { text, ok: false, error: kept(String(error?.message ?? error ?? "")) } : { text };
}

export function called({ toolName, params, result, error, durationMs }) {
  const { isError, details } = result ?? {};
  const told = details && typeof details === "object" ? { exitCode: details.exitCode, status: details.status } : {};
  return {
    tool: toolName,
    input: shaped(params, { left: MAX_INPUT }),
    result: { content: kept(textOf(result?.content ?? result)), isError, details: told },
    error: error ? kept(String(error.message ?? error)) : undefined,
    ms: Number.isFinite(durationMs) ? durationMs : undefined,
    cwd: [params?.cwd, params?.workdir].find((folder) => typeof folder === "string"),
  };
}

function kept(text) {
  return cut(unmarked(text));
}

function textOf(content) {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => (typeof part === "string" ? part : part?.type === "text" && typeof part.text === "string" ? part.text : "")).filter(Boolean).join("\n");
}

function shaped(value, room, depth = 0) {
  if (typeof value === "string") {
    const text = kept(value).slice(0, Math.max(0, room.left));
    room.left -= text.length;
    return text;
  }
  if (value === null || typeof value === "boolean" || typeof value === "number") return value;
  if (typeof value !== "object" || depth > DEEPEST) return undefined;
  if (Array.isArray(value)) return value.slice(0, WIDEST).map((one) => shaped(one, room, depth + 1) ?? null);
  return Object.fromEntries(Object.entries(value).slice(0, WIDEST).map(([name, one]) => [name, shaped(one, room, depth + 1)]));
}
