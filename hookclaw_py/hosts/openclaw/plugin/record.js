// A small file that says whether the hooks really fire: read by `hookclaw doctor` and `hookclaw openclaw status`.
import { mkdir, rename, writeFile } from "node:fs/promises";
import path from "node:path";

const KEPT = 200; // hook times to take percentiles of

export class Record {
  #file;
  #log;
  #writing = false;
  #again = false;
  #complained = false;
  #times = [];

  // facts: what is known from the start (version, host, …); file "" keeps no file.
  constructor(file, facts, log) {
    this.#file = file;
    this.#log = log;
    this.facts = { ...facts, pid: process.pid, turns: 0, outcomes: {}, agentEnds: 0, starts: 0 };
  }

  turn({ hook, agentId, outcome, reason, ms, placement, sidecar }) {
    const { facts } = this;
    const now = new Date().toISOString();
    facts.turns += 1;
    facts.outcomes[outcome] = (facts.outcomes[outcome] ?? 0) + 1;
    facts.last = { at: now, hook, agentId, outcome, reason, ms: Math.round(ms * 10) / 10 };
    if (outcome === "injected") facts.lastInjected = { at: now, agentId, placement };
    if (outcome === "failed") facts.lastFailure = { at: now, reason };
    [facts.starts, facts.memoryPid] = [sidecar.starts, sidecar.pid];
    if (outcome !== "off") this.#times = [...this.#times.slice(1 - KEPT), ms];
    this.#save();
  }

  agentEnd(cited) {
    this.facts.agentEnds += 1;
    this.facts.lastAgentEnd = { at: new Date().toISOString(), cited };
    this.#save();
  }

  problem(reason) {
    this.facts.lastFailure = { at: new Date().toISOString(), reason };
    this.#save();
  }

  async #save() {
    if (!this.#file) return;
    if (this.#writing) {
      this.#again = true;
      return;
    }
    this.#writing = true;
    try {
      do {
        this.#again = false;
        const part = `${this.#file}.${process.pid}`;
        await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
        await writeFile(part, `${JSON.stringify({ ...this.facts, ...percentiles(this.#times) }, null, 1)}\n`, { mode: 0o600 });
        await rename(part, this.#file);
      } while (this.#again);
    } catch (error) {
      if (!this.#complained) this.#log.warn(`hookclaw: cannot write ${this.#file}: ${error.message}; \`hookclaw doctor\` will not see the turns`);
      this.#complained = true;
    } finally {
      this.#writing = false;
    }
  }
}

function percentiles(times) {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share) => Math.round((sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0) * 10) / 10;
  return { p50Ms: at(0.5), p95Ms: at(0.95) };
}
