// The feed of what happens, and the story of one prompt.

import { get } from "./api.js";
import { counted, empty, h, number, split, tried, when } from "./dom.js";
import { marks, verdict } from "./acts.js";

const MOST = 400; // cards at a time
const SAID = { prompt: "asked", answer: "answered", tool_call: "ran", compaction: "shortened", session_start: "began", session_end: "ended" };
const DID = { begun: "learned", confirmed: "heard again", edited: "says more", superseded: "corrected", contested: "contested", retracted: "taken back", merged: "merged", archived: "put away" };

function card(kind, at, label, title, note, link) {
  const body = [h("p", { class: "line" }, h("span", { class: `chip ${label.tone}` }, label.words), h("span", { class: "quiet" }, when(at))), h("p", { class: "says" }, title), note ? h("p", { class: "quiet note" }, note) : null];
  return h("li", { class: `card ${kind}`, "data-at": at }, link ? h("a", { href: link }, body) : h("div", {}, body));
}

function asked(told) {
  const shown = told.shown.length ? `${counted(told.shown.length, "memory", "memories")} · ` : "";
  return card("recall", told.at, { words: told.outcome, tone: told.outcome }, told.prompt || "(the prompt was forgotten)", `${shown}${told.reason} · ${number(Math.round(told.ms))} ms`, `#/live/${told.id}`);
}

const learned = (told) => card("learned", told.at, { words: DID[told.action] ?? told.action ?? "learned", tone: "learned" }, told.title || told.body, `${told.kind}${told.status === "active" ? "" : `, ${told.status}`}`, `#/memories/${told.id}`);
const captured = (told) => card("capture", told.at, { words: SAID[told.kind] ?? told.kind, tone: "quiet" }, told.text || "…", `${told.host} · ${told.session}`);

/** The feed: what there is already, then what comes. */
export function feed() {
  const list = h("ol", { class: "feed", "aria-label": "What happened, newest first" });
  let offset = 0;
  const more = h("button", { type: "button", class: "more", onclick: () => older() }, "Earlier prompts");

  async function older() {
    const found = await tried(() => get("/api/prompts", { limit: 50, offset }));
    if (!found) return;
    offset += found.prompts.length;
    list.append(...found.prompts.map(asked));
    more.hidden = !found.hasMore;
    if (!list.children.length) list.append(h("li", {}, empty("Nothing was asked yet. What happens from now on appears here at once.")));
  }

  const tell = {
    recall: asked, capture: captured, learned,
    used: (told) => card("note", told.at, { words: "turn", tone: "quiet" }, told.used ? `the answer used ${counted(told.used, "memory", "memories")}` : "the answer used none of its memories", "", `#/live/${told.injection}`),
    forgotten: (told) => card("note", new Date().toISOString(), { words: "forgotten", tone: "failed" }, `${counted(told.number, "memory", "memories")}; of their words nothing is kept`),
  };
  async function again() { // what was told before may say what was forgotten
    offset = 0;
    list.replaceChildren();
    await older();
  }

  return {
    list: h("div", {}, list, more),
    begin: older,
    async live(name, told) {
      if (!tell[name]) return;
      if (name === "forgotten") await again();
      list.querySelector(".empty")?.closest("li").remove();
      if (name === "recall") offset += 1; // it stands before those that are fetched next
      const made = tell[name](told);
      made.classList.add("new");
      made.addEventListener("animationend", () => made.classList.remove("new"));
      list.prepend(made);
      while (list.children.length > MOST) {
        if (list.lastChild.classList.contains("recall")) offset -= 1; // it is fetched again
        list.lastChild.remove();
      }
    },
  };
}

function candidate(one, prompt, injected, changed) {
  const ranks = Object.entries(one.ranks).map(([name, rank]) => `${{ bm25: "words", vector: "meaning", late: "each word" }[name]} ${rank}.`);
  const meter = h("meter", { min: 0, max: 1, value: one.relevance, "aria-label": `relevance ${one.relevance.toFixed(2)}` });
  return h("li", { class: injected ? "candidate in" : "candidate" },
    h("p", { class: "line" }, h("span", { class: injected ? "chip injected" : "chip quiet" }, injected ? "injected" : "left out"), meter, h("span", { class: "figure" }, one.relevance.toFixed(3)), one.used ? h("span", { class: "chip learned" }, one.used) : null, one.mark ? h("span", { class: "chip" }, { pin: "pinned", block: "blocked" }[one.mark]) : null),
    h("p", { class: "says" }, one.text || "(its words are gone)"),
    h("p", { class: "quiet note" }, `${one.path}:${one.lines.join("–")}${one.heading ? ` · ${one.heading}` : ""}`),
    one.verdict ? h("p", { class: "why" }, one.verdict) : null,
    h("details", {}, h("summary", {}, "Why"), h("p", { class: "quiet note" }, `Place by ${ranks.join(", ") || "nothing"} · score ${one.score.toFixed(3)}`), h("p", { class: "quiet note" }, one.story.replace(/^; /, ""))),
    one.memory ? h("p", { class: "acts" }, injected && prompt ? verdict(prompt, one.memory, changed) : null, marks(one.memory, one.mark, changed)) : null);
}

/** What would be, or was, injected, and why the rest was not. */
export function candidates(told, prompt, changed) {
  return [
    told.candidates.length ? h("h3", {}, "Injected") : null,
    h("ul", { class: "candidates" }, told.candidates.map((one) => candidate(one, prompt, true, changed))),
    told.rejected.length ? h("h3", {}, "Considered, and left out") : null,
    h("ul", { class: "candidates" }, told.rejected.map((one) => candidate(one, prompt, false, changed))),
  ];
}

async function story(id, changed) {
  const told = await get(`/api/prompt/${encodeURIComponent(id)}`);
  return h("article", {},
    h("p", { class: "back" }, h("a", { href: "#/live" }, "← All that happened")),
    h("p", { class: "line" }, h("span", { class: `chip ${told.outcome}` }, told.outcome), when(told.at), h("span", { class: "quiet" }, told.session)),
    h("h2", { class: "says" }, told.prompt || "(the prompt was forgotten)"),
    h("p", { class: "why" }, told.reason),
    told.fate.map((line) => h("p", { class: "quiet" }, line)),
    told.faults.map((fault) => h("p", { class: "why failed" }, `${fault.stage}: ${fault.error}`)),
    told.text ? h("details", {}, h("summary", {}, "The block as the agent read it"), h("pre", { tabindex: 0 }, told.text)) : null,
    candidates(told, told.id, changed),
    told.beyond ? h("p", { class: "quiet" }, `${counted(told.beyond, "more passage")} lay further down.`) : null);
}

/** The view: the feed, and a prompt's story beside it. */
export async function live(place, id, kept) {
  const again = () => live(place, id, kept);
  const detail = id ? (await tried(() => story(id, again))) ?? empty("That prompt is not kept.") : null;
  place.replaceChildren(h("h1", { class: "hidden" }, "Live"), split(kept.list, detail));
}
