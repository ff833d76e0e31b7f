// Puts the page together: the line to the server, and the parts that show what comes over it.

import { $, save } from "./dom.js";
import { lineOver, openLine } from "./socket.js";
import { makeEditor } from "./editor.js";
import { makeForm } from "./form.js";
import { makeKnobs } from "./knobs.js";
import { makeModes } from "./modes.js";
import { makePoles } from "./poles.js";
import { makeStage } from "./stage.js";
import { makePanels } from "./panels.js";
import { makeFind } from "./find.js";
import { makeMap } from "./map.js";
import { makeCampbell } from "./campbell.js";
import { makeCompare } from "./compare.js";
import { makeDrag } from "./drag.js";
import { makeFiles } from "./files.js";
import { makePictures } from "./pictures.js";
import { makeShots } from "./shots.js";

const root = document.documentElement;
const line = EB.embedded ? lineOver(EB.embedded.port) : openLine();
if (!EB.embedded) history.replaceState(null, "", "/"); // the token is in a cookie now: not in bookmarks, nor in what is sent on
/** What the parts of the page know together: written where messages come in, read everywhere. */
const now = { seq: 0, version: 0, selected: -1, knobs: [], values: {}, state: null, labels: [], slopes: {}, names: {}, knob: "" };
const { on } = line;

// ---- light and dark
const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
const painters = [];
const repaint = () => { for (const paint of painters) paint(isDark()); };
$("theme").addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; repaint(); });
prefersDark.addEventListener("change", repaint);
document.addEventListener("keydown", (event) => { if (event.key === "Tab") root.dataset.keyboard = "yes"; });

// ---- what is said
const message = $("message");
/** @param {string} text */
export function tellUser(text) { message.textContent = text; message.hidden = !text; }
on("failed", (m) => tellUser(["turn", "follow"].includes(m.what) ? `At these numbers: ${m.message}` : m.message));
on("faults", () => tellUser(""));
on("state", () => { if (message.textContent.startsWith("At these numbers")) tellUser(""); });
on("up", () => { root.dataset.line = "up"; tellUser(""); });
on("down", (m) => {
  root.dataset.line = "down";
  tellUser(m.isRefused ? "The studio was started anew: open the address that it printed. What was typed here is still here." : "The studio does not answer. What was typed here is kept; it is sent when the studio is back.");
});
on("document", (m) => { if (m.note) tellUser(m.note); });
on("busy", (m) => {
  $("stop").hidden = !m.what;
  $("stop").textContent = m.what ? `Stop: ${m.stage}${m.share === null ? "" : ` ${Math.round(100 * m.share)} %`}` : "Stop";
});
$("stop").addEventListener("click", () => line.say("stop"));
$("report").addEventListener("click", () => line.say("report", { values: now.values }));
on("report", (m) => save(m.html ? new Blob([m.html], { type: "text/html" }) : m.address, "report.html"));

// ---- what is known
on("model", (m) => {
  Object.assign(now, { version: m.version, knobs: m.knobs, values: { ...m.values }, names: m.names, selected: -1, slopes: {}, labels: [] });
  $("name").textContent = m.name;
  $("summary").textContent = m.summary;
  document.title = `${m.name} · eigenbody studio`;
});
on("state", (m) => {
  now.state = m;
  now.selected = m.selected;
  const badge = $("verdict");
  badge.hidden = false;
  badge.className = `badge ${m.stability}`;
  if (badge.textContent !== m.verdict) badge.textContent = m.verdict;
});
on("detail", (m) => { now.labels = m.labels; });
on("slopes", (m) => { now.slopes = m.slopes; });

const parts = { line, now, painters, isDark, tellUser };
const editor = makeEditor(parts);
makeForm(parts, editor);
const knobs = makeKnobs(parts);
makeModes(parts, knobs);
const poles = makePoles(parts);
const stage = makeStage(parts);
const panels = makePanels(parts);
makeFind(parts, panels);
makeMap(parts, panels, knobs);
makeCampbell(parts, panels, knobs);
makeCompare(parts, panels);
makeFiles(parts);
makeDrag(parts, stage);
makeShots(parts, panels, stage, poles, editor, makePictures(parts, stage));
Object.assign(window, { studio: { now, editor, knobs, stage, poles, line } });
line.open();
