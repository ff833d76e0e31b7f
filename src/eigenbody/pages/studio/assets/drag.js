// Handles on points of the drawing: moved by pointer or arrow keys, the numbers of the file follow.

import { $, make } from "./dom.js";

export function makeDrag({ line }, stage) {
  const host = $("view"), button = $("drag");
  /** @type {{path: string, at: number[], unit: number[]}[]} */
  let points = [];
  /** @type {{point: any, handle: any, at: number[]}[]} */
  let handles = [];
  let isOn = false;

  /** Steps that a screen can show: a thousandth of the size of the mechanism, as a round number. */
  function step() { const scene = stage.scene(); return 10 ** Math.floor(Math.log10(scene.size / 200)); }
  const rounded = (at) => at.map((v) => Number((Math.round(v / step()) * step()).toPrecision(8)));

  function write(one) {
    const values = {};
    rounded(one.at).forEach((v, i) => { if (Math.abs(v - one.point.at[i]) > 0.4 * step()) values[`${one.point.path}[${i}]`] = Number((v / one.point.unit[i]).toPrecision(8)); });
    if (Object.keys(values).length) line.say("keep", { values });
  }
  function build() {
    for (const one of handles) one.handle.remove();
    handles = [];
    host.classList.toggle("dragging", isOn);
    if (!isOn) return;
    handles = points.map((point) => {
      const handle = make("button", { type: "button", class: "handle", "aria-label": `Move ${point.path}`, title: point.path });
      const one = { point, handle, at: point.at.slice() };
      let held = null;
      handle.addEventListener("pointerdown", (event) => { held = [event.clientX, event.clientY]; handle.setPointerCapture(event.pointerId); });
      handle.addEventListener("pointermove", (event) => {
        if (held) one.at = stage.scene().unplaced(point.at, event.clientX - held[0], event.clientY - held[1]);
      });
      handle.addEventListener("pointerup", () => { if (held) { held = null; write(one); } });
      handle.addEventListener("pointercancel", () => { held = null; one.at = point.at.slice(); });
      handle.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (!way) return;
        event.preventDefault();
        one.at = stage.scene().unplaced(point.at, 8 * way[0], 8 * way[1]);
        write(one);
      });
      host.append(handle);
      return one;
    });
    place();
  }
  function place() {
    if (!isOn) return;
    const scene = stage.scene();
    if (scene) for (const { handle, at } of handles) { const [x, y] = scene.placed(at); handle.style.transform = `translate(${x}px, ${y}px)`; }
    requestAnimationFrame(place);
  }
  button.addEventListener("click", () => {
    isOn = !isOn;
    button.setAttribute("aria-pressed", String(isOn));
    const player = stage.player();
    if (player && isOn) player.setAmplitude(0); else if (player) player.setAmplitude(Number($("amplitude").value));
    build();
  });
  line.on("model", (m) => {
    const focused = document.activeElement && document.activeElement.getAttribute("aria-label");
    points = m.points;
    build();
    const again = handles.find((one) => one.handle.getAttribute("aria-label") === focused);
    if (again) again.handle.focus();
  });
}
