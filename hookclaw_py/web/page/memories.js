// What was learned: a list of any length, of which only what is seen is there, and the story of one.

import { get } from "./api.js";
import { correction, marks } from "./acts.js";
import { counted, day, empty, h, split, tried, when } from "./dom.js";

const ROW = 68; // pixels, as in the style
const PAGE = 100;
const BEYOND = 8; // rows above and below those that are seen
const KINDS = ["fact", "decision", "preference", "observation", "summary", "episode", "skill", "plan", "working", "saved"];

/** A list of `total` rows; `load` gives a page of them, `row` makes one. */
function virtual(load, row) {
  const rows = h("ul", { class: "rows", "aria-label": "Memories" });
  const box = h("div", { class: "virtual", tabindex: 0, role: "group", "aria-label": "Memories, newest first" }, rows);
  const pages = new Map();
  let total = 0;
  let waiting = false;

  async function page(index) {
    if (pages.has(index)) return;
    pages.set(index, null);
    const found = await tried(() => load(index * PAGE, PAGE));
    if (!found) return void pages.delete(index);
    pages.set(index, found.records);
    total = found.total;
    draw();
  }

  function draw() {
    waiting = false;
    rows.style.height = `${total * ROW}px`;
    const first = Math.max(0, Math.floor(box.scrollTop / ROW) - BEYOND);
    const last = Math.min(total, Math.ceil((box.scrollTop + box.clientHeight) / ROW) + BEYOND);
    const made = [];
    for (let place = first; place < last; place += 1) {
      const index = Math.floor(place / PAGE);
      const known = pages.get(index)?.[place % PAGE];
      if (!pages.has(index)) page(index);
      const item = h("li", { "aria-setsize": total, "aria-posinset": place + 1 }, known ? row(known) : h("p", { class: "quiet" }, "…"));
      item.style.transform = `translateY(${place * ROW}px)`;
      made.push(item);
    }
    const focused = rows.contains(document.activeElement) ? document.activeElement.getAttribute("href") : "";
    rows.replaceChildren(...made);
    if (focused) rows.querySelector(`a[href="${focused}"]`)?.focus({ preventScroll: true });
    for (const index of pages.keys()) if (pages.size > 40 && Math.abs(index - first / PAGE) > 20) pages.delete(index);
  }

  const soon = () => { if (!waiting) { waiting = true; requestAnimationFrame(draw); } };
  let top = 0;
  box.addEventListener("scroll", () => { top = box.scrollTop; soon(); }, { passive: true });
  box.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const at = document.activeElement.closest("li");
    if (!step || !at) return;
    event.preventDefault();
    (step > 0 ? at.nextElementSibling : at.previousElementSibling)?.querySelector("a")?.focus();
  });
  new ResizeObserver(soon).observe(box);
  return {
    box,
    begin() { top = 0; box.scrollTop = 0; pages.clear(); return page(0); },
    resume() { box.scrollTop = top; }, // what leaves the page forgets where it was
    total: () => total,
  };
}

function row(record) {
  const href = `#/memories/${record.id}`;
  return h("a", { href, "aria-current": location.hash === href ? "true" : null },
    h("span", { class: "line" }, h("span", { class: `chip ${record.status === "active" ? "quiet" : "silent"}` }, record.status === "active" ? record.kind : `${record.kind}, ${record.status}`), record.pinned ? h("span", { class: "chip" }, "pinned") : null, h("span", { class: "quiet" }, day(record.at))),
    h("span", { class: "says one" }, record.title || record.body));
}

/** The list with its filters. */
export function library() {
  const wanted = { kinds: "", statuses: "" };
  const count = h("p", { class: "quiet", role: "status" });
  const list = virtual((offset, limit) => get("/api/records", { ...wanted, offset, limit }), row);
  const choose = (name, label, options) => h("label", {}, h("span", { class: "quiet" }, label), h("select", { onchange: (event) => { wanted[name] = event.target.value; again(); } }, options.map(([value, words]) => h("option", { value }, words))));
  async function again() {
    await list.begin();
    count.textContent = list.total() ? counted(list.total(), "memory", "memories") : "Nothing like that was learned yet.";
  }
  const filters = h("div", { class: "filters" },
    choose("kinds", "Kind", [["", "all"], ...KINDS.map((kind) => [kind, kind])]),
    choose("statuses", "Status", [["", "those that stand"], ["contested", "contested"], ["superseded", "superseded"], ["retracted", "taken back"], ["merged", "merged"], ["archived", "put away"]]), count);
  return { list: h("div", { class: "library" }, filters, list.box), begin: again, resume: list.resume };
}

const DID = { begun: "Begun", confirmed: "Heard again", edited: "Says more", superseded: "Corrected", contested: "Contested", retracted: "Taken back", forked: "Forked", merged: "Merged", reinforced: "Reinforced", penalized: "Penalized", linked: "Linked", unlinked: "Unlinked", archived: "Put away" };

