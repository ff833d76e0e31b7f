// The models of the folder, and new ones.

import { $, make } from "./dom.js";

export function makeFiles({ line }) {
  const pane = $("files");
  function show(on) {
    pane.hidden = !on;
    $("files-button").setAttribute("aria-expanded", String(on));
    if (on) line.say("folder");
  }
  line.on("folder", (m) => {
    $("file-list").replaceChildren(...m.files.map((path) => make("button", { type: "button", text: path, onclick: () => { line.say("open", { path }); show(false); } })));
    if (!m.files.length) $("file-list").append(make("p", { class: "why", text: "There are none yet: begin a new one." }));
    $("starters").replaceChildren(...m.starters.map((one) => make("button", { type: "button", text: one.title, "data-starter": one.of, onclick: () => line.say("new", { of: one.of, path: $("new-path").value.trim() }) })));
    if (!$("path").textContent) pane.hidden = false;
  });
  line.on("document", (m) => { if (m.text !== undefined && m.path !== pane.dataset.path) { pane.dataset.path = m.path; show(false); } });
  $("files-button").addEventListener("click", () => show(pane.hidden));
  $("new-form").addEventListener("submit", (event) => event.preventDefault());
}
