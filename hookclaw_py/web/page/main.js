// The page: which view is shown, and what comes in meanwhile.

import { agent, get, hear, post } from "./api.js";
import { empty, tried } from "./dom.js";
import { library, memories, timeline } from "./memories.js";
import { feed, live } from "./prompts.js";
import { health, numbers, search } from "./views.js";

const place = document.getElementById("main");
const link = document.getElementById("link");
const happening = feed();
const learned = library();
const VIEWS = {
  live: (on, id) => live(on, id, happening),
  search,
  memories: (on, id) => memories(on, id, learned),
  timeline,
  numbers,
  health,
};
let turn = 0;

/** Where a view draws: nowhere any more, once another one was chosen. */
function stage(view) {
  const mine = (turn += 1);
  return {
    replaceChildren(...shown) {
      if (mine !== turn) return;
      place.dataset.view = view;
      place.replaceChildren(...shown);
    },
  };
}

const THEMES = ["system", "light", "dark"];

async function show() {
  const [, name = "live", ...rest] = location.hash.split("/");
  const view = VIEWS[name] ? name : "live";
  for (const one of document.querySelectorAll("nav a")) {
    if (one.hash === `#/${view}`) one.setAttribute("aria-current", "page");
    else one.removeAttribute("aria-current");
  }
  document.title = `${view[0].toUpperCase()}${view.slice(1)} · memory of ${agent}`;
  await tried(() => VIEWS[view](stage(view), decodeURIComponent(rest.join("/"))));
  if (rest[0] && innerWidth < 900) scrollTo(0, 0);
}

function themed(theme) {
  document.documentElement.dataset.theme = theme;
  document.getElementById("theme").setAttribute("aria-label", `Theme: ${theme}; change it`);
}

async function begin() {
  if (!agent) {
    link.textContent = "no token";
    place.replaceChildren(empty("This page needs the address that `hookclaw viewer` opens: it holds the key to your memory."));
    return;
  }
  document.getElementById("agent").textContent = agent;
  addEventListener("hashchange", show);
  await Promise.all([show(), happening.begin()]);
  hear((name, told) => happening.live(name, told), (words, bad) => { link.textContent = words; link.className = bad ? "bad" : ""; });
  const settings = await tried(() => get("/api/settings"));
  themed(settings?.theme ?? "system");
}

document.getElementById("theme").addEventListener("click", () => {
  const next = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
  themed(next);
  tried(() => post("/api/settings", { theme: next }));
});
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/INPUT|TEXTAREA|SELECT/.test(document.activeElement.tagName)) {
    event.preventDefault();
    location.hash = "#/search";
  }
});
begin();
