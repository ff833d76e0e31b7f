// What is drawn in 3-D: unit solids, meshes that the page carries (unpacked from whole numbers, with normals that keep edges
// sharp), the grid on the ground, and room for names.
"use strict";

EB.inflated = function (text) { // gzip in base64 as a stream
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  return new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
};

// Gives every surface its corners (3 n, from -1/2 to 1/2 of its box) and triangles (3 m).
EB.unpackMeshes = async function (meshes) {
  if (!meshes || !meshes.surfaces.length) return;
  const view = new DataView(await new Response(EB.inflated(meshes.content)).arrayBuffer());
  let place = 0;
  function columns(count, bytes) { // differences between neighbours, one coordinate after the other
    const out = new Float64Array(3 * count), most = 2 ** (8 * bytes);
    for (let k = 0; k < 3; k++) for (let i = 0, last = 0; i < count; i++, place += bytes) {
      last = (last + (bytes === 2 ? view.getUint16(place, true) : view.getUint32(place, true))) % most;
      out[3 * i + k] = last;
    }
    return out;
  }
  for (const surface of meshes.surfaces) {
    surface.points = columns(surface.corners, 2).map((step) => step / 65535 - 0.5);
    surface.faces = columns(surface.triangles, 4);
  }
  meshes.content = "";
};

// Triangles whose normals differ by less than 35 degrees look like one smooth surface.
EB.meshGeometry = function (THREE, { points, faces, box, corners, triangles }) {
  const smooth = Math.cos((35 * Math.PI) / 180), normals = new Float64Array(3 * triangles), sizes = new Float64Array(triangles);
  const around = new Int32Array(corners + 1), owners = new Int32Array(3 * triangles);
  const side = (i, j) => [0, 1, 2].map((k) => (points[3 * faces[j] + k] - points[3 * faces[i] + k]) * box[k]);
  for (let f = 0; f < triangles; f++) {
    const a = side(3 * f, 3 * f + 1), b = side(3 * f, 3 * f + 2);
    const n = [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    sizes[f] = Math.hypot(...n);
    for (let k = 0; k < 3; k++) { normals[3 * f + k] = n[k] / (sizes[f] || 1); around[faces[3 * f + k] + 1]++; }
  }
  for (let i = 0; i < corners; i++) around[i + 1] += around[i];
  const next = around.slice();
  for (let c = 0; c < 3 * triangles; c++) owners[next[faces[c]]++] = Math.floor(c / 3);
  const position = new Float32Array(9 * triangles), normal = new Float32Array(9 * triangles);
  for (let c = 0; c < 3 * triangles; c++) {
    const f = Math.floor(c / 3), p = faces[c], sum = [0, 0, 0];
    const isFan = around[p + 1] - around[p] > 500; // its triangles would all be compared with each other
    for (let o = isFan ? around[p + 1] : around[p]; o < around[p + 1]; o++) {
      const g = owners[o], dot = normals[3 * f] * normals[3 * g] + normals[3 * f + 1] * normals[3 * g + 1] + normals[3 * f + 2] * normals[3 * g + 2];
      if (dot >= smooth || g === f) for (let k = 0; k < 3; k++) sum[k] += sizes[g] * normals[3 * g + k];
    }
    if (isFan) for (let k = 0; k < 3; k++) sum[k] = normals[3 * f + k];
    // the box is scaled when it is drawn, and normals by the inverse of that
    const n = sum.map((value, k) => value * box[k]), length = Math.hypot(...n) || 1;
    for (let k = 0; k < 3; k++) { position[3 * c + k] = points[3 * p + k]; normal[3 * c + k] = n[k] / length; }
  }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(position, 3))
    .setAttribute("normal", new THREE.BufferAttribute(normal, 3));
};

// Solids of size one, by kind; coarser where there are very many.
EB.unitGeometries = function (THREE, drawing) {
  const alongZ = (geometry) => geometry.rotateX(Math.PI / 2);
  class Helix extends THREE.Curve { // of radius 1 and the given height along z
    constructor(high) { super(); this.high = high; this.turns = Math.max(4, Math.min(12, Math.round(high / 1.3))); }
    getPoint(t, target = new THREE.Vector3()) {
      const ends = Math.min(1, Math.min(t, 1 - t) / 0.05), turn = 2 * Math.PI * this.turns * t;
      return target.set(ends * Math.cos(turn), ends * Math.sin(turn), this.high * t);
    }
  }
  const facets = (many, few) => Math.round(few + (many - few) * Math.max(0, Math.min(1, 12 / (drawing.parts.length / 8 + 1))));
  return {
    box: () => new THREE.BoxGeometry(1, 1, 1),
    cylinder: () => alongZ(new THREE.CylinderGeometry(1, 1, 1, facets(36, 8))),
    sphere: () => new THREE.SphereGeometry(1, facets(32, 10), facets(20, 6)),
    cone: () => alongZ(new THREE.ConeGeometry(1, 1, facets(28, 8))),
    ring: () => new THREE.TorusGeometry(0.93, 0.07, facets(12, 4), facets(60, 14)),
    coil: ({ high }) => new THREE.TubeGeometry(new Helix(high), facets(220, 64), 0.2, facets(7, 3)),
    mesh: ({ source }) => EB.meshGeometry(THREE, drawing.meshes.surfaces[source.mesh]),
  };
};

