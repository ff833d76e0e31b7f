"""A small robot of our own whose links are meshes of every kind that is read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import trimesh

COLORS = {"base": (90, 98, 110), "arm": (76, 120, 168), "hand": (209, 96, 94)}
KINDS = {"base": "dae", "turret": "stl", "arm": "obj", "hand": "glb"}
URDF = """<robot name="mesh_robot">
  <material name="orange"><color rgba="0.9 0.55 0.2 1"/></material>
  <link name="base">
    <inertial><mass value="20"/><origin xyz="0 0 0.1"/><inertia ixx="0.4" iyy="0.4" izz="0.6"/></inertial>
    <visual><geometry><mesh filename="package://mesh_robot/meshes/base.dae"/></geometry></visual>
  </link>
  <link name="turret">
    <inertial><mass value="8"/><origin xyz="0 0 0.15"/><inertia ixx="0.1" iyy="0.1" izz="0.08"/></inertial>
    <visual><geometry><mesh filename="meshes/turret.stl" scale="0.001 0.001 0.001"/></geometry>
      <material name="orange"/></visual>
  </link>
  <link name="arm">
    <inertial><mass value="4"/><origin xyz="0.25 0 0"/><inertia ixx="0.01" iyy="0.12" izz="0.12"/></inertial>
    <visual><geometry><mesh filename="package://mesh_robot/meshes/arm.obj"/></geometry></visual>
  </link>
  <link name="hand">
    <inertial><mass value="1"/><origin xyz="0.05 0 0"/><inertia ixx="0.002" iyy="0.002" izz="0.002"/></inertial>
    <visual><origin xyz="0.05 0 0"/><geometry><mesh filename="meshes/hand.glb"/></geometry></visual>
    <visual><origin xyz="0.15 0 0"/><geometry><mesh filename="meshes/lost.stl"/></geometry></visual>
  </link>
  <joint name="pan" type="revolute"><parent link="base"/><child link="turret"/><origin xyz="0 0 0.2"/>
    <axis xyz="0 0 1"/><dynamics damping="1"/></joint>
  <joint name="lift" type="revolute"><parent link="turret"/><child link="arm"/><origin xyz="0 0 0.3" rpy="0 0.4 0"/>
    <axis xyz="0 1 0"/><dynamics damping="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="0.5 0 0"/>
    <axis xyz="0 1 0"/><dynamics damping="0.1"/></joint>
</robot>
"""


def write_robot(folder: Path) -> Path:
    """The files of the robot in the folder `mesh_robot` there, and the path of its URDF."""
    meshes = folder / "mesh_robot" / "meshes"
    meshes.mkdir(parents=True)
    for name, mesh in _links().items():
        if name in COLORS:
            material = trimesh.visual.material.PBRMaterial(baseColorFactor=[*COLORS[name], 255])
            mesh.visual = trimesh.visual.TextureVisuals(uv=np.zeros((len(mesh.vertices), 2)), material=material)
        mesh.export(meshes / f"{name}.{KINDS[name]}")
    urdf = folder / "mesh_robot" / "robot.urdf"
    urdf.write_text(URDF)
    return urdf


def _links() -> dict[str, trimesh.Trimesh]:
    make = trimesh.creation
    base = make.cylinder(0.22, 0.2, sections=64)
    base.apply_translation((0, 0, 0.1))
    post, knob = make.cylinder(90, 220, sections=48), make.icosphere(4, 110)  # millimetres
    post.apply_translation((0, 0, 110))
    knob.apply_translation((0, 0, 300))
    beam, joint = make.box((0.46, 0.08, 0.1)), make.cylinder(0.07, 0.16, sections=48)
    beam.apply_translation((0.25, 0, 0))
    joint.apply_transform(trimesh.transformations.rotation_matrix(np.pi / 2, (1, 0, 0)))
    end = joint.copy()
    end.apply_scale(0.8)
    end.apply_translation((0.5, 0, 0))
    ring = make.torus(0.06, 0.02)
    return {
        "base": base,
        "turret": trimesh.util.concatenate([post, knob]),
        "arm": trimesh.util.concatenate([beam, joint, end]),
        "hand": ring,
    }
