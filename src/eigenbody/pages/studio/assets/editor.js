// The text of the model: a text area (its keys, selection and screen readers' support are the browser's own) over a
// painted copy with colours and faults. Versions and undo are the server's, so that all pages and the file agree.

import { $, debounced, make } from "./dom.js";
import { makeSchema, placeAt } from "./schema.js";

const PAUSE = 250; // milliseconds after a keystroke before the text is sent
const TOKEN = /(#[^\n]*)|("(?:[^"\\\n]|\\.)*"|'[^'\n]*')|(^[ \t]*[^\s#:{}[\],"'][^:#\n{}[\],"']*|[\w$.-]+)(?=:(?:\s|$))|(-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?=[\s,\]}]|$)/gm;

export function makeEditor({ line, now }) {
  const numbers = make("pre", { class: "numbers", "aria-hidden": "true" });
  const paint = make("pre", { class: "paint", "aria-hidden": "true" });
  const lenses = make("div", { class: "lenses", "aria-hidden": "true" });
  const area = make("textarea", { "aria-label": "Text of the model", "aria-describedby": "help faults", spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off" });
  const list = make("ul", { class: "completions", role: "listbox", "aria-label": "Completions", hidden: true });
  const hover = make("div", { class: "hover", hidden: true });
  $("editor").append(numbers, make("div", { class: "window" }, paint, lenses), area, list, hover);
  /** @type {{line: number, what: string, remedy: string, where: string}[]} */
  let faults = [];
  let version = 0, known = "", inFlight = false, schema = null, options = [], picked = 0, isPainting = false;
  if (EB.embedded) schema = makeSchema(EB.embedded.schema);
  else fetch("assets/schema.json").then((answer) => answer.json()).then((found) => { schema = makeSchema(found); });

  // ---- colours
  function colour() {
    isPainting = false;
    const lines = area.value.split("\n"), wrong = new Map();
    for (const f of faults) if (f.line) wrong.set(f.line, [...(wrong.get(f.line) || []), f]);
    const out = document.createDocumentFragment(), gutter = document.createDocumentFragment();
    lines.forEach((text, i) => {
      const own = wrong.get(i + 1), row = make("span", own ? { class: "wrong" } : {});
      let end = 0;
      for (const m of text.matchAll(TOKEN)) {
        row.append(text.slice(end, m.index), make("span", { class: m[1] ? "comment" : m[2] ? "string" : m[3] ? "key" : "number", text: m[0] }));
        end = m.index + m[0].length;
      }
      row.append(text.slice(end));
      out.append(row);
      out.append("\n");
      gutter.append(make("span", own ? { class: "wrong", text: String(i + 1) } : { text: String(i + 1) }), "\n");
    });
    paint.replaceChildren(out);
    lenses.replaceChildren(...[...wrong].filter(([row]) => row <= lines.length).map(([row, own]) => {
      const lens = make("span", { class: "lens", "data-line": row, text: own[0].what });
      lens.style.top = `${6 + (row - 1) * metrics().high}px`;
      return lens;
    }));
    help();
    numbers.replaceChildren(gutter);
    scroll();
  }
  const soon = () => { if (!isPainting) { isPainting = true; requestAnimationFrame(colour); } };
  function scroll() {
    paint.style.transform = `translate(${-area.scrollLeft}px, ${-area.scrollTop}px)`;
    numbers.style.transform = lenses.style.transform = `translateY(${-area.scrollTop}px)`;
  }
  area.addEventListener("scroll", () => { scroll(); close(); hover.hidden = true; });

  // ---- text: one way to the server, one way back
  const isDirty = () => area.value !== known;
  const sending = debounced(send, PAUSE);
  function send() {
    if (inFlight || !isDirty()) return;
    if (line.say("edit", { text: area.value, base: version })) { inFlight = true; known = area.value; }
  }
  function put(text) {
    if (text === area.value) return;
    const [from, to, top, left] = [area.selectionStart, area.selectionEnd, area.scrollTop, area.scrollLeft];
    area.value = text;
    area.setSelectionRange(Math.min(from, text.length), Math.min(to, text.length));
    Object.assign(area, { scrollTop: top, scrollLeft: left });
    close();
    soon();
  }
  line.on("document", (m) => {
    const isOther = m.path !== $("path").textContent, wasDirty = isDirty(), isFirst = version === 0;
    version = m.version;
    inFlight = false;
    if (m.text !== undefined) {
      known = m.text;
      if (isOther || isFirst || !wasDirty) put(m.text); // else what is being typed is newer, and is sent
    }
    $("path").textContent = m.path || "(no file)";
    $("saved").textContent = m.is_saved ? "saved" : "not saved";
    $("undo").disabled = !m.can_undo;
    $("redo").disabled = !m.can_redo;
    if (isDirty()) sending.soon();
  });
  line.on("down", () => { if (inFlight) { inFlight = false; known = ""; } });
  line.on("faults", (m) => {
    if (m.version < version) return;
    faults = m.faults;
    $("faults").replaceChildren(...faults.map((f) => make("li", {}, make("button", { type: "button", text: `${f.line ? `Line ${f.line}: ` : ""}${f.what} ${f.remedy}`, title: f.where, onclick: () => go(f.line) }))));
    area.setAttribute("aria-invalid", String(faults.length > 0));
    soon();
  });
  function go(row) {
    if (!row) return;
    const at = area.value.split("\n").slice(0, row - 1).join("\n").length + (row > 1 ? 1 : 0);
    area.focus();
    area.setSelectionRange(at, at);
    area.scrollTop = Math.max(0, (row - 6) * metrics().high);
  }
  addEventListener("pagehide", () => sending.now());
  function step(kind) { sending.never(); send(); line.say(kind); }
  $("undo").addEventListener("click", () => step("undo"));
  $("redo").addEventListener("click", () => step("redo"));
  $("save").addEventListener("click", () => { send(); line.say("save"); });

  // ---- help and completion
  const metrics = () => ({ high: 19, wide: measure() });
  let width = 0;
  function measure() {
    if (!width) { const probe = make("span", { text: "0".repeat(100) }); paint.append(probe); width = probe.getBoundingClientRect().width / 100; probe.remove(); }
    return width || 7.8;
  }
  function rowAndColumn(at) { const rows = area.value.slice(0, at).split("\n"); return [rows.length - 1, rows[rows.length - 1].length]; }
  function help() {
    const [row] = rowAndColumn(area.selectionStart); // the text where one writes is not covered
    for (const lens of lenses.children) lens.hidden = document.activeElement === area && Number(lens.dataset.line) === row + 1;
    if (schema) $("help").textContent = schema.help(wordAt(area.selectionStart)) || "Ctrl+Space completes; the help of the word at the cursor stands here.";
  }
  function wordAt(at) { // the place of the whole word around a position
    let end = at;
    while (end < area.value.length && /[\w-]/.test(area.value[end])) end += 1;
    return placeAt(area.value, end);
  }
  function open() {
    if (!schema || area.selectionStart !== area.selectionEnd) return;
    options = schema.completions(placeAt(area.value, area.selectionStart), now.names);
    if (!options.length) { close(); return; }
    picked = 0;
    const [row, column] = rowAndColumn(area.selectionStart), { high, wide } = metrics();
    list.replaceChildren(...options.map((o, i) => make("li", { role: "option", id: `option-${i}`, onmousedown: (e) => { e.preventDefault(); picked = i; accept(); } }, o.text, make("small", { text: o.help }))));
    list.style.left = `${Math.min(50 + column * wide - area.scrollLeft, 0.5 * $("editor").clientWidth)}px`;
    const top = 8 + (row + 1) * high - area.scrollTop;
    list.style.top = `${top + 160 > $("editor").clientHeight ? Math.max(4, top - high - Math.min(220, 24 * options.length) - 8) : top}px`;
    list.hidden = false;
    mark();
  }
  function mark() {
    [...list.children].forEach((item, i) => item.setAttribute("aria-selected", String(i === picked)));
    list.children[picked].scrollIntoView({ block: "nearest" });
    area.setAttribute("aria-activedescendant", `option-${picked}`);
  }
  function close() { list.hidden = true; area.removeAttribute("aria-activedescendant"); }
  function insert(text, from, to) {
    area.focus();
    area.setSelectionRange(from, to);
    if (!document.execCommand("insertText", false, text)) area.setRangeText(text, from, to, "end");
    changed();
  }
  function accept() {
    const place = placeAt(area.value, area.selectionStart), { text } = options[picked];
    close();
    insert(text, place.start, area.selectionStart);
    close();
  }
  function changed() { soon(); sending.soon(); help(); }
  area.addEventListener("input", (event) => {
    changed();
    if (event.inputType === "insertText" && /[\w]/.test(event.data || "")) open(); else close();
  });
  for (const kind of ["click", "keyup"]) area.addEventListener(kind, help);
  area.addEventListener("blur", () => { close(); help(); });
  area.addEventListener("keydown", (event) => {
    const isCommand = event.ctrlKey || event.metaKey, key = event.key.toLowerCase();
    if (!list.hidden && ["arrowdown", "arrowup"].includes(key)) { picked = (picked + (key === "arrowdown" ? 1 : -1) + options.length) % options.length; mark(); }
    else if (!list.hidden && (key === "enter" || key === "tab")) accept();
    else if (!list.hidden && key === "escape") close();
    else if (isCommand && key === " ") open();
    else if (isCommand && key === "s") { send(); line.say("save"); }
    else if (isCommand && key === "z") step(event.shiftKey ? "redo" : "undo");
    else if (isCommand && key === "y") step("redo");
    else if (key === "enter") {
      const start = area.value.lastIndexOf("\n", area.selectionStart - 1) + 1, own = area.value.slice(start, area.selectionStart);
      insert(`\n${/^ */.exec(own)[0]}${/:\s*$/.test(own) ? "  " : ""}`, area.selectionStart, area.selectionEnd);
    } else return;
    event.preventDefault();
  });
  area.addEventListener("mousemove", (event) => {
    if (!schema) return;
    const box = area.getBoundingClientRect(), { high, wide } = metrics();
    const row = Math.floor((event.clientY - box.top - 6 + area.scrollTop) / high), column = Math.floor((event.clientX - box.left - 8 + area.scrollLeft) / wide);
    const lines = area.value.split("\n"), own = lines[row];
    hover.hidden = own === undefined || column >= own.length || !/[\w]/.test(own[column] || "");
    if (hover.hidden) return;
    const text = schema.help(wordAt(lines.slice(0, row).join("\n").length + (row ? 1 : 0) + column));
    hover.hidden = !text;
    hover.textContent = text;
    hover.style.left = `${Math.min(event.clientX - box.left + 20, Math.max(0, box.width - 330))}px`;
    hover.style.top = `${(row + 1) * high + 10 - area.scrollTop}px`;
  });
  area.addEventListener("mouseleave", () => { hover.hidden = true; });
  return { area, text: () => area.value, schema: () => schema, isDirty, version: () => version };
}
