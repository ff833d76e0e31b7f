// The model as a form: every number and word of the file in a field of its own; a change becomes a change of the text.

import { $, make } from "./dom.js";
import { placeAt } from "./schema.js";

/** Scalars of YAML text with their places. @param {string} text @returns {{path: string[], from: number, to: number, text: string}[]} */
export function scalarsOf(text) {
  const out = [], pattern = /("(?:[^"\\\n]|\\.)*"|'[^'\n]*')|#[^\n]*|([^\s#:{}[\],"'][^#{}[\],\n"']*)/g;
  for (const m of text.matchAll(pattern)) {
    const own = m[1] || (m[2] || "").trimEnd();
    const end = m.index + own.length;
    if (!own || /^[^:]*:(\s|$)/.test(text.slice(m.index, end + 2)) || text[end] === ":") {
      const colon = own.indexOf(": ");
      if (m[2] && colon > 0 && own.slice(colon + 2).trim()) { // key: value on one line, without brackets
        const value = own.slice(colon + 1).trimStart(), from = end - value.length;
        out.push({ path: placeAt(text, from).path, from, to: end, text: value });
      }
      continue;
    }
    out.push({ path: placeAt(text, m.index).path, from: m.index, to: end, text: own });
  }
  return out;
}

export function makeForm({ line }, editor) {
  const host = $("form");
  const isShown = () => !host.hidden;
  function show(asForm) {
    host.hidden = !asForm;
    $("editor").hidden = asForm;
    $("as-form").setAttribute("aria-pressed", String(asForm));
    $("as-text").setAttribute("aria-pressed", String(!asForm));
    if (asForm) build();
  }
  function build() {
    const text = editor.text(), groups = new Map(), focused = document.activeElement && document.activeElement.getAttribute("data-path");
    for (const one of scalarsOf(text)) {
      if (!one.path.length) continue;
      const head = one.path.slice(0, one.path[0] === "parameters" ? 1 : 2).join(" · ");
      groups.set(head, [...(groups.get(head) || []), one]);
    }
    const schema = editor.schema();
    host.replaceChildren(...[...groups].map(([head, items]) => {
      const count = new Map();
      return make("fieldset", {}, make("legend", { text: head }), ...items.map((one) => {
        const name = one.path.slice(one.path[0] === "parameters" ? 1 : 2).join(".") || one.path[one.path.length - 1];
        const nth = (count.get(name) || 0) + 1, several = items.filter((o) => o.path.join("\0") === one.path.join("\0")).length > 1;
        count.set(name, nth);
        const label = several ? `${name} ${nth}` : name, said = schema ? schema.help({ path: one.path, word: "", start: 0, isKey: false, type: placeAt(text, one.from).type }) : "";
        const plain = one.text.replace(/^(["'])(.*)\1$/s, "$2");
        const field = make("input", { value: plain, "data-path": `${one.path.join("\0")}\0${nth}`, title: said, "aria-label": `${head} · ${label}` });
        field.addEventListener("change", () => write(one, field.value));
        return make("label", {}, make("span", { text: label, title: said }), field);
      }));
    }));
    const again = focused && [...host.querySelectorAll("input")].find((f) => f.getAttribute("data-path") === focused);
    if (again) again.focus();
  }
  function write(one, value) {
    const isQuoted = /^["']/.test(one.text), needs = /[:#{}[\],]|^[=*&!%@`'"]|\s/.test(value);
    const written = isQuoted || needs ? JSON.stringify(value) : value;
    const text = editor.text();
    editor.area.value = text.slice(0, one.from) + written + text.slice(one.to);
    editor.area.dispatchEvent(new Event("input"));
    build();
  }
  line.on("document", (m) => { if (isShown() && m.text !== undefined) setTimeout(build, 0); });
  $("as-form").addEventListener("click", () => show(true));
  $("as-text").addEventListener("click", () => show(false));
}
