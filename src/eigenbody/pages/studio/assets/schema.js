// What may stand where in a model file: from the JSON schema that the server makes of its vocabulary.

/** @typedef {{path: string[], word: string, start: number, isKey: boolean, type: string}} Place */

/**
 * The place of a position in YAML text: keys around it, the word there, whether that is a key, the `type` of its entry.
 * Block maps are told by their indentation, flow maps and lists by their brackets.
 * @param {string} text @param {number} at @returns {Place}
 */
export function placeAt(text, at) {
  const head = text.slice(0, at);
  /** @type {{indent: number, key: string}[]} */
  let blocks = [];
  /** @type {{open: string, key: string}[]} */
  let flow = [];
  let word = "", isKey = true, quote = "", key = "", indent = 0, isLineStart = true;
  for (let i = 0; i < head.length; i++) {
    const c = head[i];
    if (quote) { if (c === quote) quote = ""; else word += c; continue; }
    if (c === "\n") {
      if (!flow.length) { isLineStart = true; indent = 0; isKey = true; key = ""; }
      word = "";
      continue;
    }
    if (isLineStart && !flow.length) {
      if (c === " ") { indent += 1; continue; }
      isLineStart = false;
      blocks = blocks.filter((b) => b.indent < indent);
    }
    if (c === "#" && (i === 0 || /\s/.test(head[i - 1]))) { while (i + 1 < head.length && head[i + 1] !== "\n") i++; word = ""; isKey = false; continue; }
    if (c === '"' || c === "'") { quote = c; word = ""; continue; }
    if (c === ":" && (head[i + 1] === undefined || /\s/.test(head[i + 1]))) {
      key = word.trim();
      if (flow.length) flow[flow.length - 1].key = key; else blocks.push({ indent, key });
      word = ""; isKey = false;
    } else if (c === "{" || c === "[") { flow.push({ open: c, key: "" }); word = ""; isKey = c === "{"; }
    else if (c === "}" || c === "]") { flow.pop(); word = ""; isKey = false; }
    else if (c === "," && flow.length) { const top = flow[flow.length - 1]; isKey = top.open === "{"; if (isKey) top.key = ""; word = ""; }
    else { if (word || !/\s/.test(c)) word += c; }
  }
  if (isLineStart && !flow.length) blocks = blocks.filter((b) => b.indent < indent);
  const path = [...blocks.map((b) => b.key), ...flow.filter((f) => f.open === "{" && f.key).map((f) => f.key)];
  return { path, word: word.trimStart(), start: at - word.trimStart().length, isKey, type: typeOf(text, at, path) };
}

/** The `type` that the entry around a position says. @param {string} text @param {number} at @param {string[]} path */
function typeOf(text, at, path) {
  if (path.length < 2) return "";
  const lines = text.split("\n"), row = text.slice(0, at).split("\n").length - 1;
  const indentOf = (line) => line.length - line.trimStart().length;
  const isEntry = (line) => line.trimStart().replace(/^["']/, "").startsWith(path[1]) && indentOf(line) > 0;
  let first = row;
  while (first > 0 && !isEntry(lines[first])) first -= 1;
  let last = first + 1;
  while (last < lines.length && (!lines[last].trim() || indentOf(lines[last]) > indentOf(lines[first]))) last += 1;
  const found = /\btype:\s*["']?([\w-]+)/.exec(lines.slice(first, last).join("\n"));
  return found ? found[1] : "";
}

/** Help and completion for places. @param {any} schema */
export function makeSchema(schema) {
  const deref = (node) => (node && node.$ref ? { ...schema.$defs[node.$ref.split("/").pop()], ...(node.description ? { description: node.description } : {}) } : node);
  /** The schemas that may stand at a path. @param {string[]} path @param {string} type */
  function nodesAt(path, type) {
    let nodes = [schema];
    path.forEach((key, depth) => {
      nodes = nodes.flatMap((node) => inside(deref(node), key, depth === 1 ? "" : type)).map(deref);
    });
    return nodes.flatMap((node) => alternatives(deref(node), type));
  }
  function alternatives(node, type) {
    if (!node) return [];
    const out = [node];
    for (const one of node.anyOf || node.oneOf || []) out.push(...alternatives(deref(one), type));
    for (const one of node.allOf || []) if (one.then && type && one.if.properties.type.const === type) out.push(...alternatives(deref(one.then), type));
    return out;
  }
  function inside(node, key, type) {
    return alternatives(node, type).flatMap((one) => {
      if (one.properties && one.properties[key]) return [one.properties[key]];
      return one.additionalProperties && typeof one.additionalProperties === "object" ? [one.additionalProperties] : [];
    });
  }
  /** What the schema says of the key at a place. @param {Place} place */
  function help(place) {
    const key = place.isKey ? place.word : "";
    const path = key ? [...place.path, key] : place.path;
    for (let depth = path.length; depth > 0; depth--) {
      const found = nodesAt(path.slice(0, depth), place.type).map((n) => n.description).find(Boolean);
      if (found) return `${path.slice(0, depth).join(".")}: ${found}`;
    }
    return "";
  }
  /**
   * What may be written at a place: keys, words, names of the model.
   * @param {Place} place @param {Record<string, string[]>} names by section
   * @returns {{text: string, help: string}[]}
   */
  function completions(place, names) {
    const nodes = nodesAt(place.path, place.type), out = new Map();
    const put = (text, said) => { if (text && !out.has(text)) out.set(text, { text, help: said || "" }); };
    if (place.isKey) for (const node of nodes) for (const [key, own] of Object.entries(node.properties || {})) put(`${key}: `, deref(own).description);
    else {
      for (const node of nodes) {
        for (const word of node.enum || []) put(String(word), "");
        if (node.const !== undefined) put(String(node.const), "");
      }
      const last = place.path[place.path.length - 1] || "";
      const bodies = [...(names.bodies || []), ...(names.flexible || []), ...(names.markers || [])];
      if (["between", "body", "bodies"].includes(last)) for (const name of ["ground", ...bodies]) put(name, "body");
      if (["along", "measure", "measures", "of", "coordinates"].includes(last)) for (const name of [...(names.measures || []), ...(names.joints || [])]) put(name, "measure");
      if (last === "joints") for (const name of names.joints || []) put(name, "joint");
    }
    const typed = place.word.toLowerCase();
    return [...out.values()].filter((one) => one.text.toLowerCase().startsWith(typed) && one.text.trim() !== place.word).slice(0, 60);
  }
  return { help, completions, nodesAt, deref };
}
