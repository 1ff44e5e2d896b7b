// Search, numbers, health.

import { get, post } from "./api.js";
import { trust } from "./acts.js";
import { candidates } from "./prompts.js";
import { button, counted, empty, h, number, s, toast, tried } from "./dom.js";

/** Search as the engine ranks; or ask what a prompt would get. */
export async function search(place, words) {
  const field = h("input", { type: "search", id: "query", placeholder: "a question, a name, an error", autocomplete: "off", value: words });
  const results = h("div", { "aria-live": "polite" });
  const count = h("p", { class: "quiet", role: "status" });
  const form = h("form", { class: "ask", role: "search", onsubmit: (event) => { event.preventDefault(); look(); } },
    h("label", { for: "query", class: "hidden" }, "Search"), field, h("button", { type: "submit", class: "main" }, "Search"), button("Would it be told?", () => explain()));
  place.replaceChildren(h("h1", {}, "Search"), form, count, results);
  field.focus();

  async function look() {
    const asked = field.value.trim();
    if (!asked) return;
    history.replaceState(null, "", `#/search/${encodeURIComponent(asked)}`);
    const found = await tried(() => get("/api/search", { query: asked, limit: 30 }));
    if (!found) return;
    count.textContent = `${counted(found.results.length, "passage")}, nearest first, whether they answer or not`;
    results.replaceChildren(h("ol", { class: "found" }, found.results.map((one) => h("li", {},
      h("a", { href: `#/memories/${one.memory}`, class: "says" }, one.text),
      h("p", { class: "quiet note" }, `${one.path}:${one.lines.join("–")} · relevance ${one.relevance.toFixed(3)} · about ${counted(one.tokens, "token")}`)))));
  }

  async function explain() {
    const asked = field.value.trim();
    if (!asked) return;
    const told = await tried(() => post("/api/explain", { prompt: asked }));
    if (!told) return;
    count.textContent = `${told.outcome}: ${told.reason}`;
    results.replaceChildren(...candidates(told, "", explain).filter(Boolean));
  }

  if (words) await look();
}

const TONES = { injected: "var(--good)", silent: "var(--wait)", skipped: "var(--faint)", failed: "var(--bad)" };

function plot(days) {
  const names = Object.keys(days);
  const most = Math.max(1, ...names.map((name) => Object.values(days[name]).reduce((a, b) => a + b, 0)));
  const [wide, high, gap] = [720, 180, 6];
  const step = wide / Math.max(1, names.length);
  const bars = names.flatMap((name, place) => {
    let top = high;
    return Object.entries(days[name]).filter(([, count]) => count).map(([outcome, count]) => {
      const tall = (count / most) * (high - 20);
      top -= tall;
      const bar = s("rect", { x: place * step + gap / 2, y: top, width: Math.max(1, step - gap), height: tall, rx: 2, class: outcome });
      bar.style.fill = TONES[outcome];
      bar.append(s("title", {}, `${name}: ${count} ${outcome}`));
      return bar;
    });
  });
  const every = Math.ceil(names.length / 8);
  const labels = names.filter((_, place) => place % every === 0).map((name) => s("text", { x: (names.indexOf(name) + 0.5) * step, y: high + 16, "text-anchor": "middle" }, name.slice(5)));
  const table = h("table", {}, h("caption", {}, "Prompts a day by outcome"), names.map((name) => h("tr", {}, h("th", { scope: "row" }, name), Object.entries(days[name]).map(([outcome, count]) => h("td", {}, `${count} ${outcome}`)))));
  const legend = h("p", { class: "legend", "aria-hidden": "true" }, Object.keys(TONES).map((name) => { const dot = h("i", {}); dot.style.background = TONES[name]; return h("span", {}, dot, name); }));
  return h("figure", {}, s("svg", { viewBox: `0 0 ${wide} ${high + 24}`, role: "img", "aria-label": "Prompts a day by outcome" }, ...bars, ...labels), legend, h("div", { class: "hidden" }, table));
}