EB.gridGeometry = function (THREE) { // lines that fade away from the middle
  const points = [], shades = [], n = 14, step = 0.25, cuts = 14;
  const put = (x, y) => { points.push(x, y, 0); shades.push(0.5, 0.55, 0.62, 0.5 * Math.max(0, 1 - Math.hypot(x, y) / (n * step))); };
  for (let i = -n; i <= n; i++) for (let k = -cuts; k < cuts; k++) {
    const a = (k * n * step) / cuts, b = ((k + 1) * n * step) / cuts;
    put(i * step, a); put(i * step, b); put(a, i * step); put(b, i * step);
  }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3))
    .setAttribute("color", new THREE.Float32BufferAttribute(shades, 4));
};

// Gives every name {x, y, wide, way} a `box` {x, y, wide} on the canvas, at its place or around it, that covers no other, or
// null. It stays on the side (`way`) where it was as long as it can, so that it does not jump while things move.
EB.spreadLabels = function (names, width, height) {
  const sides = [[0, 0], [0, -1], [0, 1], [1, 0], [-1, 0], [1, -1], [-1, -1], [1, 1], [-1, 1], [0, -2], [0, 2], [1, -2], [-1, -2], [1, 2], [-1, 2]];
  const high = 20, taken = [];
  const isFree = (a) => Math.abs(a.x - width / 2) + a.wide / 2 <= width / 2 && Math.abs(a.y - height / 2) + high / 2 <= height / 2
    && taken.every((b) => Math.abs(a.x - b.x) >= (a.wide + b.wide) / 2 + 2 || Math.abs(a.y - b.y) >= high);
  for (const name of names) {
    const at = (/** @type {number[]} */ [right, down]) => ({ x: name.x + right * (name.wide / 2 + 10), y: name.y + down * (high + 2), wide: name.wide });
    const order = [name.way, ...sides.keys()];
    const found = order.find((way) => isFree(at(sides[way])));
    name.box = found === undefined ? null : at(sides[found]);
    if (name.box) { name.way = found; taken.push(name.box); }
  }
};

