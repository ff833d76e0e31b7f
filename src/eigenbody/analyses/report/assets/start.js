// Puts the page together: unpacks the libraries, builds the scene, connects the controls.
"use strict";

(async function () {
  const $ = (id) => document.getElementById(id);
  const root = document.documentElement, data = JSON.parse($("data").textContent), nonce = $("start").nonce;
  const loaded = new Map();

  function load(id) { // a library that the page carries, gzip in base64
    if (!loaded.has(id)) loaded.set(id, unpack(id));
    return loaded.get(id);
  }
  async function unpack(id) {
    const holder = $(id), stream = EB.inflated(holder.textContent.trim());
    const script = document.createElement("script");
    script.nonce = nonce;
    script.textContent = await new Response(stream).text();
    document.head.appendChild(script);
    script.remove();
    holder.remove();
  }
  async function three() {
    const library = {};
    window.define = (needs, make) => make(library);
    window.define.amd = true;
    await load("library-3d");
    delete window.define;
    return library;
  }

  // ---- light and dark

  const prefersDark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : prefersDark.matches);
  const listeners = [];
  function repaint() { for (const listener of listeners) listener(isDark()); }
  const button = $("theme");
  if (button) button.addEventListener("click", () => { root.dataset.theme = isDark() ? "light" : "dark"; repaint(); });
  prefersDark.addEventListener("change", repaint);

  document.addEventListener("keydown", (e) => { if (e.key === "Tab") root.dataset.keyboard = "yes"; });

  // ---- charts

  const charts = EB.makeCharts(data.charts || {}, async () => { await load("library-charts"); return window.Plotly; });
  listeners.push(() => charts.repaint());
  EB.forPaper(charts, repaint);

  // ---- the mechanism

  if (location.hash === "#high-quality") EB.quality = "high"; // for pictures made without a graphics card
  window.eigenbody = { ready: false, charts };
  const host = $("view");
  let scene;
  try {
    await EB.unpackMeshes(data.scene.meshes);
    scene = EB.makeScene(await three(), host, data.scene);
  } catch (error) {
    host.classList.add("failed");
    host.textContent = `The mechanism cannot be drawn here: this browser offers no WebGL 2 (${error.message}). The tables below are complete.`;
    window.eigenbody.ready = true;
    charts.atLeisure();
    return;
  }
  scene.canvas.setAttribute("aria-label", `The mechanism in 3-D: ${data.name}`);
  scene.canvas.setAttribute("aria-describedby", "keys");
  scene.paint(isDark());
  listeners.push((dark) => scene.paint(dark));
  const player = EB.makePlayer(scene, data);
  EB.connect(player, scene, data);
  player.select(data.first || 0);
  player.pose();
  let last = performance.now();
  function frame(time) {
    if (player.playing) scene.pace(time - last);
    player.step(Math.min(0.1, (time - last) / 1000));
    last = time;
    scene.draw();
    requestAnimationFrame(frame);
  }
  requestAnimationFrame(frame);
  charts.atLeisure();
  if (document.activeElement === document.body) scene.canvas.focus({ preventScroll: true });
  Object.assign(window.eigenbody, {
    ready: true, player, scene,
    bodies: () => data.scene.bodies.map((b, i) => ({ name: b.name, position: scene.now[i].p.slice(), quaternion: scene.now[i].q.slice(), rest: scene.rest[i].p.slice() })),
    vertices: () => scene.bent.map((p) => p.slice()), // of flexible bodies
  });
})();
