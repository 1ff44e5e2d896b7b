// One Python process that answers requests, one JSON object a line, on its stdin and stdout.
// Started when it is first needed, started again with back-off when it dies. Every promise settles; no timer outlives
// the request or the stop it belongs to, and nothing here keeps the host's event loop alive.
import { spawn } from "node:child_process";

const PROTOCOL = 1;
const HELLO_MS = 30_000; // from the start to the first line
const STOP_MS = 1_000; // from being asked to end to being killed
const STEADY_MS = 60_000; // a process that lived this long did not die of its start
const LONGEST_PAUSE_MS = 60_000;
const STRIKES = 3; // requests in a row without a word from the process make it stuck,
const STUCK_MS = 30_000; // once it has been silent for so long
const MAX_LINE = 8 * 1024 * 1024;
const MAX_UNSENT = 8 * 1024 * 1024;

export class Sidecar {
  #launch;
  #child;
  #ready = false;
  #startedAt = 0;
  #deaths = 0;
  #notBefore = 0;
  #stopped = false;
  #strikes = 0;
  #unheardSince; // when it was first asked what nothing was heard after
  #lastId = 0;
  #waiting = new Map();
  #lastWords = "";
  #helloTimer;

  // launch: { command, args, env, configure (params of the first request), log (info, warn, error), complaints, onReady, onEvent }
  constructor(launch) {
    this.#launch = launch;
    this.starts = 0;
    this.warm = false; // has this process looked into a store yet?
  }

  get pid() {
    return this.#child?.pid;
  }

  start() {
    this.#running();
  }

