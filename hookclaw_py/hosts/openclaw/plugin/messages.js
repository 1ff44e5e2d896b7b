// Messages between agents: the host is asked, by what it offers every plugin, to wake an agent in its session, and what a turn
// has shown is told back. A wake that the host swallows is asked for again by the memory process, until a turn shows it.
const REASON = "hook:hookclaw";
const HOW = "palace_message, action get, shows it";
const ANSWER_MS = 30_000;
const MOST_PENDING = 1000;

export class Messages {
  #sidecar;
  #complaints;
  #system;
  #agents = new Set();
  #ready = false; // the memory process was: those who come later are told of by themselves
  #pending = new Map(); // how a line begins: { agentId, id }

  // system: what gives the host's `api.runtime.system` as it is now.
  constructor(sidecar, complaints, system) {
    this.#sidecar = sidecar;
    this.#complaints = complaints;
    this.#system = system;
  }

  // Hear of an agent's messages from now on, also after the memory process was started again.
  listen(agentId) {
    if (this.#agents.has(agentId) || !this.#canWake()) return;
    this.#agents.add(agentId);
    if (this.#ready) this.#subscribe(agentId);
  }

  // The memory process is ready, for the first time or anew.
  listenAgain() {
    this.#ready = true;
    for (const agentId of this.#agents) this.#subscribe(agentId);
  }

  // wake: { agentId, sessionKey, messages: [{ id, text }] }
  wake({ agentId, sessionKey, messages }) {
    try {
      const system = this.#system();
      const inHost = agentId.split("@", 1)[0];
      for (const { id, text } of messages) {
        this.#pending.set(beginning(text), { agentId, id });
        system.enqueueSystemEvent(`${text} - ${HOW}`, { sessionKey, agentId: inHost, contextKey: `hookclaw:message:${id}` });
      }
      while (this.#pending.size > MOST_PENDING) this.#pending.delete(this.#pending.keys().next().value);
      const asked = { reason: REASON, agentId: inHost, sessionKey, coalesceMs: 0 };
      if (typeof system.requestHeartbeat === "function") system.requestHeartbeat({ source: "hook", intent: "immediate", ...asked });
      else system.requestHeartbeatNow(asked);
      this.#complaints.right("waking agents");
    } catch (error) {
      this.#complaints.wrong("waking agents", `agent ${agentId} cannot be woken for its messages: ${error?.message ?? error}`);
    }
  }

  // What goes to the model: a line that is in it was shown.
  shown(event) {
    if (!this.#pending.size) return;
    const said = [event?.prompt, ...(event?.historyMessages ?? event?.messages ?? []).map((message) => message?.content)];
    const texts = said.flatMap((one) => (Array.isArray(one) ? one.map((part) => part?.text) : [one])).filter((one) => typeof one === "string");
    const found = [...this.#pending].filter(([line]) => texts.some((text) => text.includes(line)));
    for (const [line, { agentId, id }] of found) {
      this.#pending.delete(line);
      this.#sidecar.notify("delivered", { agentId, ids: [id] });
    }
  }

  #canWake() {
    const system = this.#system();
    return typeof system?.enqueueSystemEvent === "function" && typeof (system.requestHeartbeat ?? system.requestHeartbeatNow) === "function";
  }

  async #subscribe(agentId) {
    try {
      await this.#sidecar.request("_subscribe", { channel: agentId }, ANSWER_MS, { patient: true });
      this.#complaints.right(`messages of ${agentId}`);
    } catch (error) {
      this.#complaints.wrong(`messages of ${agentId}`, `${agentId} is not woken for messages: ${error?.message ?? error}`);
    }
  }
}

// "hookclaw: message 12 from agent main (": no other line begins so, and no host writes it otherwise.
function beginning(text) {
  return text.slice(0, text.indexOf("(") + 1);
}