/** Whether memory helps. */
export async function numbers(place, span) {
  const days = Number(span) || 7;
  const told = await tried(() => get("/api/stats", { days }));
  if (!told) return place.replaceChildren(h("h1", {}, "Numbers"), empty("No numbers now."));
  const spans = h("p", { class: "acts" }, [7, 30, 90].map((one) => h("a", { href: `#/numbers/${one}`, class: "button", "aria-current": one === days ? "true" : null }, `${one} days`)));
  const notes = (title, list) => (list.length ? [h("h2", {}, title), h("ul", { class: "found" }, list.map((one) => h("li", {}, h("span", { class: "says" }, one.text), h("p", { class: "quiet note" }, `used ${one.used} of ${one.shown} times · ${one.place}`))))] : null);
  place.replaceChildren(h("h1", {}, "Numbers"), spans,
    h("dl", { class: "figures" }, told.figures.map((one) => h("div", {}, h("dt", {}, one.name), h("dd", {}, h("b", {}, one.figure), h("span", { class: "quiet" }, one.told))))),
    h("h2", {}, "Day by day"), plot(told.impact.by_day),
    h("h2", {}, "What there is"), h("p", {}, [`${counted(told.passages, "passage")} of ${counted(told.files, "file")}`, ...Object.entries(told.byKind).map(([kind, count]) => `${number(count)} ${kind}`)].join(" · ")),
    ...(told.impact.suggestions.length ? [h("h2", {}, "What to change"), h("ul", { class: "found" }, told.impact.suggestions.map((one) => h("li", {}, h("strong", {}, one.found), h("p", { class: "quiet" }, one.advice))))] : []),
    ...(notes("Most useful", told.impact.useful) ?? []), ...(notes("Shown and never used", told.impact.useless) ?? []));
  return undefined;
}

/** The queue, what the doctor finds, what is marked and what is held back. */
export async function health(place) {
  const again = () => health(place);
  const [queue, checks, said, held] = await Promise.all([get("/api/pending-queue"), get("/api/checks"), get("/api/marks"), get("/api/review")]);
  const words = { ok: "fine", note: "to know", problem: "to mend" };
  const tone = { ok: "injected", note: "silent", problem: "failed" };
  place.replaceChildren(h("h1", {}, "Health"),
    h("h2", {}, "What was captured"),
    h("dl", { class: "figures" }, [["captured", queue.captured], ["waiting", queue.pending], ["at work", queue.processing], ["failed", queue.failed]].map(([name, count]) => h("div", {}, h("dt", {}, name), h("dd", {}, h("b", {}, number(count)))))),
    queue.pending || queue.failed ? button("Work it off now", () => tried(async () => { await post("/api/pending-queue/process"); toast("Worked off"); again(); })) : "",
    h("ul", { class: "found" }, queue.recent.map((one) => h("li", {}, one.error))),
    h("h2", {}, "What the doctor finds"),
    h("ul", { class: "found" }, checks.checks.map((one) => h("li", {}, h("p", { class: "line" }, h("span", { class: `chip ${tone[one.verdict]}` }, words[one.verdict]), h("strong", {}, one.name)), h("p", {}, one.finding), one.remedy ? h("code", {}, one.remedy) : null))),
    h("h2", {}, "Held back, because others wrote it"),
    held.held.length ? h("ul", { class: "found" }, held.held.slice(0, 100).map((one) => h("li", {}, h("p", { class: "says" }, one.text), h("p", { class: "quiet note" }, `${one.place} · ${one.confirmed ? "trusted by you" : one.why}`), h("p", { class: "acts" }, trust(one, again))))) : empty("Nothing is held back."),
    h("h2", {}, "Pinned and blocked"),
    said.marks.length ? h("ul", { class: "found" }, said.marks.map((one) => h("li", {}, h("p", { class: "line" }, h("span", { class: "chip" }, { pin: "pinned", block: "blocked" }[one.mark] ?? one.mark)), h("a", { href: `#/memories/${one.id}`, class: "says" }, one.chunk?.text ?? "(gone from the notes)")))) : empty("Nothing is."),
    said.forgotten ? h("p", { class: "quiet" }, `${counted(said.forgotten, "memory", "memories")} forgotten; of their words nothing is kept.`) : "");
}
