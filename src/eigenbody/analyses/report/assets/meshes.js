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
    const at = ([right, down]) => ({ x: name.x + right * (name.wide / 2 + 10), y: name.y + down * (high + 2), wide: name.wide });
    const order = [name.way, ...sides.keys()];
    const found = order.find((way) => isFree(at(sides[way])));
    name.box = found === undefined ? null : at(sides[found]);
    if (name.box) { name.way = found; taken.push(name.box); }
  }
};
