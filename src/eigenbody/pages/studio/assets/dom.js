// Elements of the page. Text is set as text, never as markup.

/** @param {string} id @returns {any} */
export const $ = (id) => document.getElementById(id);

/**
 * An element with attributes and children.
 * @param {string} tag
 * @param {Record<string, any>} [given] attributes; `on` + event for listeners, `text` for text
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function make(tag, given = {}, ...children) {
  const item = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name === "text") item.textContent = value;
    else if (name.startsWith("on")) item.addEventListener(name.slice(2), value);
    else if (value === true) item.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) item.setAttribute(name, String(value));
  }
  item.append(...children);
  return item;
}

/** A number with few digits. @param {number | null | undefined} value @param {number} [digits] */
export const few = (value, digits = 5) => (value === null || value === undefined || !Number.isFinite(value) ? "–" : String(Number(value.toPrecision(digits))));

/** Call at most once a pause after the last request. @param {() => void} run @param {number} pause milliseconds */
export function debounced(run, pause) {
  let timer = 0;
  return { soon() { clearTimeout(timer); timer = setTimeout(run, pause); }, now() { clearTimeout(timer); run(); }, never() { clearTimeout(timer); } };
}

/** Call at once, but not more often than once a pause; the last request is never lost. @param {() => void} run @param {number} pause milliseconds */
export function paced(run, pause) {
  let timer = 0, last = -Infinity;
  function go() { timer = 0; last = performance.now(); run(); }
  return () => {
    if (timer) return;
    const left = pause - (performance.now() - last);
    if (left <= 0) go(); else timer = setTimeout(go, left);
  };
}

/** Give something to the reader as a file. @param {Blob | string} content or its address @param {string} name */
export function save(content, name) {
  const href = typeof content === "string" ? content : URL.createObjectURL(content);
  make("a", { href, download: name }).click();
  if (typeof content !== "string") setTimeout(() => URL.revokeObjectURL(href), 60000);
}
