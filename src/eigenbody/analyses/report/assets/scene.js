// The mechanism in 3-D: instanced primitives carried by bodies, links that stretch, an orbit camera, names under the pointer.
// Positions are kept in metres; only what goes to the graphics card is scaled, so that tiny and huge mechanisms look alike.
"use strict";

EB.whirls = { forward: "#1a8fe3", backward: "#e8641b", straight: "#8a94a6" }; // colours of orbits by their sense
EB.palette = ["#4c78a8", "#e49444", "#59a14f", "#b07aa1", "#d1605e", "#5fa2a0", "#c9a227", "#8c6d5a"];

// False where the processor draws in place of a graphics card: then shadows and smooth edges cost too much.
EB.hasGraphicsCard = function () {
  const gl = document.createElement("canvas").getContext("webgl2");
  const info = gl && gl.getExtension("WEBGL_debug_renderer_info");
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
  if (gl) { const lose = gl.getExtension("WEBGL_lose_context"); if (lose) lose.loseContext(); }
  return EB.quality === "high" || !/swiftshader|llvmpipe|software|basic render/i.test(name);
};

EB.makeScene = function (THREE, host, drawing) {
  const size = drawing.size, count = drawing.bodies.length;
  const centre = new THREE.Vector3(...drawing.centre), up = new THREE.Vector3(...drawing.up);
  const scaled = (p) => new THREE.Vector3(...p).sub(centre).divideScalar(size);
  const hasCard = EB.hasGraphicsCard();
  THREE.ColorManagement.legacyMode = false; // colours as screens mean them, light as physics does
  const renderer = new THREE.WebGLRenderer({ antialias: hasCard, alpha: true, preserveDrawingBuffer: true });
  renderer.outputEncoding = THREE.sRGBEncoding;
  renderer.physicallyCorrectLights = true;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = THREE.PCFShadowMap;
  renderer.setPixelRatio(Math.min(window.devicePixelRatio || 1, 2));
  const canvas = renderer.domElement;
  canvas.tabIndex = 0;
  canvas.setAttribute("role", "img");
  host.appendChild(canvas);
  const world = new THREE.Scene();
  const still = new THREE.Matrix4().makeScale(1 / size, 1 / size, 1 / size).setPosition(scaled([0, 0, 0]));
  const rest = drawing.bodies.map((b) => ({ p: b.r.slice(), q: b.q.slice() }));
  const now = drawing.bodies.map((b) => ({ p: b.r.slice(), q: b.q.slice() }));
  const corners = (drawing.lines || []).flatMap((line) => line.points); // vertices of what bends, at rest
  const bent = corners.map((p) => p.slice()); // and now
  const turns = corners.map(() => [0, 0, 0, 1]); // how they have turned since

  // ---- light and ground

  const sky = new THREE.HemisphereLight(0xffffff, 0x8a94a6, 2.1);
  sky.position.copy(up);
  const sun = new THREE.DirectionalLight(0xffffff, 2.3);
  const side = new THREE.Vector3(1, 0, 0).cross(up).lengthSq() > 0.1 ? new THREE.Vector3(1, 0, 0) : new THREE.Vector3(0, 1, 0);
  const east = side.sub(up.clone().multiplyScalar(side.dot(up))).normalize(), north = up.clone().cross(east);
  sun.position.copy(up).multiplyScalar(3).addScaledVector(east, 1.2).addScaledVector(north, -1.8);
  sun.castShadow = hasCard;
  Object.assign(sun.shadow.camera, { left: -1.6, right: 1.6, top: 1.6, bottom: -1.6, near: 0.5, far: 8 });
  sun.shadow.mapSize.set(1024, 1024);
  sun.shadow.bias = -0.0008;
  sun.shadow.normalBias = 0.01;
  const height = drawing.floor / size - centre.dot(up) / size;
  const upright = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), up);
  const floor = new THREE.Mesh(new THREE.PlaneGeometry(12, 12), new THREE.ShadowMaterial({ opacity: 0.16 }));
  floor.quaternion.copy(upright);
  floor.position.copy(up).multiplyScalar(height);
  floor.receiveShadow = true;
  const grid = new THREE.LineSegments(EB.gridGeometry(THREE), new THREE.LineBasicMaterial({ vertexColors: true, transparent: true }));
  grid.quaternion.copy(upright);
  grid.position.copy(up).multiplyScalar(height + 0.001);
  world.add(sky, sun, floor, grid);

  // ---- primitives

  const geometries = EB.unitGeometries(THREE, drawing);
  /** @type {any[]} */
  const items = []; // {kind, on, local, part} or {kind, link}
  for (const part of drawing.parts) {
    const local = new THREE.Matrix4().compose(new THREE.Vector3(...part.p), new THREE.Quaternion(...part.q), new THREE.Vector3(...part.s));
    items.push({ kind: part.kind === "mesh" ? `mesh ${part.mesh}` : part.kind, on: part.on, local, source: part });
  }
  for (const link of drawing.links) {
    const pieces = { bar: ["whole"], coil: ["whole"], damper: ["tube", "rod"] }[link.kind] || [];
    for (const piece of pieces) items.push({ kind: "cylinder", link, piece, source: link });
    if (link.kind === "coil") { // springs of like proportions share a geometry
      const item = items[items.length - 1], length = scaled(drawnPoint(link.a, link.p)).distanceTo(scaled(drawnPoint(link.b, link.q)));
      item.high = Math.max(2, Math.min(60, Number(((length * size) / (1.2 * link.radius)).toPrecision(2))));
      item.kind = `coil ${item.high}`;
    }
  }
  let corner = 0;
  const lofts = []; // beams with their sections
  const sections = (drawing.lines || []).reduce((sum, line) => sum + line.points.length, 0) + drawing.links.length;
  for (const line of drawing.lines || []) {
    if (line.isLine) lofts.push({ source: line, start: corner, ...EB.loft(THREE, line, sections < 600) });
    else line.points.forEach((p, k) => items.push({ kind: "sphere", vertex: corner + k, source: line }));
    corner += line.points.length;
  }
  for (const link of drawing.links) if (link.kind === "beam") { // bends between its ends
    const half = [link.section.slice(0, 3), link.section.slice(3)].flatMap((v) => new THREE.Vector3(...v).applyQuaternion(new THREE.Quaternion(...(link.a < 0 ? [0, 0, 0, 1] : rest[link.a].q))).toArray());
    lofts.push({ source: link, link, start: 0, ...EB.loft(THREE, { sections: Array(24).fill(half), isRound: false }, false) });
  }
  function drawnPoint(on, p) { // at rest, in metres
    const v = new THREE.Vector3(...p);
    return (on < 0 ? v : v.applyQuaternion(new THREE.Quaternion(...rest[on].q)).add(new THREE.Vector3(...rest[on].p))).toArray();
  }
  const meshes = [], ghosts = [];
  for (const key of new Set(items.map((i) => `${i.source.layer} ${i.source.clear ? "clear" : "solid"} ${i.kind}`))) {
    const [layer, sight, ...words] = key.split(" "), kind = words.join(" ");
    const own = items.filter((i) => i.kind === kind && i.source.layer === layer && Boolean(i.source.clear) === (sight === "clear"));
    const metal = { body: 0.1, joint: 0.55, force: 0.45 }[layer] || 0;
    const material = new THREE.MeshStandardMaterial({ roughness: layer === "body" ? 0.55 : 0.45, metalness: metal });
    if (sight === "clear") Object.assign(material, { transparent: true, opacity: 0.35, depthWrite: false });
    if (kind.startsWith("mesh")) material.side = THREE.DoubleSide; // nobody promises that a mesh is closed
    const mesh = new THREE.InstancedMesh(geometries[kind.split(" ")[0]](own[0]), material, own.length);
    mesh.castShadow = layer !== "marker" && sight !== "clear";
    mesh.frustumCulled = false;
    mesh.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e3); // picking must not cull what has moved
    mesh.userData = { items: own, layer };
    meshes.push(mesh);
    world.add(mesh);
    if (layer === "body") {
      const faint = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.13, depthWrite: false });
      const ghost = new THREE.InstancedMesh(mesh.geometry, faint, own.length);
      ghost.frustumCulled = false;
      ghost.visible = false;
      ghost.userData = { items: own };
      ghosts.push(ghost);
      world.add(ghost);
    }
  }
  for (const loft of lofts) {
    loft.mesh = new THREE.Mesh(loft.geometry, new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.1 }));
    Object.assign(loft.mesh, { castShadow: true, frustumCulled: false, userData: { source: loft.source, layer: loft.source.layer } });
    world.add(loft.mesh);
    if (loft.source.layer !== "body") continue;
    const shadow = EB.loft(THREE, loft.source, false), faint = new THREE.MeshBasicMaterial({ transparent: true, opacity: 0.13, depthWrite: false });
    shadow.update(corners, turns, loft.start, centre, size);
    loft.ghost = Object.assign(new THREE.Mesh(shadow.geometry, faint), { frustumCulled: false, visible: false });
    world.add(loft.ghost);
  }
  const numberOf = new Map(drawing.bodies.map((b, i) => [b.name, i]));
  let tints = null, wasDark = false; // what gives elements another colour, if anything
  const colourOf = (source, dark) => {
    const tinted = tints && tints(source);
    if (tinted || source.color) return tinted || source.color;
    if (source.layer === "body") return EB.palette[numberOf.get(source.name) % EB.palette.length];
    return { joint: dark ? "#aeb9c9" : "#47536a", force: dark ? "#9fb3c8" : "#6c7a90", ground: dark ? "#56607a" : "#9aa5b5" }[source.layer];
  };

  // ---- poses to matrices

  const matrices = drawing.bodies.map(() => new THREE.Matrix4());
  const point = new THREE.Vector3(), turn = new THREE.Quaternion(), one = new THREE.Vector3(), product = new THREE.Matrix4();
  const carry = (on) => (on < 0 ? still : matrices[on]);
  const from = new THREE.Vector3(), to = new THREE.Vector3(), along = new THREE.Vector3(), axis = new THREE.Vector3(0, 0, 1);
  function compose(poses) {
    poses.forEach((pose, i) => {
      point.set(...pose.p).sub(centre).divideScalar(size);
      matrices[i].compose(point, turn.set(...pose.q).normalize(), one.setScalar(1 / size));
    });
  }
  function linkMatrix(item) {
    const { link, piece } = item, radius = link.radius / size;
    from.set(...link.p).applyMatrix4(carry(link.a));
    to.set(...link.q).applyMatrix4(carry(link.b));
    along.subVectors(to, from);
    const length = Math.max(along.length(), 1e-9);
    turn.setFromUnitVectors(axis, along.divideScalar(length));
    if (link.kind === "coil") return product.compose(from, turn, one.set(1.2 * radius, 1.2 * radius, length / item.high));
    const [start, end, thick] = { whole: [0, 1, 1], tube: [0, 0.55, 0.9], rod: [0.3, 1, 0.4] }[piece];
    from.addScaledVector(along, 0.5 * (start + end) * length);
    return product.compose(from, turn, one.set(thick * radius, thick * radius, (end - start) * length));
  }
  const bentMatrix = (item) => product.compose(from.set(...bent[item.vertex]).sub(centre).divideScalar(size), turn.identity(), one.setScalar(item.source.radius / size));
  function matrixOf(item) {
    if (item.link) return linkMatrix(item);
    return item.local ? product.multiplyMatrices(carry(item.on), item.local) : bentMatrix(item);
  }
  function place(list) {
    for (const mesh of list) {
      mesh.userData.items.forEach((item, i) => mesh.setMatrixAt(i, matrixOf(item)));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  // ---- paths of the bodies

  const paths = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ vertexColors: true }));
  paths.frustumCulled = false;
  world.add(paths);
  function showPaths(list) { // [{body, points: [[x, y, z], ...], whirl: "", forward, backward or straight}], closed
    const points = [], shades = [], colour = new THREE.Color();
    for (const { body, points: own, whirl } of list) {
      colour.set(EB.whirls[whirl] || EB.palette[(body || 0) % EB.palette.length]);
      own.forEach((p, k) => {
        for (const q of [p, own[(k + 1) % own.length]]) { points.push(...scaled(q).toArray()); shades.push(colour.r, colour.g, colour.b); }
      });
    }
    paths.geometry.dispose();
    paths.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3))
      .setAttribute("color", new THREE.Float32BufferAttribute(shades, 3));
    dirty();
  }

  // ---- arrows: forces in the joints, the largest a fifth of the mechanism

  const arrows = new THREE.LineSegments(new THREE.BufferGeometry(), new THREE.LineBasicMaterial({ color: 0xc53030, linewidth: 2 }));
  arrows.frustumCulled = false;
  world.add(arrows);
  function showArrows(list) { // [{at: [x, y, z], vector: [x, y, z]}] in metres and any unit
    arrows.geometry.dispose();
    arrows.geometry = EB.arrowGeometry(THREE, list, scaled, up, east);
    dirty();
  }

  // ---- camera

  const camera = new THREE.PerspectiveCamera(32, 1, 0.01, 100);
  camera.up.copy(up);
  const views = { oblique: [0.9, 0.42], front: [0, 0], side: [Math.PI / 2, 0], top: [0, 1.55] };
  const orbit = { azimuth: 0.9, height: 0.42, distance: 4, target: new THREE.Vector3() };
  function look() {
    const { azimuth, height: h, distance, target } = orbit;
    camera.position.copy(target).addScaledVector(up, distance * Math.sin(h))
      .addScaledVector(east, distance * Math.cos(h) * Math.sin(azimuth)).addScaledVector(north, -distance * Math.cos(h) * Math.cos(azimuth));
    camera.lookAt(target);
    camera.updateMatrixWorld(); // places on the canvas are of this view now, not from the next picture on
    dirty();
  }
  function view(name) {
    if (name) [orbit.azimuth, orbit.height] = views[name];
    orbit.target.set(0, 0, 0);
    orbit.distance = 4.2 / Math.min(1, Math.max(camera.aspect, 0.3) * 1.1);
    look();
  }
  function rotate(dx, dy) {
    orbit.azimuth -= dx;
    orbit.height = Math.max(-1.55, Math.min(1.55, orbit.height + dy));
    look();
  }
  function zoom(factor) {
    orbit.distance = Math.max(0.15, Math.min(30, orbit.distance * factor));
    look();
  }
  function pan(dx, dy) {
    const right = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 0), over = new THREE.Vector3().setFromMatrixColumn(camera.matrix, 1);
    orbit.target.addScaledVector(right, -dx * orbit.distance).addScaledVector(over, dy * orbit.distance);
    look();
  }

  // ---- pointer: one turns, two or the right button move, wheel and pinch zoom

  const held = new Map();
  let gap = 0;
  canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); held.set(e.pointerId, [e.clientX, e.clientY]); gap = 0; tip.hidden = true; });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, (e) => { held.delete(e.pointerId); gap = 0; });
  canvas.addEventListener("pointermove", (e) => {
    if (!held.has(e.pointerId)) { pick(e); return; }
    const [x, y] = held.get(e.pointerId), dx = e.clientX - x, dy = e.clientY - y, unit = canvas.clientHeight || 1;
    held.set(e.pointerId, [e.clientX, e.clientY]);
    if (held.size === 2) {
      const [a, b] = [...held.values()], wide = Math.hypot(a[0] - b[0], a[1] - b[1]);
      if (gap) zoom(gap / Math.max(wide, 1));
      gap = wide;
      pan((0.3 * dx) / unit, (0.3 * dy) / unit);
    } else if (e.buttons === 2 || e.shiftKey) pan((0.6 * dx) / unit, (0.6 * dy) / unit);
    else rotate((4 * dx) / unit, (4 * dy) / unit);
  });
  canvas.addEventListener("contextmenu", (e) => e.preventDefault());
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("wheel", (e) => { e.preventDefault(); zoom(Math.exp(0.0012 * Math.max(-200, Math.min(200, e.deltaY)))); }, { passive: false });

  const ray = new THREE.Raycaster(), spot = new THREE.Vector2();
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  host.appendChild(tip);
  function pick(e) {
    const box = canvas.getBoundingClientRect();
    spot.set(((e.clientX - box.left) / box.width) * 2 - 1, 1 - ((e.clientY - box.top) / box.height) * 2);
    ray.setFromCamera(spot, camera);
    const hit = ray.intersectObjects([...meshes, ...lofts.map((l) => l.mesh)].filter((m) => m.visible), false)[0];
    tip.hidden = !hit;
    if (!hit) return;
    const { items: own, source } = hit.object.userData;
    tip.textContent = (source || own[hit.instanceId].source).title;
    tip.style.left = `${Math.min(e.clientX - box.left + 12, box.width - 160)}px`;
    tip.style.top = `${e.clientY - box.top + 14}px`;
  }

  // ---- names

  const labels = document.createElement("div");
  labels.className = "labels";
  labels.setAttribute("aria-hidden", "true");
  host.appendChild(labels);
  const names = drawing.bodies.slice(0, 60).map((b) => {
    const label = document.createElement("span");
    label.textContent = b.label;
    labels.appendChild(label);
    return { label, way: 0, wide: 0 };
  });
  function placeLabels() { // beside their bodies, none over another: one that finds no room waits
    if (labels.hidden) return;
    names.forEach((name, i) => {
      point.setFromMatrixPosition(matrices[i]).project(camera);
      Object.assign(name, { x: ((point.x + 1) / 2) * canvas.clientWidth, y: ((1 - point.y) / 2) * canvas.clientHeight });
      name.isThere = Boolean(name.label.textContent) && Math.abs(point.z) <= 1;
      if (name.isThere && !name.wide) { name.label.hidden = false; name.wide = name.label.offsetWidth; }
    });
    EB.spreadLabels(names.filter((name) => name.isThere), canvas.clientWidth, canvas.clientHeight);
    for (const { label, isThere, box } of names) {
      label.hidden = !isThere || !box;
      if (!label.hidden) label.style.transform = `translate(${box.x}px, ${box.y}px) translate(-50%, -50%)`;
    }
  }

  // ---- drawing when something changed

  let isDirty = true, frames = 0, slow = 0;
  const began = performance.now();
  function dirty() { isDirty = true; }
  function economize() { // without a graphics card: first no shadows, then fewer pixels
    if (sun.castShadow) sun.castShadow = false;
    else renderer.setPixelRatio(Math.max(0.5, 0.75 * renderer.getPixelRatio()));
    dirty();
  }
  function pace(milliseconds) { // time since the last frame while something moves
    if (performance.now() - began < 1000 || milliseconds > 2000) return;
    slow = milliseconds > 45 ? slow + 1 : Math.max(0, slow - 2);
    if (slow >= 6 && renderer.getPixelRatio() > 0.5) { slow = 0; economize(); }
  }
  function draw() {
    if (!isDirty) return;
    isDirty = false;
    compose(now);
    place(meshes);
    for (const loft of lofts) {
      const { points, turns: own } = loft.link ? EB.bentLink(THREE, loft.link, rest, now, 12) : { points: bent, turns };
      loft.update(points, own, loft.start, centre, size);
    }
    renderer.render(world, camera);
    placeLabels();
    frames += 1;
  }
  function picture(use) { // a fine picture of how it stands: `use` gets the canvas, its size on the page and the names on it
    const ratio = renderer.getPixelRatio(), [wide, high] = [canvas.clientWidth || 680, canvas.clientHeight || 400];
    const draws = (pixels) => { renderer.setPixelRatio(pixels); renderer.setSize(wide, high); dirty(); };
    draws(2);
    draw();
    const made = use(canvas, wide, high, labels.hidden ? [] : names.filter(({ label, box }) => box && !label.hidden).map(({ label, box }) => ({ text: label.textContent, ...box })));
    draws(ratio);
    return made;
  }
  function resize() {
    const wide = host.clientWidth, high = host.clientHeight;
    if (!wide || !high) return;
    renderer.setSize(wide, high);
    camera.aspect = wide / high;
    camera.updateProjectionMatrix();
    dirty();
  }
  function paint(dark = wasDark) {
    wasDark = dark;
    const colour = new THREE.Color();
    for (const mesh of [...meshes, ...ghosts]) {
      mesh.userData.items.forEach((item, i) => mesh.setColorAt(i, colour.set(colourOf(item.source, dark)).multiplyScalar(item.source.mark ? 0.6 : 1)));
      mesh.instanceColor.needsUpdate = true;
    }
    for (const { mesh, ghost, source } of lofts) for (const one of [mesh, ghost]) if (one) one.material.color.set(colourOf(source, dark));
    sky.intensity = dark ? 1.8 : 2.1;
    floor.material.opacity = dark ? 0.4 : 0.16;
    grid.material.opacity = dark ? 0.4 : 1;
    dirty();
  }
  compose(rest);
  place(ghosts);
  const watcher = new ResizeObserver(() => { resize(); });
  watcher.observe(host);
  function dispose() { // another drawing takes its place
    watcher.disconnect();
    for (const item of [canvas, labels, tip]) item.remove();
    renderer.dispose();
    renderer.forceContextLoss();
  }
  resize();
  view("oblique");
  return {
    canvas, size, now, rest, count, corners, bent, turns, views: Object.keys(views), dirty, draw, pace, paint, view, zoom, rotate, showPaths, showArrows, picture, dispose,
    camera: () => ({ ...orbit, target: orbit.target.toArray() }), // from where it is seen
    seeFrom: (other) => { Object.assign(orbit, other, { target: new THREE.Vector3(...other.target) }); look(); },
    placed: (p) => { const v = scaled(p).project(camera); return [((v.x + 1) / 2) * canvas.clientWidth, ((1 - v.y) / 2) * canvas.clientHeight]; }, // on the canvas, px
    unplaced: (p, dx, dy) => { const v = scaled(p).project(camera); v.x += (2 * dx) / canvas.clientWidth; v.y -= (2 * dy) / canvas.clientHeight; return v.unproject(camera).multiplyScalar(size).add(centre).toArray(); }, // a point moved by pixels, m
    show: (layer, on) => { for (const mesh of [...meshes, ...lofts.map((l) => l.mesh)]) if (mesh.userData.layer === layer) mesh.visible = on; dirty(); },
    tint: (of) => { tints = of; paint(); },
    showNames: (on) => { labels.hidden = !on; dirty(); },
    showGhost: (on) => { for (const ghost of [...ghosts, ...lofts.flatMap((l) => l.ghost || [])]) ghost.visible = on; dirty(); },
    frames: () => frames,
    triangles: () => renderer.info.render.triangles, // of the last frame
  };
};
