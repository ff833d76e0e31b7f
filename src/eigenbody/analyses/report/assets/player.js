// Motion of the bodies in a mode or a simulation, and the controls that choose and drive it.
"use strict";

EB.decode = function (text) { // base64 of little-endian 32-bit floats
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Float32Array(bytes.buffer);
};

// Small rotation vector (global axes) before a quaternion (x, y, z, w).
EB.turned = function (v, q) {
  const angle = Math.hypot(v[0], v[1], v[2]), s = angle > 1e-12 ? Math.sin(angle / 2) / angle : 0.5;
  const [x, y, z, w] = [s * v[0], s * v[1], s * v[2], Math.cos(angle / 2)];
  return [
    w * q[0] + x * q[3] + y * q[2] - z * q[1], w * q[1] - x * q[2] + y * q[3] + z * q[0],
    w * q[2] + x * q[1] - y * q[0] + z * q[3], w * q[3] - x * q[0] - y * q[1] - z * q[2],
  ];
};

EB.makePlayer = function (scene, data) {
  const count = scene.count, motion = data.motion;
  let modes = data.modes || [];
  let shapes = data.shapes ? EB.decode(data.shapes) : new Float32Array(0); // (modes, bodies, 6, re and im)
  const path = motion ? EB.decode(motion.poses) : null; // (times, bodies, 7)
  let bends = data.bends ? EB.decode(data.bends) : new Float32Array(0); // (modes, vertices, 6, re and im)
  const bentPath = motion && motion.vertices ? EB.decode(motion.vertices) : null; // (times, vertices, 7)
  const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  const player = {
    what: modes.length ? "mode" : motion ? "motion" : "rest", mode: 0, phase: 0, time: 0, amplitude: 1, speed: 0.5, rate: 1,
    playing: !still && (modes.length > 0 || !!motion), changed: [],
  };
  const tell = () => { for (const listener of player.changed) listener(player); };

  // Complex motion of body b: displacement (m) and rotation (rad) at a phase, Re(shape exp(i phase)) times the scale of the page.
  player.displacement = function (b, phase = player.phase, mode = player.mode) {
    const scale = player.amplitude * (modes[mode] ? modes[mode].scale : 0), c = Math.cos(phase), s = Math.sin(phase), out = [];
    for (let k = 0; k < 6; k++) {
      const i = 2 * ((mode * count + b) * 6 + k);
      out.push(scale * (shapes[i] * c - shapes[i + 1] * s));
    }
    return out;
  };
  function bendMode() { // vertices of flexible bodies: displaced like everything else, Re(shape exp(i phase))
    const scale = player.amplitude * (modes[player.mode] ? modes[player.mode].scale : 0), c = Math.cos(player.phase), s = Math.sin(player.phase);
    scene.bent.forEach((spot, v) => {
      const first = 12 * (player.mode * scene.bent.length + v), at = (k) => scale * (bends[first + 2 * k] * c - bends[first + 2 * k + 1] * s);
      for (let k = 0; k < 3; k++) spot[k] = scene.corners[v][k] + at(k);
      scene.turns[v] = EB.turned([at(3), at(4), at(5)], [0, 0, 0, 1]);
    });
  }
  function poseMode() {
    bendMode();
    for (let b = 0; b < count; b++) {
      const d = player.displacement(b), rest = scene.rest[b];
      scene.now[b].p = [rest.p[0] + d[0], rest.p[1] + d[1], rest.p[2] + d[2]];
      scene.now[b].q = EB.turned(d.slice(3), rest.q);
    }
  }
  function between(path, a, c, f) { // of two poses; a quaternion and its negative are the same rotation
    const same = path[a + 3] * path[c + 3] + path[a + 4] * path[c + 4] + path[a + 5] * path[c + 5] + path[a + 6] * path[c + 6] >= 0 ? 1 : -1;
    return [0, 1, 2, 3, 4, 5, 6].map((k) => (1 - f) * path[a + k] + f * (k < 3 ? 1 : same) * path[c + k]);
  }
  function poseMotion() {
    const times = motion.times, last = times.length - 1;
    const at = Math.min(last, Math.max(0, ((player.time - times[0]) / (times[last] - times[0] || 1)) * last));
    const i = Math.min(Math.floor(at), Math.max(last - 1, 0)), f = at - i, j = Math.min(i + 1, last);
    for (let b = 0; b < count; b++) {
      const mixed = between(path, 7 * (i * count + b), 7 * (j * count + b), f);
      scene.now[b].p = mixed.slice(0, 3);
      scene.now[b].q = mixed.slice(3);
    }
    if (bentPath) scene.bent.forEach((spot, v) => {
      const mixed = between(bentPath, 7 * (i * scene.bent.length + v), 7 * (j * scene.bent.length + v), f), long = Math.hypot(...mixed.slice(3));
      for (let k = 0; k < 3; k++) spot[k] = mixed[k];
      scene.turns[v] = mixed.slice(3).map((q) => q / long);
    });
  }
  player.pose = function () {
    if (player.what === "mode") poseMode();
    else if (player.what === "motion") poseMotion();
    scene.dirty();
  };
  player.orbits = function () { // paths of the centres of mass over a cycle; where the mode whirls those of beams too, by their sense
    const mode = modes[player.mode], scale = player.amplitude * (mode ? mode.scale : 0), list = [];
    const many = count > 40;
    function add(rest, at, body, axis) { // at(k): real and imaginary part of a component
      const [a, b] = [0, 1].map((part) => [0, 1, 2].map((k) => scale * at(k)[part])), square = (v) => v[0] ** 2 + v[1] ** 2 + v[2] ** 2;
      const far = Math.sqrt(square(a) + square(b)), turn = [0, 1, 2].map((k) => b[(k + 1) % 3] * a[(k + 2) % 3] - b[(k + 2) % 3] * a[(k + 1) % 3]); // a cos - b sin goes round a x (-b)
      const sense = axis && mode.whirl ? (2 * (turn[0] * axis[0] + turn[1] * axis[1] + turn[2] * axis[2])) / (square(a) + square(b)) : 0;
      const whirl = !axis || !mode.whirl ? "" : sense > 0.02 ? "forward" : sense < -0.02 ? "backward" : "straight";
      if (far <= 0.004 * data.scene.size || (body === null && whirl !== "forward" && whirl !== "backward")) return;
      const points = Array.from({ length: 72 }, (_, n) => { const c = Math.cos((2 * Math.PI * n) / 72), s = Math.sin((2 * Math.PI * n) / 72); return [0, 1, 2].map((k) => rest[k] + a[k] * c - b[k] * s); });
      list.push({ body, points, whirl });
    }
    if (player.what === "mode" && mode && !many) for (let b = 0; b < count; b++) add(scene.rest[b].p, (k) => { const i = 2 * ((player.mode * count + b) * 6 + k); return [shapes[i], shapes[i + 1]]; }, b, data.scene.bodies[b].spin);
    if (player.what === "mode" && mode && mode.whirl) {
      let first = 0;
      for (const line of data.scene.lines || []) { // at some places along every beam
        const own = data.scene.bodies.find((body) => body.name === line.body), step = Math.max(1, Math.floor(line.points.length / 6));
        for (let v = line.isLine ? 0 : line.points.length; v < line.points.length; v += step) add(line.points[v], (k) => { const i = 12 * (player.mode * scene.bent.length + first + v) + 2 * k; return [bends[i], bends[i + 1]]; }, null, own && own.spin);
        first += line.points.length;
      }
    }
    player.paths = list;
    scene.showPaths(list);
  };
  player.select = function (index) {
    if (!modes.length) return;
    player.mode = (index + modes.length) % modes.length;
    player.what = "mode";
    player.phase = 0;
    player.pose();
    player.orbits();
    tell();
  };
  player.setWhat = (what) => { player.what = what; player.pose(); player.orbits(); tell(); };
  player.setAmplitude = (value) => { player.amplitude = value; player.pose(); player.orbits(); tell(); };
  player.setSpeed = (value) => { player.speed = value; tell(); };
  player.setRate = (value) => { player.rate = value; tell(); };
  player.setPhase = (value) => { player.phase = value; player.pose(); tell(); };
  player.setTime = (value) => { player.time = value; player.pose(); tell(); };
  player.play = (on) => { player.playing = on && player.what !== "rest"; tell(); };
  player.step = function (seconds) {
    if (!player.playing) return;
    if (player.what === "mode") player.phase = (player.phase + 2 * Math.PI * player.speed * seconds) % (2 * Math.PI);
    else {
      const times = motion.times, end = times[times.length - 1];
      player.time += player.rate * seconds;
      if (player.time > end) player.time = times[0];
      if (player.onTime) player.onTime(player.time);
    }
    player.pose();
  };
  player.load = function (fresh) { // other modes of the same bodies, at the same phase
    modes = fresh.modes;
    shapes = EB.decode(fresh.shapes);
    bends = fresh.bends ? EB.decode(fresh.bends) : new Float32Array(0);
    player.mode = Math.min(player.mode, Math.max(0, modes.length - 1));
    player.pose();
    player.orbits();
  };
  if (motion) player.time = motion.times[0];
  return player;
};
