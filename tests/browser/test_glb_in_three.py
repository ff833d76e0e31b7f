"""A .glb file in a browser: three.js, out of the wheel of trimesh, loads it by its GLTFLoader and moves the modes."""

from __future__ import annotations

import base64
import importlib.util
import io
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import eigenbody as eb
from eigenbody.analyses.drawing import moving_modes

PLAY = """
async ([data, clip, share]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const gltf = await new Promise((done, failed) => new THREE.GLTFLoader().parse(bytes.buffer, "", done, failed));
  const mixer = new THREE.AnimationMixer(gltf.scene), own = gltf.animations[clip];
  mixer.clipAction(own).play();
  mixer.setTime(share * own.duration);
  gltf.scene.updateMatrixWorld(true);
  const out = {names: gltf.animations.map((a) => a.name), vertices: []};
  gltf.scene.traverse((o) => {
    if (!o.isMesh) return;
    const place = o.geometry.attributes.position, v = new THREE.Vector3();
    for (let i = 0; i < place.count; i++) {
      v.fromBufferAttribute(place, i);
      (o.geometry.morphAttributes.position || []).forEach((m, k) => v.addScaledVector(
        new THREE.Vector3().fromBufferAttribute(m, i), o.morphTargetInfluences[k]));
      v.applyMatrix4(o.matrixWorld);
      out.vertices.push([v.x, v.y, v.z]);
    }
  });
  return out;
}
"""


def three() -> str:
    """three.js with its GLTFLoader: the script of the viewer of trimesh, without the part that opens its own page."""
    spec = importlib.util.find_spec("trimesh")
    assert spec is not None
    assert spec.submodule_search_locations
    path = Path(spec.submodule_search_locations[0]) / "resources" / "templates" / "viewer.zip"
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        page = archive.read(archive.namelist()[0]).decode()
    script = page[page.index("<script") :]
    script = script[script.index(">") + 1 : script.index("THREE.GLTFLoader=GLTFLoader;})();")]
    return script + "THREE.GLTFLoader=GLTFLoader;})();"


@pytest.mark.parametrize("model", ["examples/half_car.yaml", "examples/flexible_slider_crank.yaml"])
def test_three_moves_every_vertex_as_the_modes_do(model: str, chromium: Any, tmp_path: Path) -> None:
    modes = eb.modes(model, n=3)
    modes.write(tmp_path / "a.glb")
    scene = moving_modes(modes)
    data = base64.b64encode((tmp_path / "a.glb").read_bytes()).decode()
    page = chromium.new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.set_content("<!doctype html><title>three</title>")
    page.add_script_tag(content=three())
    up = scene.up / np.linalg.norm(scene.up)
    for k, motion in enumerate(scene.motions):
        for frame in (3, 14):
            found = page.evaluate(PLAY, [data, k, frame / 24])
            assert found["names"] == [m.name for m in scene.motions]
            expected = scene.vertices(motion, frame)
            seen = np.array(found["vertices"])
            assert seen.shape == expected.shape
            size = np.abs(expected).max()
            heights = np.sort(seen[:, 1]), np.sort(expected @ up)
            np.testing.assert_allclose(*heights, atol=1e-5 * size)
            np.testing.assert_allclose(
                *(np.sort(np.linalg.norm(v, axis=1)) for v in (seen, expected)), atol=1e-5 * size
            )
            assert np.abs(expected - scene.vertices()).max() > 0.01 * size  # far from rest
    page.close()
    assert faults == []