// A beam: closed pieces between neighbouring points, with the section that each has at both ends. `sections` are half of y and
// half of z there, six numbers, two ends for each piece. `update` sets it by points (m) and turns (quaternions) of its ends.
EB.loft = function (THREE, { sections, isRound }, fine) {
  const corner = [], n = isRound ? (fine ? 20 : 8) : 4, pieces = sections.length / 2;
  for (let i = 0; i < n; i++) corner.push(isRound ? [Math.cos((2 * Math.PI * i) / n), Math.sin((2 * Math.PI * i) / n)] : [[1, 1], [-1, 1], [-1, -1], [1, -1]][i]);
  const side = corner.map((_, i) => i); // a piece: sides of four vertices each, then both ends
  const pattern = []; // [end, y, z, normal along x, y, z]
  for (const i of side) {
    const a = corner[i], b = corner[(i + 1) % n], flat = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    for (const [end, c] of /** @type {[number, number[]][]} */ ([[0, a], [0, b], [1, b], [1, a]])) pattern.push([end, ...c, 0, ...(isRound ? c : flat)]);
  }
  for (const end of [0, 1]) for (const c of corner) pattern.push([end, ...c, end ? 1 : -1, 0, 0]);
  const faces = [];
  for (const i of side) faces.push(4 * i, 4 * i + 1, 4 * i + 2, 4 * i, 4 * i + 2, 4 * i + 3);
  for (const end of [0, 1]) for (let i = 1; i < n - 1; i++) faces.push(4 * n + end * n, 4 * n + end * n + (end ? i : i + 1), 4 * n + end * n + (end ? i + 1 : i));
  const each = pattern.length, position = new Float32Array(3 * each * pieces), normal = new Float32Array(3 * each * pieces), index = [];
  for (let k = 0; k < pieces; k++) for (const f of faces) index.push(k * each + f);
  const geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.BufferAttribute(position, 3)).setAttribute("normal", new THREE.BufferAttribute(normal, 3));
  geometry.setIndex(index);
  geometry.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e3); // picking must not cull what has moved
  const y = [new THREE.Vector3(), new THREE.Vector3()], z = [new THREE.Vector3(), new THREE.Vector3()], turn = new THREE.Quaternion(), x = new THREE.Vector3();
  const scaled = [[], []], unit = (v, to) => { const long = v.length() || 1; to[0] = v.x / long; to[1] = v.y / long; to[2] = v.z / long; return to; };
  const ny = [[0, 0, 0], [0, 0, 0]], nz = [[0, 0, 0], [0, 0, 0]], nx = [0, 0, 0];
  function update(points, turns, start, centre, size) {
    for (let k = 0, at = 0; k < pieces; k++) {
      for (const end of [0, 1]) {
        const half = sections[2 * k + end], p = points[start + k + end];
        turn.set(...turns[start + k + end]);
        y[end].set(half[0], half[1], half[2]).applyQuaternion(turn);
        z[end].set(half[3], half[4], half[5]).applyQuaternion(turn);
        unit(y[end], ny[end]);
        unit(z[end], nz[end]);
        scaled[end] = [(p[0] - centre.x) / size, (p[1] - centre.y) / size, (p[2] - centre.z) / size];
      }
      unit(x.set(scaled[1][0] - scaled[0][0], scaled[1][1] - scaled[0][1], scaled[1][2] - scaled[0][2]), nx);
      for (const [end, u, v, a, b, c] of pattern) {
        const Y = y[end], Z = z[end], q = scaled[end];
        position[at] = q[0] + (u * Y.x + v * Z.x) / size;
        position[at + 1] = q[1] + (u * Y.y + v * Z.y) / size;
        position[at + 2] = q[2] + (u * Y.z + v * Z.z) / size;
        for (let j = 0; j < 3; j++) normal[at++] = a * nx[j] + b * ny[end][j] + c * nz[end][j];
      }
    }
    geometry.attributes.position.needsUpdate = geometry.attributes.normal.needsUpdate = true;
  }
  return { geometry, update };
};

// A beam without mass between two bodies: a curve that leaves both ends in the directions of their sections, the section turned
// from one end to the other. Gives its points (m) and turns since rest; `poses` are those of the bodies, `rest` at rest.
EB.bentLink = function (THREE, link, rest, poses, pieces) {
  const quaternion = (list, on) => (on < 0 ? new THREE.Quaternion() : new THREE.Quaternion(...list[on].q).normalize());
  const place = (list, on, p) => { const v = new THREE.Vector3(...p); return on < 0 ? v : v.applyQuaternion(quaternion(list, on)).add(new THREE.Vector3(...list[on].p)); };
  const ends = [[link.a, link.p], [link.b, link.q]], chord = place(rest, link.b, link.q).sub(place(rest, link.a, link.p));
  const turned = ends.map(([on]) => quaternion(poses, on).multiply(quaternion(rest, on).invert()));
  const [a, b] = ends.map(([on, p]) => place(poses, on, p)), [u, v] = turned.map((q) => chord.clone().applyQuaternion(q));
  const points = [], turns = [];
  for (let k = 0; k <= pieces; k++) {
    const t = k / pieces, h = [2 * t ** 3 - 3 * t ** 2 + 1, t ** 3 - 2 * t ** 2 + t, 3 * t ** 2 - 2 * t ** 3, t ** 3 - t ** 2];
    points.push([0, 1, 2].map((i) => h[0] * a.getComponent(i) + h[1] * u.getComponent(i) + h[2] * b.getComponent(i) + h[3] * v.getComponent(i)));
    turns.push(turned[0].clone().slerp(turned[1], t).toArray());
  }
  return { points, turns };
};

EB.arrowGeometry = function (THREE, list, scaled, up, east) { // lines with heads; the longest a fifth of the mechanism
  const longest = Math.max(0, ...list.map((a) => Math.hypot(...a.vector))), points = [];
  for (const { at, vector } of longest > 0 ? list : []) {
    const way = new THREE.Vector3(...vector).multiplyScalar(0.4 / longest), start = scaled(at), end = start.clone().add(way);
    const side = way.clone().cross(Math.abs(way.clone().normalize().dot(up)) > 0.9 ? east : up).normalize().multiplyScalar(0.25 * way.length());
    const neck = end.clone().addScaledVector(way, -0.25);
    for (const [a, b] of [[start, end], [end, neck.clone().addScaledVector(side, 0.4)], [end, neck.clone().addScaledVector(side, -0.4)]]) points.push(...a.toArray(), ...b.toArray());
  }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
};
