// Meshes that the page carries: unpacked from whole numbers, with normals that keep edges sharp.
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