function history(told) {
  let before = "";
  return h("ol", { class: "history" }, told.history.map((entry) => {
    const words = [entry.title, entry.body].filter(Boolean).join(" — ");
    const same = words === before;
    before = words;
    return h("li", {}, h("p", { class: "line" }, h("strong", {}, DID[entry.action] ?? entry.action), when(entry.at), h("span", { class: "quiet" }, `by ${entry.actor}`)),
      same ? null : h("p", { class: "says" }, words), h("p", { class: "quiet note" }, entry.why),
      entry.said.map((one) => h("p", { class: "quiet note" }, `${one.who}: ${one.words}`)));
  }));
}

async function record(id, changed) {
  const told = await get(`/api/record/${encodeURIComponent(id)}`);
  const { buttons, form } = correction(told, changed);
  const stands = ["active", "contested"].includes(told.status);
  return h("article", {},
    h("p", { class: "back" }, h("a", { href: "#/memories" }, "← All memories")),
    h("p", { class: "line" }, h("span", { class: `chip ${stands ? "injected" : "silent"}` }, `${told.kind}, ${told.status}`), told.mark ? h("span", { class: "chip" }, { pin: "pinned", block: "blocked" }[told.mark]) : null, h("span", { class: "quiet" }, `last said ${day(told.at)}`)),
    h("h2", { class: "says" }, told.title || told.body),
    told.title ? h("p", { class: "says" }, told.body) : null,
    h("p", { class: "quiet" }, `said by ${told.said_by} · confidence ${told.confidence.toFixed(2)} · presence ${told.salience.toFixed(2)} · about ${counted(told.tokens, "token")} · session ${told.session || "unknown"}`),
    h("p", { class: "acts" }, stands ? buttons : null, marks(id, told.mark, (what) => (what ? (location.hash = "#/memories") : changed()))), form,
    h("h3", {}, "Every wording"), history(told),
    told.links.length ? [h("h3", {}, "Hangs together with"), h("ul", { class: "links" }, told.links.map((link) => h("li", {}, h("span", { class: "quiet" }, `${link.relation} `), h("a", { href: `#/memories/${link.id}` }, link.says))))] : null,
    h("p", {}, h("a", { href: `#/timeline/${told.id}` }, "What was learned around it")));
}

async function note(id, changed) {
  const told = await get(`/api/memory/${encodeURIComponent(id)}`);
  const chunk = told.chunk;
  return h("article", {},
    h("p", { class: "back" }, h("a", { href: "#/search" }, "← Search")),
    h("p", { class: "line" }, h("span", { class: "chip quiet" }, chunk ? chunk.kind : "ended"), told.mark ? h("span", { class: "chip" }, { pin: "pinned", block: "blocked" }[told.mark]) : null),
    h("h2", { class: "says" }, chunk ? chunk.text : "(gone from the notes)"),
    chunk ? h("p", { class: "quiet" }, `${chunk.path}:${chunk.lines.join("–")}${chunk.heading ? ` · ${chunk.heading}` : ""}`) : null,
    h("p", { class: "acts" }, marks(id, told.mark, (what) => (what ? (location.hash = "#/search") : changed()))),
    h("h3", {}, counted(told.revisions.length, "wording")),
    h("ol", { class: "history" }, told.revisions.map((one) => h("li", {}, h("p", { class: "line" }, h("strong", {}, one.cause), when(one.at))))));
}

/** The view: the list, and a memory's story beside it. */
export async function memories(place, id, kept) {
  const again = () => memories(place, id, kept);
  const detail = id ? (await tried(() => record(id, again).catch((error) => (error.status === 404 ? note(id, again) : Promise.reject(error))))) ?? empty("That memory is not there.") : null;
  place.replaceChildren(h("h1", { class: "hidden" }, "Memories"), split(kept.list, detail));
  kept.resume();
  if (!kept.begun || !id) { kept.begun = true; await kept.begin(); }
}

/** What was learned around a record, day by day. */
export async function timeline(place, id) {
  const about = h("input", { type: "search", id: "around", placeholder: "around what?", autocomplete: "off" });
  const form = h("form", { class: "ask", role: "search", onsubmit: (event) => { event.preventDefault(); draw({ query: about.value }); } }, h("label", { for: "around", class: "hidden" }, "Around what"), about, h("button", { type: "submit", class: "main" }, "Show"));
  const list = h("ol", { class: "timeline" });
  place.replaceChildren(h("h1", {}, "Timeline"), form, list);

  async function draw(wanted) {
    const found = await tried(() => get("/api/timeline", { before: 15, after: 15, ...wanted }));
    if (!found) return;
    list.replaceChildren(...found.observations.map((one) => h("li", { class: one.id === found.anchor ? "anchor" : "", "aria-current": one.id === found.anchor ? "true" : null },
      h("p", { class: "line" }, when(one.at), h("span", { class: "chip quiet" }, one.kind)), h("a", { href: `#/memories/${one.id}`, class: "says" }, one.title || one.body))));
    list.querySelector(".anchor")?.scrollIntoView({ block: "center" });
  }
  if (id) return draw({ anchor: id });
  const newest = await tried(() => get("/api/records", { limit: 1 }));
  if (newest?.records.length) return draw({ anchor: newest.records[0].id });
  list.replaceChildren(h("li", {}, empty("Nothing was learned yet.")));
  return undefined;
}
