// Asking the door, and hearing from it. The token comes in the address behind the #, and stays in this tab.

const KEPT = "hookclaw-token";

function taken() {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given) {
    sessionStorage.setItem(KEPT, given);
    history.replaceState(null, "", location.pathname + "#/live");
  }
  return sessionStorage.getItem(KEPT) ?? "";
}

const token = taken();

/** The agent whose memory this is. */
export const agent = token.slice(0, Math.max(0, token.lastIndexOf(".")));

/** What went wrong, as the door says it. */
export class Wrong extends Error {
  constructor(status, told) {
    super(told.error ?? `the door answered ${status}`);
    this.status = status;
    this.todo = told.todo ?? "";
  }
}

/** Ask a route; `query` stands in the address, `body` in the body. */
export async function ask(method, path, { query = {}, body, signal } = {}) {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) if (one !== "" && one != null) asked.append(name, one);
  }
  const headers = { authorization: `Bearer ${token}` };
  if (body !== undefined) headers["content-type"] = "application/json";
  const text = asked.toString();
  const reply = await fetch(path + (text ? `?${text}` : ""), {
    method, headers, signal, body: body === undefined ? undefined : JSON.stringify(body),
  });
  const told = await reply.json().catch(() => ({}));
  if (!reply.ok) throw new Wrong(reply.status, told);
  return told;
}

export const get = (path, query, signal) => ask("GET", path, { query, signal });
export const post = (path, body = {}) => ask("POST", path, { body });
export const remove = (path) => ask("DELETE", path);

/** Hear live events for ever; a broken line is taken up again after 1, 2 … 30 s, where it broke off. */
export async function hear(tell, state) {
  let last = "";
  let pause = 1;
  for (;;) {
    try {
      const headers = { authorization: `Bearer ${token}` };
      if (last) headers["last-event-id"] = last;
      const reply = await fetch("/stream", { headers });
      if (reply.status === 401) return state("no token", true);
      if (!reply.ok) throw new Error(String(reply.status));
      for await (const event of events(reply.body)) {
        if (event.id) last = event.id;
        state("live", false);
        pause = 1;
        if (event.name !== "hello" && event.name !== "ping") tell(event.name, event.data);
      }
    } catch {
      // taken up again below
    }
    state("away, trying again", true);
    await new Promise((go) => setTimeout(go, pause * 1000 * (0.75 + Math.random() / 2)));
    pause = Math.min(30, pause * 2);
  }
}

async function* events(stream) {
  const reader = stream.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split("\n\n");
    rest = parts.pop();
    for (const part of parts) {
      const told = Object.fromEntries(part.split("\n").map((line) => [line.slice(0, line.indexOf(": ")), line.slice(line.indexOf(": ") + 2)]));
      yield { id: told.id, name: told.event, data: JSON.parse(told.data ?? "{}") };
    }
  }
}
