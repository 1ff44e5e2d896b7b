// Elements from words. Whatever is remembered goes in as text, never as markup.

/** Make an element: its attributes, then its children (elements, texts, or nothing). */
export function h(name, given = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(given)) {
    if (value === false || value == null) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "class") made.className = value;
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat().filter((child) => child != null && child !== false && child !== ""));
  return made;
}

const SVG = "http://www.w3.org/2000/svg";

/** Make an element of a drawing. */
export function s(name, given = {}, ...children) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(given)) made.setAttribute(key, value);
  made.append(...children);
  return made;
}

const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const TIME = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** Say when something was: the time alone if it was today. */
export function when(at) {
  if (!at) return "";
  const moment = new Date(at);
  const today = moment.toDateString() === new Date().toDateString();
  const told = today ? TIME.format(moment) : `${DAY.format(moment)}, ${TIME.format(moment)}`;
  return h("time", { datetime: moment.toISOString(), title: moment.toLocaleString() }, told);
}

export const day = (at) => (at ? DAY.format(new Date(at)) : "");
export const number = (value) => new Intl.NumberFormat().format(value);
export const counted = (count, one, many = `${one}s`) => `${number(count)} ${count === 1 ? one : many}`;

/** Tell of something below the page; with `undo`, it can be taken back for as long as it stands there. */
export function toast(words, { undo, seconds = 8, bad = false } = {}) {
  const made = h("div", { class: bad ? "toast bad" : "toast" }, h("span", {}, words));
  let end;
  const away = () => { clearTimeout(end); made.remove(); };
  if (undo) made.append(h("button", { type: "button", onclick: () => { away(); undo(); } }, "Undo"));
  made.append(h("button", { type: "button", class: "plain", "aria-label": "Close", onclick: away }, "×"));
  const all = document.getElementById("toasts");
  all.append(made);
  while (all.children.length > 3) all.firstChild.remove();
  end = setTimeout(away, seconds * 1000);
  return away;
}

/** Do something; if it fails, say so. */
export async function tried(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") toast(error.message, { bad: true });
    return undefined;
  }
}

export const button = (words, press, given = {}) => h("button", { type: "button", onclick: press, ...given }, words);
export const empty = (words) => h("p", { class: "empty" }, words);

/** Ask the browser to show a list and what is chosen of it, side by side where there is room. */
export function split(list, detail) {
  for (const one of list.querySelectorAll("a")) {
    if (one.hash === location.hash) one.setAttribute("aria-current", "true");
    else one.removeAttribute("aria-current");
  }
  return h("div", { class: detail ? "split chosen" : "split" }, h("div", { class: "list" }, list), h("section", { class: "detail", "aria-label": "Details" }, detail ?? empty("Choose something to see its story.")));
}
