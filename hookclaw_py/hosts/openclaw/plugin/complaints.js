// Says what goes wrong once, counts it while it goes on, and says when it is over: a log that repeats itself hides the rest.
export class Complaints {
  #log;
  #open = new Map(); // what is wrong: how often, and everything that was said of it

  constructor(log) {
    this.#log = log;
  }

  // what: the thing that does not work ("memories of main"); why: said when it is new. Numbers in it do not make it new.
  wrong(what, why, level = "warn") {
    const found = this.#open.get(what) ?? { times: 0, said: new Set() };
    this.#open.set(what, found);
    found.times += 1;
    const alike = why.replace(/\d+/g, "#");
    if (found.said.has(alike)) return;
    found.said.add(alike);
    this.#log[level](`hookclaw: ${why}`);
  }

  right(what) {
    const found = this.#open.get(what);
    if (!found) return;
    this.#open.delete(what);
    this.#log.info(`hookclaw: ${what}: all right again; it went wrong ${found.times === 1 ? "once" : `${found.times} times`}`);
  }
}
