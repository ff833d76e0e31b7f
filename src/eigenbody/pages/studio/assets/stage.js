// The mechanism in 3-D with the chosen mode moving, by the viewer of the report. It follows rest poses at once, and is
// drawn anew when what is drawn has changed.

import { $, make } from "./dom.js";

export function makeStage({ line, now, painters, isDark, tellUser }) {
  const host = $("view");
  const hasCard = EB.hasGraphicsCard();
  const pause = () => (hasCard ? 0 : now.awaits ? 250 : 120); // milliseconds between pictures where the processor draws them: the poles go first
  let isHeld = false, isStale = false, drawn = 0, scene = null, player = null, drawing = null, built = null, motion = null, seen = 0, last = performance.now(), loads = [], camera = null;

  function build() {
    if (!drawing) return;
    try {
      if (scene) { camera = scene.camera(); scene.dispose(); }
      scene = EB.makeScene(window.THREE, host, drawing);
      built = drawing;
    } catch (error) {
      scene = null;
      host.textContent = `The mechanism cannot be drawn here: ${error.message}`;
      return;
    }
    if (camera) scene.seeFrom(camera);
    scene.paint(isDark());
    scene.canvas.setAttribute("aria-label", `The mechanism in 3-D: ${$("name").textContent}`);
    const before = player;
    player = EB.makePlayer(scene, { scene: drawing, modes: [{ scale: 0, hz: 1 }], shapes: "", motion });
    if (before) { player.amplitude = before.amplitude; player.playing = before.playing; player.phase = before.phase; }
    if (motion) { player.what = "motion"; player.playing = true; }
    follow();
    arrows();
    refresh();
  }
  function follow() { // rest poses and the shape of the chosen mode
    const m = now.state;
    isStale = false;
    if (!scene || !m || m.rest.length !== scene.count) return;
    m.rest.forEach((pose, i) => Object.assign(scene.rest[i], { p: pose.slice(0, 3), q: pose.slice(3) }));
    if (!m.shape) { scene.rest.forEach((r, i) => Object.assign(scene.now[i], { p: r.p.slice(), q: r.q.slice() })); scene.dirty(); return; }
    player.load({ modes: [{ scale: (m.shape.scale * scene.size) / m.shape.size, hz: m.shape.hz }], shapes: m.shape.motion, bends: m.shape.bends });
  }
  function arrows() {
    const shown = $("show-forces").checked;
    if (scene) scene.showArrows(shown ? loads.map((r) => ({ at: r.at, vector: r.arrow })) : []);
  }
  line.on("scene", (m) => { drawing = m.drawing; EB.unpackMeshes(drawing.meshes).then(() => { if (!isHeld) build(); }); });
  line.on("state", (m) => { isStale = true; if (m.seq > seen) modes(); }); // shown with the next picture
  line.on("loads", (m) => { loads = m.reactions; arrows(); });
  line.on("model", modes);
  line.on("motion", (m) => { motion = m.motion; seen = now.seq; build(); });
  function modes() { if (motion) { motion = null; build(); } } // what is turned after a simulation is shown, not its motion

  function frame(time) {
    if (scene && player) {
      if (player.playing) scene.pace(time - last);
      player.step(Math.min(0.1, (time - last) / 1000));
      if (time - drawn >= pause() && host.offsetParent) {
        if (isStale && !motion) follow();
        scene.draw();
        drawn = time;
      }
    }
    last = time;
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);

  // ---- controls
  function refresh() {
    const on = !!player && player.playing;
    $("play").setAttribute("aria-label", on ? "Pause" : "Play");
    $("play").dataset.state = on ? "playing" : "paused";
  }
  $("play").addEventListener("click", () => { if (player) { player.play(!player.playing); refresh(); } });
  $("amplitude").addEventListener("input", (event) => { if (player) player.setAmplitude(Number(event.target.value)); });
  $("show-forces").addEventListener("change", arrows);
  const views = document.querySelector("#middle .views");
  for (const name of ["oblique", "front", "side", "top"]) views.append(make("button", { type: "button", text: name, "aria-label": `View: ${name}`, onclick: () => scene && scene.view(name) }));
  painters.push((dark) => { if (scene) scene.paint(dark); });

  return {
    scene: () => scene, player: () => player,
    /** Keep the drawing, and with it what a pixel means, while the hand moves a point of it; bodies still follow. @param {boolean} on */
    hold(on) { isHeld = on; if (!on && scene && drawing !== built) build(); },
    /** Times of the simulated motion that is shown, s; null where a mode is. */
    times: () => (motion ? motion.times : null),
    /** Back to modes after a simulated motion. */
    modes,
    tellUser,
  };
}
