// Handles on points of the drawing: moved by pointer or arrow keys, the numbers of the file follow.

import { $, make } from "./dom.js";

export function makeDrag({ line }, stage) {
  const host = $("view"), button = $("drag");
  /** @type {{path: string, at: number[], unit: number[]}[]} */
  let points = [];
  /** @type {{point: any, handle: any, at: number[], written: number[]}[]} */
  let handles = [];
  /** @type {typeof handles[0] | null} */
  let held = null; // what the hand has
  let isOn = false, isWriting = false, steps = Math.floor(1e9 * Math.random());

  /** Steps that a screen can show: a thousandth of the size of the mechanism, as a round number. */
  function step() { const scene = stage.scene(); return 10 ** Math.floor(Math.log10(scene.size / 200)); }
  const rounded = (at) => at.map((v) => Number((Math.round(v / step()) * step()).toPrecision(8)));

  /** Numbers of the file that are not where the handle is. */
  function changed(one) {
    const values = {};
    rounded(one.at).forEach((v, i) => { if (Math.abs(v - one.written[i]) > 0.4 * step()) values[`${one.point.path}[${i}]`] = Number((v / one.point.unit[i]).toPrecision(8)); });
    return values;
  }
  /** Write the numbers; all of one drag are one step of undo. */
  function write(one) {
    const values = changed(one);
    if (!Object.keys(values).length || isWriting) return;
    isWriting = line.say("drag", { values, step: steps });
    if (isWriting) rounded(one.at).forEach((v, i) => { if (`${one.point.path}[${i}]` in values) one.written[i] = v; });
  }
  line.on("document", (m) => { isWriting = false; if (held) write(held); });
  line.on("down", () => { isWriting = false; });
  function build() {
    for (const one of handles) one.handle.remove();
    handles = [];
    host.classList.toggle("dragging", isOn);
    if (!isOn) return;
    handles = points.map((point) => {
      const handle = make("button", { type: "button", class: "handle", "aria-label": `Move ${point.path}`, title: point.path });
      const one = { point, handle, at: point.at.slice(), written: point.at.slice() };
      let from = [0, 0];
      handle.addEventListener("pointerdown", (event) => { from = [event.clientX, event.clientY]; held = one; steps += 1; stage.hold(true); handle.setPointerCapture(event.pointerId); });
      handle.addEventListener("pointermove", (event) => {
        if (held !== one) return;
        one.at = stage.scene().unplaced(point.at, event.clientX - from[0], event.clientY - from[1]);
        write(one);
      });
      const leave = () => {
        if (held !== one) return;
        held = null;
        if (isWriting) setTimeout(function last() { if (isWriting) setTimeout(last, 20); else { write(one); stage.hold(false); } }, 20);
        else { write(one); stage.hold(false); }
      };
      handle.addEventListener("pointerup", leave);
      handle.addEventListener("pointercancel", leave);
      handle.addEventListener("keydown", (event) => {
        const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
        if (!way) return;
        event.preventDefault();
        steps += 1;
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
    if (held) return; // the hand has one of them
    build();
    const again = handles.find((one) => one.handle.getAttribute("aria-label") === focused);
    if (again) again.handle.focus();
  });
}