  // Ask, and settle within timeoutMs: the result, or an Error that says why there is none; one with refused, if it was answered so.
  // patient: that it takes long is no sign of illness, and what is late may still be done.
  request(method, params, timeoutMs, { patient = false } = {}) {
    const child = this.#running();
    if (!child) return Promise.reject(new Error(this.#whyNot()));
    if (child.stdin.writableLength > MAX_UNSENT) return Promise.reject(new Error("the memory process does not read what it is sent"));
    const id = String(++this.#lastId);
    const askedAt = Date.now();
    if (!patient) this.#unheardSince ??= askedAt;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        if (patient) return reject(new Error(this.#whyLate(Math.round(timeoutMs))));
        this.#write(child, { id: `cancel ${id}`, method: "cancel", params: { id } }); // a process that lives says so at once
        reject(new Error(this.#whyLate(Math.round(timeoutMs))));
        return this.#strike(child, askedAt);
      }, timeoutMs);
      if (patient) timer.unref();
      this.#waiting.set(id, { resolve, reject, timer });
      this.#write(child, { id, method, params });
    });
  }

  // Tell, without waiting for anything; a process that does not run is not started for it unless `start`.
  notify(method, params, { start = false } = {}) {
    const child = start ? this.#running() : this.#child;
    if (child && child.stdin.writableLength <= MAX_UNSENT) this.#write(child, { method, params });
  }

  // End the process: politely, after a second by force. Settles when it is gone.
  stop() {
    this.#stopped = true;
    const child = this.#child;
    if (!child) return Promise.resolve();
    child.ref();
    return new Promise((resolve) => {
      const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      child.once("exit", done);
      child.once("error", done);
      this.#write(child, { id: "stop", method: "_shutdown", params: {} });
      child.stdin.end();
    });
  }

  // A request ran out of time. Only silence counts: a process that opens its stores, or is busy, still says that it lives.
  #strike(child, askedAt) {
    if (!this.#ready || this.#unheardSince === undefined || this.#unheardSince > askedAt) return;
    this.#strikes += 1;
    const silence = Date.now() - this.#unheardSince;
    if (this.#strikes >= STRIKES && silence >= STUCK_MS) this.#kill(child, `said nothing for ${Math.round(silence / 1000)} s and ${this.#strikes} requests`);
  }

  #whyLate(ms) {
    if (!this.#ready) return `the memory process is still starting after ${ms} ms`;
    return this.warm ? `no answer within ${ms} ms` : `the memory is still being opened after ${ms} ms`;
  }

  #whyNot() {
    if (this.#stopped) return "the memory process has been stopped";
    const seconds = Math.ceil((this.#notBefore - Date.now()) / 1000);
    const when = Number.isFinite(seconds) ? `is started again in ${seconds} s` : "is not started again";
    return `the memory process died and ${when}${this.#lastWords ? `; it said: ${this.#lastWords}` : ""}`;
  }

  #running() {
    if (this.#child || this.#stopped) return this.#child;
    if (Date.now() < this.#notBefore) return undefined;
    const { command, args, env, configure } = this.#launch;
    const child = spawn(command, args, { env, stdio: ["pipe", "pipe", "pipe"], windowsHide: true });
    this.#child = child;
    this.#ready = false;
    this.warm = false;
    this.#strikes = 0;
    this.#unheardSince = undefined;
    this.#startedAt = Date.now();
    this.starts += 1;
    child.on("error", (error) => this.#gone(child, `cannot be started (${command}): ${error.message}`));
    child.on("exit", (code, signal) => this.#gone(child, `ended with ${signal ?? `exit code ${code}`}`, { asked: code === 0 }));
    child.stdin.on("error", () => {}); // a broken pipe: "exit" follows and says why
    readLines(child.stdout, (line) => this.#heard(child, line), () => this.#kill(child, "wrote a line without end"));
    readLines(child.stderr, (line) => this.#said(line), () => {});
    for (const part of [child, child.stdin, child.stdout, child.stderr]) part.unref?.();
    this.#helloTimer = setTimeout(() => this.#kill(child, `was not ready within ${HELLO_MS / 1000} s`), HELLO_MS);
    this.#helloTimer.unref();
    this.#write(child, { id: "configure", method: "_configure", params: configure });
    return child;
  }

  #write(child, message) {
    if (child.stdin.writable) child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  #heard(child, line) {
    if (child !== this.#child) return undefined;
    this.#strikes = 0;
    this.#unheardSince = undefined;
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#launch.log.warn(`hookclaw: the memory process wrote what is not JSON: ${line.slice(0, 200)}`);
    }
    if (message?.ready === true) return this.#greeted(child, message);
    if (typeof message?.event === "string") return this.#launch.onEvent(message);
    const { id, result, error } = message ?? {};
    const asked = this.#waiting.get(id);
    if (asked) {
      this.#waiting.delete(id);
      clearTimeout(asked.timer);
      this.warm ||= result?.outcome !== undefined && result.outcome !== "failed";
      this.#launch.complaints.right("the memory process");
      if (error) asked.reject(Object.assign(new Error(`${error.code}: ${error.message}`), { refused: error.code !== "INTERNAL_ERROR" }));
      else asked.resolve(result ?? {});
    } else if (error && !String(id).startsWith("cancel ")) {
      this.#launch.log.error(`hookclaw: ${id === "configure" ? "the configuration cannot be used" : error.code}: ${error.message}`);
      if (id === "configure") this.#launch.onEvent({ event: "problem", params: { message: error.message } });
    }
    return undefined;
  }

  #greeted(child, { protocol, version }) {
    clearTimeout(this.#helloTimer);
    if (protocol !== PROTOCOL) {
      this.#notBefore = Infinity;
      return this.#kill(child, `speaks protocol ${protocol}, this plugin ${PROTOCOL} (run \`hookclaw openclaw install\`, restart the gateway)`);
    }
    this.#ready = true;
    this.#launch.onReady();
    this.#launch.log.info(`hookclaw: memory process ${version} is ready (pid ${child.pid}, ${Date.now() - this.#startedAt} ms)`);
    return undefined;
  }

  #said(line) {
    this.#lastWords = line.slice(0, 300);
    this.#launch.log.info(line);
  }

  #kill(child, why) {
    child.kill("SIGKILL");
    this.#gone(child, `${why} and was killed`);
  }

  // asked: it ended of its own will, as it does on the Ctrl-C that ends the gateway too: the next prompt starts it.
  #gone(child, how, { asked = false } = {}) {
    if (child !== this.#child) return;
    this.#child = undefined;
    clearTimeout(this.#helloTimer);
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      reject(new Error(`the memory process ${how}${this.#ready || !this.#lastWords ? "" : `; it said: ${this.#lastWords}`}`));
    }
    this.#waiting.clear();
    if (this.#stopped) return;
    if (Date.now() - this.#startedAt > STEADY_MS) this.#deaths = 0;
    const pause = this.#deaths === 0 && this.#ready ? 0 : Math.min(LONGEST_PAUSE_MS, 1000 * 2 ** this.#deaths);
    this.#deaths += 1;
    this.#notBefore = Math.max(this.#notBefore, Date.now() + pause);
    const later = pause ? `the next prompt after ${pause / 1000} s` : "the next prompt";
    const next = pause || asked ? `${later} starts it again` : "starting it again";
    const again = Number.isFinite(this.#notBefore) ? `; ${next}` : "";
    this.#launch.complaints.wrong("the memory process", `the memory process ${how}${again}`, "error");
    this.#launch.onEvent({ event: "problem", params: { message: `the memory process ${how}` } });
    if (!asked) this.#running();
  }
}

function readLines(stream, onLine, onEndless) {
  let rest = "";
  stream.setEncoding("utf8");
  stream.on("error", () => {});
  stream.on("data", (text) => {
    const lines = text.split("\n"); // only what is new: a long line is not looked through again with each piece of it
    lines[0] = rest + lines[0];
    rest = lines.pop();
    for (const line of lines) if (line.trim()) onLine(line);
    if (rest.length > MAX_LINE) {
      rest = "";
      onEndless();
    }
  });
}
