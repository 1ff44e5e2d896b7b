// What a text itself says is not to be kept: the same rules as in hookclaw_py/privacy/marked.py, which has the last word.
// Here because a long text is cut before it is sent: a cut must not part a tag from what it hides.
const NAMES = "private|c-mem-context|claude-mem-context|system-reminder|system[_-]instruction|persisted-output";
const TAG = new RegExp(`<(/?)(${NAMES})(?:\\s[^<>]{0,400})?(/?)>`, "gi");
const INLINE_CODE = /(?<!`)(`{1,2})(?!`)[^\n]{1,500}?(?<!`)\1(?!`)/g;
const MOST = 16_000;
const FIRST = 9_600;
const LAST = 4_800;
const AT_A_BLANK = 200;

export function unmarked(text) {
  if (!text.includes("<")) return text;
  const tags = [...text.matchAll(TAG)].map((match) => ({
    at: match.index, until: match.index + match[0].length, ends: match[1] === "/", alone: match[3] === "/",
    name: match[2].toLowerCase().replaceAll("_", "-"),
  }));
  if (!tags.length) return text;
  const code = [...text.matchAll(INLINE_CODE)].map((match) => [match.index, match.index + match[0].length]);
  const lastEnd = new Map(tags.map((tag, n) => [tag, n]).filter(([tag]) => tag.ends).map(([tag, n]) => [tag.name, n]));
  const pieces = [];
  let at = 0;
  let depth = 0;
  let opened;
  for (const [n, tag] of tags.entries()) {
    if (opened) {
      if (tag.name === opened && !tag.alone) depth += tag.ends ? -1 : 1;
      if (!depth) [opened, at] = [undefined, tag.until];
      continue;
    }
    const closes = (lastEnd.get(tag.name) ?? -1) > n;
    if ((tag.ends || !closes) && code.some(([start, end]) => start <= tag.at && tag.at < end)) continue;
    pieces.push(text.slice(at, tag.at));
    at = tag.until;
    if (!tag.ends && !tag.alone) [opened, depth] = [tag.name, 1];
  }
  return joined([...pieces, opened ? "" : text.slice(at)]);
}

function joined(pieces) {
  let whole = pieces[0];
  for (const piece of pieces.slice(1)) {
    const [left, right] = [whole.trimEnd(), piece.trimStart()];
    const [before, after] = [whole.slice(left.length), piece.slice(0, piece.length - right.length)];
    const gap = before && after ? ((before + after).includes("\n") ? "\n" : " ") : before + after;
    whole = left ? left + gap + right : right;
  }
  return pieces.length === 1 || pieces.at(-1).trim() ? whole : whole.trimEnd();
}

// The beginning and the end of a long text; no word is torn.
export function cut(text) {
  if (text.length <= MOST) return text;
  const first = text.slice(0, FIRST);
  const last = text.slice(-LAST);
  const head = first.slice(-AT_A_BLANK).replace(/\S*$/, "");
  const tail = last.slice(0, AT_A_BLANK).replace(/^\S*/, "");
  const begin = head ? first.slice(0, -AT_A_BLANK) + head : first;
  const end = tail ? tail + last.slice(AT_A_BLANK) : last;
  return `${begin}\n[… ${(text.length - begin.length - end.length).toLocaleString("en-US")} characters left out …]\n${end}`;
}
