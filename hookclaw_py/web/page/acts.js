// A person's word on memories: each with one click, and undone with another where that can be.

import { post, remove } from "./api.js";
import { button, h, toast, tried } from "./dom.js";

const PATIENCE = 6; // seconds in which forgetting can still be stopped
const SAID = { pin: "Pinned", block: "Blocked", "": "No longer marked" };

async function mark(id, wanted, changed) {
  await tried(async () => {
    const told = await post(`/api/memory/${id}/mark`, { mark: wanted });
    toast(SAID[wanted], { undo: () => mark(id, told.before, changed) });
    changed();
  });
}

function forget(id, changed) {
  let stopped = false;
  const away = toast("Forgetting for good in some seconds.", { seconds: PATIENCE + 1, undo: () => { stopped = true; } });
  setTimeout(async () => {
    if (stopped) return;
    away();
    await tried(async () => {
      const told = await remove(`/api/memory/${id}`);
      const still = told.stillInNote ? ` The note still has it: ${told.stillInNote}` : "";
      const alike = told.alike.length ? ` What was said may still tell of it: ${told.alike.map((one) => one.text.slice(0, 80)).join(" · ")}` : "";
      toast(`Forgotten.${still}${alike}`);
      changed("forgotten");
    });
  }, PATIENCE * 1000);
}

/** Return the buttons for a memory of any kind; `changed` is called when one has done something. */
export function marks(id, now, changed) {
  const toggle = (name, words) => button(now === name ? `Un${words.toLowerCase()}` : words, () => mark(id, now === name ? "" : name, changed), { "aria-pressed": String(now === name) });
  return [toggle("pin", "Pin"), toggle("block", "Block"), button("Forget", () => forget(id, changed), { class: "danger" })];
}

/** Return the buttons for what was injected: whether it helped. */
export function verdict(prompt, memory, changed) {
  const say = (good) => tried(async () => {
    await post(`/api/prompt/${prompt}/verdict`, { good, memory });
    toast(good ? "Noted: it helped" : "Noted: it did not help", { undo: () => say(!good) });
    changed();
  });
  return [button("Helped", () => say(true)), button("Did not help", () => say(false))];
}

async function reword(id, words, changed) {
  await tried(async () => {
    const told = await post(`/api/record/${id}/correct`, { words });
    toast("Corrected", { undo: () => reword(id, told.before, changed) });
    changed();
  });
}

/** Return a field for other words of a record. */
export function correction(record, changed) {
  const words = h("textarea", { rows: 3, id: "words" });
  words.value = record.body;
  const form = h("form", { class: "correct", hidden: true, onsubmit: (event) => { event.preventDefault(); reword(record.id, words.value, changed); } },
    h("label", { for: "words" }, "What it should say"), words, h("button", { type: "submit", class: "main" }, "Save"));
  const open = button("Correct", () => {
    form.hidden = !form.hidden;
    open.setAttribute("aria-expanded", String(!form.hidden));
    if (!form.hidden) words.focus();
  }, { "aria-expanded": "false" });
  const back = button("Take back", () => tried(async () => {
    await post(`/api/record/${record.id}/retract`);
    toast("Taken back; it will not be learned again");
    changed();
  }));
  return { buttons: [open, back], form };
}

/** Return the buttons for what is held back: trust it, or not. */
export function trust(one, changed) {
  const say = (body) => tried(async () => {
    await post("/api/review", body);
    toast(body.trusted ? "Trusted" : "No longer trusted", { undo: () => say({ ...body, trusted: !body.trusted }) });
    changed();
  });
  return [
    button(one.confirmed ? "Doubt" : "Trust this", () => say({ memory: one.memory, trusted: !one.confirmed })),
    one.confirmed ? null : button("Trust the source", () => say({ source: one.source, trusted: true })),
  ];
}
