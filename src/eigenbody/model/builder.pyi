# Written by scripts/builder_stub.py from the registries of elements.

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, overload

import numpy as np

from eigenbody.model.model import InertModel

Number = float | str  # SI units, "3 mm" or "=2*k"
Vector = Sequence[Number] | np.ndarray
Signal = Number | Mapping[str, Any] | Callable[..., Any]  # "=sin(3*t)", {table: ...}, a Python function

class Builder(InertModel):
    def parameter(self, name: str, value: Number) -> Self: ...
    def variable(self, name: str, value: Signal) -> Self: ...
    def body(
        self, name: str, *,
        mass: Number | None = None,
        inertia: Any | None = None,
        disc: Any | None = None,
        at: Vector | None = None,
        on: str | None = None,
        rotation: Mapping[str, Any] | None = None,
        shape: Any | None = None,
    ) -> Self:
        """A rigid body.

        mass [kg]: mass; not negative; required unless it is a disc or fills a mesh
        inertia [kg*m^2]: about the centre of mass, body axes: 3, 6 or 3x3; none: point mass; or {mesh, density, scale, at}: that of what a mesh encloses, which gives mass and place, too
        disc: in place of mass and inertia: {mass, Id, Ip} or {diameter, width, density}
        at [m]: centre of mass in the reference configuration, global axes; required unless it is on a node or fills a mesh
        on: body, marker or node that it is fixed on
        rotation: body axes in the reference configuration, default global axes
        shape: for drawing only
        """
    @overload
    def flexible(
        self, name: str, type: Literal["beam"], *,
        points: Sequence[Vector],
        E: Number | Vector,
        names: Any | None = None,
        y_axis: Vector | None = None,
        G: Number | Vector | None = None,
        nu: Number | None = None,
        density: Number | Vector | None = None,
        diameter: Number | Vector | None = None,
        inner_diameter: Number | Vector | None = None,
        width: Number | Vector | None = None,
        height: Number | Vector | None = None,
        area: Number | Vector | None = None,
        Iy: Number | Vector | None = None,
        Iz: Number | Vector | None = None,
        J: Number | Vector | None = None,
        shear: bool | None = None,
        ky: Number | Vector | None = None,
        kz: Number | Vector | None = None,
        mass_per_length: Number | Vector | None = None,
        jx: Number | Vector | None = None,
        jy: Number | Vector | None = None,
        jz: Number | Vector | None = None,
        twist: Number | Vector | None = None,
        mass_offset: Sequence[Vector] | None = None,
        elastic_offset: Sequence[Vector] | None = None,
        elements: Number | Vector | None = None,
        sections: int | None = None,
        cuts: Any | None = None,
        segments: int | None = None,
        modes: int | None = None,
        interface: Any | None = None,
        damping: Number | None = None,
        tension: Number | Vector | None = None,
        spin: Vector | None = None,
        spin_at: Vector | None = None,
        held: str | None = None,
        shape: Any | None = None,
    ) -> Self:
        """A beam along a line, by finite elements.

        points: stations along the line in the drawing, [[x, y, z], ...], m
        names: names of the stations; start and end, and 1, 2, ... are always known
        y_axis: direction of the section's y axis, default the drawing axis most across it
        E [Pa]: Young's modulus
        G [Pa]: shear modulus, default from nu
        nu [1]: Poisson's ratio
        density [kg/m^3]: density
        diameter [m]: a round section: its outer diameter
        inner_diameter [m]: and that of its bore
        width [m]: a rectangular section: its size along y
        height [m]: and along z
        area [m^2]: any section: its area
        Iy [m^4]: second moment about y: bending in the x-z plane
        Iz [m^4]: second moment about z: bending in the x-y plane
        J [m^4]: torsion constant
        shear: false: rigid in shear (Euler-Bernoulli)
        ky [1]: shear coefficient for forces along y (Timoshenko)
        kz [1]: and along z
        mass_per_length [kg/m]: mass per length, default density times area
        jx [kg*m]: rotary inertia per length about x, default density (Iy + Iz)
        jy [kg*m]: about y, default density Iy
        jz [kg*m]: about z, default density Iz
        twist [rad]: angle of the section about the line
        mass_offset: mass centre from the line, [y, z] in section axes, or one for each station
        elastic_offset: elastic centre from the line, likewise
        elements [1]: finite elements between two stations, or a list; default 24 in all
        sections: number of bodies with modes of their own, joined rigidly
        cuts: stations at which to part it into sections instead
        segments: a chain of so many rigid bodies with matched springs instead of modes
        modes: modes with the interface nodes held, default 8 (4 for each of several sections)
        interface: interface nodes, default all nodes that the model uses
        damping [1]: damping ratio of every mode of the free body
        tension [N]: axial force in the beam as drawn, tension positive: one, or per element
        spin [rad/s]: angular velocity whose centrifugal load the beam has as drawn
        spin_at [m]: a point on the axis of the spin, default the origin
        held: station that bears the centrifugal load
        shape: for drawing only
        """
    @overload
    def flexible(
        self, name: str, type: Literal["matrices"], *,
        file: str | None = None,
        mass: str | None = None,
        stiffness: str | None = None,
        matrices: Any | None = None,
        nodes: str | None = None,
        reduced: bool | None = None,
        at: Vector | None = None,
        rotation: Mapping[str, Any] | None = None,
        modes: int | None = None,
        interface: Any | None = None,
        damping: Number | None = None,
        shape: Any | None = None,
    ) -> Self:
        """A body given by mass and stiffness matrices.

        file: npz file with M, K and nodes
        mass: file of the mass matrix: npz, Matrix Market, OP4 or punch
        stiffness: file of the stiffness matrix
        matrices: names of mass and stiffness matrix in a file that holds several (OP4, punch)
        nodes: file of the nodes: csv with name, x, y, z
        reduced: the matrices are Craig and Bampton's: rows that belong to no node are amplitudes of modes
        at [m]: where the origin of the files stands in the drawing, default its origin
        rotation: how their axes are turned in the drawing
        modes: modes with the interface nodes held, default 8 (4 for each of several sections)
        interface: interface nodes, default all nodes that the model uses
        damping [1]: damping ratio of every mode of the free body
        shape: for drawing only
        """
    def marker(
        self, name: str, *,
        body: str,
        at: Vector | None = None,
        rotation: Mapping[str, Any] | None = None,
        frame: Literal["ground", "body"] | None = None,
    ) -> Self:
        """A frame fixed on a body.

        body: body, moving frame or ground that carries the marker
        at [m]: position; may be left out with `frame: body` (centre of mass)
        rotation: axes of the marker, default those of its frame
        frame: axes in which these are given
        """
    def frame(
        self, name: str, *,
        about: Vector,
        rate: Number,
        at: Vector | None = None,
    ) -> Self:
        """A moving reference frame with prescribed rotation.

        about: axis of rotation
        at [m]: a point on the axis, default the origin
        rate [rad/s]: angular velocity
        """
    @overload
    def joint(
        self, name: str, type: Literal["fixed"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """No relative motion.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["revolute"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Hinge: rotation about the axis.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["prismatic"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Slider: displacement along the axis.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["cylindrical"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Displacement along and rotation about the axis.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["screw"], *,
        between: Sequence[str],
        pitch: Number,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Displacement proportional to rotation: displacement = pitch * angle.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        pitch [m/rad]: advance per radian
        """
    @overload
    def joint(
        self, name: str, type: Literal["universal"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Hooke joint: angle1 about axis fixed in the first body, angle2 about axis2 fixed in the second.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["spherical"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Ball joint.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["point"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Ball joint under its primitive name: the two points coincide.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["planar"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """Motion in the plane normal to the axis.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["free"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """No constraint: six coordinates of the second body relative to the first.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["inline"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The second body's point stays on the axis of the first.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["inplane"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The second body's point stays in the plane normal to the axis of the first.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["parallel"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The two axes stay parallel.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["perpendicular"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The axis of the first body and axis2 of the second stay perpendicular.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["orientation"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """No relative rotation.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["distance"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The distance of two points stays as drawn: a massless rod.

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    @overload
    def joint(
        self, name: str, type: Literal["rolling"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
        radius: Number | None = None,
        tube: Number | None = None,
        surface: Any | None = None,
        normal: Vector | None = None,
    ) -> Self:
        """A wheel (thin disc, or torus with `tube`), a ball, an ellipsoid or any other convex body rolls on a plane of the

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        radius [m]: radius of the wheel (of the tube's centre line)
        tube [m]: radius of the tube of a torus wheel, default a thin disc
        surface: in place of a wheel: {sphere}, {ellipsoid} or {implicit}, in the joint's axes at its point
        normal: normal of the plane, default global z
        """
    @overload
    def joint(
        self, name: str, type: Literal["knife_edge"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
        lower: Any | None = None,
        upper: Any | None = None,
        armature: Any | None = None,
        motion: Any | None = None,
    ) -> Self:
        """The point of the second body does not move along the axis fixed in it (skate, thin wheel seen from above).

        between: first and second: bodies, markers, frames or ground
        at [m]: point of the joint (two points: one on each side)
        axis: axis of the joint, default global z
        axis2: second axis
        position [coordinate]: initial value of the coordinates
        velocity [coordinate/s]: initial rate of the coordinates
        lower [coordinate]: lower limit of the coordinates: noted, not enforced
        upper [coordinate]: upper limit of the coordinates: noted, not enforced
        armature: inertia on the rate of the coordinates: kg or kg*m^2
        motion [coordinate]: prescribed motion as an expression of t
        """
    def rotor(
        self, name: str, *,
        joint: str,
        blades: Any,
    ) -> Self:
        """Equal blades on a hub, named by hand.

        joint: joint whose second body is the hub that turns
        blades: the same body of each blade, three or more
        """
    @overload
    def coupling(
        self, name: str, type: Literal["gear"], *,
        joints: Sequence[str],
        ratio: Number,
        constant: Number | None = None,
    ) -> Self:
        """first + ratio * second = 0

        joints: two measures
        ratio: first + ratio * second = 0
        constant: value of the combination, default 0
        """
    @overload
    def coupling(
        self, name: str, type: Literal["worm"], *,
        joints: Sequence[str],
        ratio: Number,
        constant: Number | None = None,
    ) -> Self:
        """first + ratio * second = 0

        joints: two measures
        ratio: first + ratio * second = 0
        constant: value of the combination, default 0
        """
    @overload
    def coupling(
        self, name: str, type: Literal["rack"], *,
        joints: Sequence[str],
        ratio: Number,
        constant: Number | None = None,
    ) -> Self:
        """first + ratio * second = 0

        joints: two measures
        ratio: first + ratio * second = 0
        constant: value of the combination, default 0
        """
    @overload
    def coupling(
        self, name: str, type: Literal["screw"], *,
        joints: Sequence[str],
        ratio: Number,
        constant: Number | None = None,
    ) -> Self:
        """first + ratio * second = 0

        joints: two measures
        ratio: first + ratio * second = 0
        constant: value of the combination, default 0
        """
    @overload
    def coupling(
        self, name: str, type: Literal["linear"], *,
        terms: Mapping[str, Number],
        constant: Number | None = None,
    ) -> Self:
        """sum of coefficient * measure = constant

        terms: {measure: coefficient}
        constant: value of the combination, default 0
        """
    @overload
    def coupling(
        self, name: str, type: Literal["polynomial"], *,
        joints: Sequence[str],
        coefficients: Vector,
    ) -> Self:
        """first = c0 + c1 * second + c2 * second^2 + ...

        joints: two measures, the first a function of the second
        coefficients: c0, c1, c2, ... of the powers, in SI units
        """
    @overload
    def coupling(
        self, name: str, type: Literal["velocity"], *,
        speed: Number,
    ) -> Self:
        """A general non-holonomic constraint.

        speed: held at zero; linear in the rates: a' - r(b)*b'
        """
    @overload
    def measure(
        self, name: str, type: Literal["displacement"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        in_: str | None = None,
    ) -> Self:
        """displacement of the second point from the first along the axis

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        in: body, marker or frame in which the axis is fixed, default the first
        """
    @overload
    def measure(
        self, name: str, type: Literal["distance"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
    ) -> Self:
        """distance of two points

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        """
    @overload
    def measure(
        self, name: str, type: Literal["angle"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
    ) -> Self:
        """angle of the second about the axis fixed in the first; counts full turns

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        axis2: second direction
        """
    @overload
    def measure(
        self, name: str, type: Literal["rotation"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
    ) -> Self:
        """component of the relative rotation vector along the axis of the first

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        axis2: second direction
        """
    @overload
    def measure(
        self, name: str, type: Literal["cosine"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
    ) -> Self:
        """cosine between axis of the first and axis2 of the second

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        axis2: second direction
        """
    @overload
    def measure(
        self, name: str, type: Literal["angles"], *,
        of: str | None = None,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        sequence: Literal["xyx", "xyz", "xzx", "xzy", "yxy", "yxz", "yzx", "yzy", "zxy", "zxz", "zyx", "zyz"] | None = None,
        position: Any | None = None,
        velocity: Any | None = None,
    ) -> Self:
        """three angles of the second relative to the first, `name.1 name.2 name.3`: Euler, Cardan, any sequence

        of: joint whose second body turns relative to the first
        between: first and second body or marker, in place of a joint
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        axis2: second direction
        sequence: axes of the rotations, each in the frame turned by those before (intrinsic)
        position [coordinate]: initial angles
        velocity [coordinate/s]: initial rates of the angles
        """
    @overload
    def measure(
        self, name: str, type: Literal["quaternion"], *,
        of: str | None = None,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        position: Any | None = None,
    ) -> Self:
        """Euler parameters of the second relative to the first, `name.w name.x name.y name.z`, with w >= 0

        of: joint whose second body turns relative to the first
        between: first and second body or marker, in place of a joint
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        axis2: second direction
        position [coordinate]: initial components [w, x, y, z]
        """
    @overload
    def measure(
        self, name: str, type: Literal["velocity"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        in_: str | None = None,
        initial: Number | None = None,
    ) -> Self:
        """velocity of the second point relative to the first body, along the axis

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        in: body, marker or frame in which the axis is fixed, default the first; the second gives components in its own axes
        initial [m/s]: value at the start
        """
    @overload
    def measure(
        self, name: str, type: Literal["angular_velocity"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        in_: str | None = None,
        initial: Number | None = None,
    ) -> Self:
        """angular velocity of the second relative to the first, along the axis

        between: first and second body or marker
        at [m]: points on the two, default their markers or centres of mass
        axis: direction, default the first marker's z or global z
        in: body, marker or frame in which the axis is fixed, default the first; the second gives components in its own axes
        initial [rad/s]: value at the start
        """
    @overload
    def measure(
        self, name: str, type: Literal["angular_momentum"], *,
        of: Any | None = None,
        at: Vector | None = None,
        axis: Vector | None = None,
        in_: str | None = None,
        initial: Number | None = None,
    ) -> Self:
        """angular momentum of bodies along the axis

        of: bodies, default all
        at [m]: point at rest about which it is taken, default their centre of mass
        axis: direction, default global z
        in: body, marker or frame in which the axis is fixed, default ground
        initial [kg*m^2/s]: value at the start
        """
    @overload
    def measure(
        self, name: str, type: Literal["sum"], *,
        terms: Mapping[str, Number],
        constant: Number | None = None,
        unit: Literal["m", "rad", "1"] | None = None,
    ) -> Self:
        """sum of factor * measure, and a constant: a cable over pulleys, a differential, a mean

        terms: {measure: factor}
        constant: added to the sum
        unit: unit of the sum, default that of its terms
        """
    @overload
    def force(
        self, name: str, type: Literal["spring"], *,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        k: Number | None = None,
        c: Number | None = None,
        free_length: Number | None = None,
        free: Number | None = None,
        force: Signal | None = None,
    ) -> Self:
        """Springs and dampers between two points or along any measure: f = k (s - s0) + c s' + force(s, v).

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        k: stiffness
        c: viscous damping
        free_length [m]: free length (point to point)
        free: value of the measure without force, default 0
        force: further tension: expression of s (deflection) and v (rate), or table
        """
    @overload
    def force(
        self, name: str, type: Literal["damper"], *,
        c: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
    ) -> Self:
        """Viscous damper between two points or along any measure.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        c: viscous damping
        """
    @overload
    def force(
        self, name: str, type: Literal["rotational_damper"], *,
        between: Sequence[str],
        c: Number,
        at: Vector | Sequence[Vector] | None = None,
    ) -> Self:
        """Damping of relative rotation: a moment -c (w2 - w1) on the second body, its opposite on the first.

        between: first and second body or marker
        at [m]: without effect but where it is drawn
        c [N*m*s/rad]: viscous damping about every axis
        """
    @overload
    def force(
        self, name: str, type: Literal["bushing"], *,
        between: Sequence[str],
        k: Any,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        c: Any | None = None,
        load: Vector | None = None,
    ) -> Self:
        """Elastic connection in six directions.

        between: first and second body or marker
        at [m]: point
        axis: z axis of its frame, default global z
        axis2: x axis of its frame
        k [stiffness]: stiffness: six values or 6x6; numbers, expressions or tables
        c [damping]: damping: six values or 6x6; numbers, expressions or tables
        load [N]: force on the second body without deflection, in the axes of the frame
        """
    @overload
    def force(
        self, name: str, type: Literal["bearing"], *,
        between: Sequence[str],
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        axis2: Vector | None = None,
        k: Any | None = None,
        c: Any | None = None,
        load: Vector | None = None,
        kxx: Any | None = None,
        kxy: Any | None = None,
        kxz: Any | None = None,
        kyx: Any | None = None,
        kyy: Any | None = None,
        kyz: Any | None = None,
        kzx: Any | None = None,
        kzy: Any | None = None,
        kzz: Any | None = None,
        cxx: Any | None = None,
        cxy: Any | None = None,
        cxz: Any | None = None,
        cyx: Any | None = None,
        cyy: Any | None = None,
        cyz: Any | None = None,
        czx: Any | None = None,
        czy: Any | None = None,
        czz: Any | None = None,
        speed: Vector | None = None,
        table: str | None = None,
        of: Any | None = None,
        interpolation: Literal["spline", "monotone"] | None = None,
    ) -> Self:
        """Bearing or seal: a bushing that lets the second body spin freely; coefficients may vary with the speed.

        between: first and second body or marker
        at [m]: point
        axis: z axis of its frame, default global z
        axis2: x axis of its frame
        k [stiffness]: stiffness: six values or 6x6; numbers, expressions or tables
        c [damping]: damping: six values or 6x6; numbers, expressions or tables
        load [N]: force on the second body without deflection, in the axes of the frame
        kxx [N/m]: force along x by displacement along x: number, expression, table, or list over `speed`
        kxy [N/m]: force along x by displacement along y: number, expression, table, or list over `speed`
        kxz [N/m]: force along x by displacement along z: number, expression, table, or list over `speed`
        kyx [N/m]: force along y by displacement along x: number, expression, table, or list over `speed`
        kyy [N/m]: force along y by displacement along y: number, expression, table, or list over `speed`
        kyz [N/m]: force along y by displacement along z: number, expression, table, or list over `speed`
        kzx [N/m]: force along z by displacement along x: number, expression, table, or list over `speed`
        kzy [N/m]: force along z by displacement along y: number, expression, table, or list over `speed`
        kzz [N/m]: force along z by displacement along z: number, expression, table, or list over `speed`
        cxx [N*s/m]: force along x by velocity along x: number, expression, table, or list over `speed`
        cxy [N*s/m]: force along x by velocity along y: number, expression, table, or list over `speed`
        cxz [N*s/m]: force along x by velocity along z: number, expression, table, or list over `speed`
        cyx [N*s/m]: force along y by velocity along x: number, expression, table, or list over `speed`
        cyy [N*s/m]: force along y by velocity along y: number, expression, table, or list over `speed`
        cyz [N*s/m]: force along y by velocity along z: number, expression, table, or list over `speed`
        czx [N*s/m]: force along z by velocity along x: number, expression, table, or list over `speed`
        czy [N*s/m]: force along z by velocity along y: number, expression, table, or list over `speed`
        czz [N*s/m]: force along z by velocity along z: number, expression, table, or list over `speed`
        speed [rad/s]: speeds for which lists of coefficients are given, increasing
        table: csv file with columns speed, kxx, ..., units in brackets: speed [rpm]
        of [rad/s]: speed that lists and table are over; default that of the second body about the axis, relative to the first
        interpolation: of lists and table: cubic spline, or monotone cubic pieces
        """
    @overload
    def force(
        self, name: str, type: Literal["beam"], *,
        between: Sequence[str],
        E: Number,
        area: Number,
        Iy: Number,
        Iz: Number,
        J: Number,
        at: Vector | Sequence[Vector] | None = None,
        y_axis: Vector | None = None,
        G: Number | None = None,
        nu: Number | None = None,
        ky: Number | None = None,
        kz: Number | None = None,
        tension: Number | None = None,
        length: Number | None = None,
        damping: Number | None = None,
    ) -> Self:
        """Massless beam between two bodies: six natural deflections of its two end frames, energy-consistent in any pose.

        between: first and second body or marker
        at [m]: the two end points
        y_axis: y axis of the section, made normal to the beam
        E [Pa]: Young's modulus
        G [Pa]: shear modulus
        nu [1]: Poisson's ratio: G = E/(2 (1 + nu))
        area [m^2]: area of the section
        Iy [m^4]: second moment of area about y: bending along z
        Iz [m^4]: second moment of area about z: bending along y
        J [m^4]: torsion constant
        ky [1]: shear coefficient along y; without it no shear deflection along y
        kz [1]: shear coefficient along z; without it no shear deflection along z
        tension [N]: axial force at the length `length`, default 0
        length [m]: length, default as drawn
        damping [s]: damping proportional to the stiffness: c = damping * k
        """
    @overload
    def force(
        self, name: str, type: Literal["force"], *,
        body: str,
        value: Any,
        at: Vector | None = None,
        axes: Literal["ground", "body"] | None = None,
        frame: Literal["ground", "body"] | None = None,
    ) -> Self:
        """Force at a point of a body.

        body: body or marker on which it acts
        at [m]: point of application, default the marker or the centre of mass
        value [N]: three components: numbers, expressions or tables
        axes: axes of the components
        frame: body: `at` is local
        """
    @overload
    def force(
        self, name: str, type: Literal["torque"], *,
        body: str,
        value: Any,
        at: Vector | None = None,
        axes: Literal["ground", "body"] | None = None,
        frame: Literal["ground", "body"] | None = None,
    ) -> Self:
        """Torque on a body.

        body: body or marker on which it acts
        at [m]: point of application, default the marker or the centre of mass
        value [N*m]: three components: numbers, expressions or tables
        axes: axes of the components
        frame: body: `at` is local
        """
    @overload
    def force(
        self, name: str, type: Literal["expression"], *,
        value: Signal,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
    ) -> Self:
        """Force along a measure given by an expression.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        value: force; positive increases the measure
        """
    @overload
    def force(
        self, name: str, type: Literal["actuator"], *,
        value: Signal,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
    ) -> Self:
        """Force along a measure or between two points.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        value: force; positive increases the measure
        """
    @overload
    def force(
        self, name: str, type: Literal["friction"], *,
        coulomb: Number,
        transition: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        static: Number | None = None,
        stribeck: Number | None = None,
        viscous: Number | None = None,
    ) -> Self:
        """Smooth Coulomb and Stribeck friction along any measure or between two points.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        coulomb: sliding friction force, or mu times a normal force
        static: breakaway force (Stribeck), default the sliding one
        stribeck: Stribeck speed, default ten times the transition speed
        transition: speed over which the sign changes smoothly
        viscous: viscous part
        """
    @overload
    def force(
        self, name: str, type: Literal["one_sided"], *,
        gap: Number,
        k: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        side: Literal["above", "below"] | None = None,
        c: Number | None = None,
        exponent: Number | None = None,
        smooth: Number | None = None,
    ) -> Self:
        """Springs that act on one side of a gap only: one-sided spring, bump stop, and backlash (play between two of them).

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        gap: value of the measure at which contact begins
        side: side of the gap on which it acts
        k: stiffness in contact (force at one unit of depth)
        c: damping in contact
        exponent [1]: power of the depth
        smooth: width of the corner, default sharp
        """
    @overload
    def force(
        self, name: str, type: Literal["backlash"], *,
        gap: Number,
        k: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        centre: Number | None = None,
        c: Number | None = None,
        exponent: Number | None = None,
        smooth: Number | None = None,
    ) -> Self:
        """Play between two one-sided springs.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        gap: whole play
        centre: middle of the play, default 0
        k: stiffness in contact (force at one unit of depth)
        c: damping in contact
        exponent [1]: power of the depth
        smooth: width of the corner, default sharp
        """
    @overload
    def force(
        self, name: str, type: Literal["maxwell"], *,
        k: Number,
        c: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        free_length: Number | None = None,
        free: Number | None = None,
        initial: Number | None = None,
    ) -> Self:
        """Maxwell element: a spring and a damper in series. Its state x is the deflection of the damper.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        k: stiffness of the spring
        c: damper in series
        free_length [m]: free length (point to point)
        free: value of the measure without force, default 0
        initial: deflection of the damper at the start, default 0
        """
    @overload
    def force(
        self, name: str, type: Literal["motor"], *,
        curve: Signal,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
    ) -> Self:
        """Motors along a measure (an angle, a stroke): by a curve of force over speed, or with the current as a state.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        curve: force over the speed v: table or expression
        """
    @overload
    def force(
        self, name: str, type: Literal["dc_motor"], *,
        R: Number,
        L: Number,
        K: Number,
        between: Sequence[str] | None = None,
        at: Vector | Sequence[Vector] | None = None,
        along: str | None = None,
        voltage: Number | None = None,
        initial: Number | None = None,
    ) -> Self:
        """Direct-current motor with its current as a state.

        between: two bodies or markers: point to point
        at [m]: the two end points
        along: the measure along which it acts
        voltage [V]: number or expression (an input, a controller), default 0
        R [ohm]: resistance
        L [H]: inductance
        K: motor constant: force per current, voltage per speed
        initial [A]: current at the start, default 0
        """
    @overload
    def force(
        self, name: str, type: Literal["tyre"], *,
        between: Sequence[str],
        radius: Number,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        normal: Vector | None = None,
        low_speed: Number | None = None,
        tube: Number | None = None,
        k: Number | None = None,
        c: Number | None = None,
        load: Number | None = None,
        cornering_stiffness: Number | None = None,
        lateral: Vector | None = None,
        longitudinal_stiffness: Number | None = None,
        longitudinal: Vector | None = None,
        combined: Vector | None = None,
        load_sensitivity: Number | None = None,
        camber_stiffness: Number | None = None,
        trail: Number | None = None,
        aligning: Vector | None = None,
        overturning_stiffness: Number | None = None,
        relaxation: Number | None = None,
        longitudinal_relaxation: Number | None = None,
    ) -> Self:
        """Tyre on a plane: load by its vertical deflection, forces by slip, linear or by the Magic Formula.

        between: body of the plane or rail, and the wheel
        at [m]: centre of the wheel; two points: a point of the plane, the centre
        axis: axis of the wheel, to its left; default global z
        radius [m]: radius of the wheel
        normal: normal of the plane, default global z
        low_speed [m/s]: slip is relative to sqrt(V^2 + low_speed^2), default 0
        tube [m]: radius of a round cross-section, default a thin disc
        k [N/m]: vertical stiffness; without it the wheel is held in height by joints
        c [N*s/m]: vertical damping
        load [N]: vertical force where the wheel just touches; the load without k
        cornering_stiffness [N/rad]: lateral force per side slip angle
        lateral [1]: B, C, D, E of the lateral force; D is the friction coefficient
        longitudinal_stiffness [N]: longitudinal force per slip
        longitudinal [1]: B, C, D, E of the longitudinal force
        combined [1]: Bx, Cx, By, Cy of the weights of combined slip
        load_sensitivity [1]: loss of D per relative excess of Fz over load
        camber_stiffness [N/rad]: lateral force per camber
        trail [m]: pneumatic trail
        aligning [1]: B, C, D, E of the trail; D in m
        overturning_stiffness [N*m/rad]: uprighting moment per camber
        relaxation [m]: relaxation length of the side slip; state name.alpha
        longitudinal_relaxation [m]: that of the slip; state name.kappa
        """
    @overload
    def force(
        self, name: str, type: Literal["wheel_rail"], *,
        between: Sequence[str],
        radius: Number,
        longitudinal: Number,
        lateral: Number,
        at: Vector | Sequence[Vector] | None = None,
        axis: Vector | None = None,
        normal: Vector | None = None,
        low_speed: Number | None = None,
        conicity: Number | None = None,
        lateral_spin: Number | None = None,
        spin: Number | None = None,
    ) -> Self:
        """Conical wheel on a rail: creep forces linear in creepage (Kalker's coefficients given), rolling radius by conicity.

        between: body of the plane or rail, and the wheel
        at [m]: centre of the wheel; two points: a point of the plane, the centre
        axis: axis of the wheel, to its left; default global z
        radius [m]: radius of the wheel
        normal: normal of the plane, default global z
        low_speed [m/s]: slip is relative to sqrt(V^2 + low_speed^2), default 0
        conicity [1]: growth of the radius per displacement to the left
        longitudinal [N]: Kalker's longitudinal coefficient (f33)
        lateral [N]: Kalker's lateral coefficient (f11)
        lateral_spin [N*m]: coefficient of lateral force by spin (f12)
        spin [N*m*m]: spin coefficient (f22)
        """
    def driver(
        self, name: str, *,
        measure: str,
        motion: Signal,
        side: Literal["above", "below"] | None = None,
        assembly: bool | None = None,
    ) -> Self:
        """A measure prescribed in time.

        measure: the measure that is prescribed
        motion: its value as expression of t
        side: one-sided: the measure may be above (below) it
        assembly: held while the mechanism is assembled, then released
        """
    def state(
        self, name: str, *,
        initial: Number | None = None,
        rate: Signal | None = None,
        residual: Signal | None = None,
        unit: str | None = None,
    ) -> Self:
        """A first-order state, explicit (rate) or implicit (residual).

        initial: value at the start
        rate: its time derivative
        residual: what must be zero, an expression in which name' is the time derivative
        unit: unit to show; known by itself for measures, forces and reactions
        """
    @overload
    def block(
        self, name: str, type: Literal["transfer"], *,
        input: Number,
        numerator: Vector,
        denominator: Vector,
    ) -> Self:
        """Transfer functions, filters and delays: y = numerator(s) / denominator(s) u, in controllable form.

        input: what goes in: an expression
        numerator: coefficients, highest power first
        denominator: coefficients, highest power first
        """
    @overload
    def block(
        self, name: str, type: Literal["state_space"], *,
        inputs: Any,
        A: Sequence[Vector],
        B: Sequence[Vector],
        C: Sequence[Vector],
        D: Sequence[Vector] | None = None,
        outputs: Sequence[str] | None = None,
        initial: Vector | None = None,
    ) -> Self:
        """Linear state-space block: x' = A x + B u, y = C x + D u.

        inputs: what goes in: a list of expressions
        A: n x n
        B: n x inputs
        C: outputs x n
        D: outputs x inputs, default zero
        outputs: names of the outputs (block.name), default y1, y2, ...
        initial: initial states, default zero
        """
    @overload
    def block(
        self, name: str, type: Literal["pid"], *,
        input: Number,
        kp: Number | None = None,
        ki: Number | None = None,
        kd: Number | None = None,
        filter: Number | None = None,
    ) -> Self:
        """PID controller: y = kp e + ki integral(e) + kd e_filtered', the derivative by a filter of time constant `filter`.

        input: what goes in: an expression
        kp: proportional gain
        ki: integral gain
        kd: derivative gain
        filter [s]: time constant of the derivative's filter
        """
    @overload
    def block(
        self, name: str, type: Literal["filter"], *,
        input: Number,
        corner: Number,
        kind: Literal["lowpass", "highpass"] | None = None,
        order: int | None = None,
        damping: Number | None = None,
    ) -> Self:
        """Low or high pass of first or second order.

        input: what goes in: an expression
        kind: what passes
        corner [rad/s]: corner frequency
        order: 1 or 2
        damping [1]: damping ratio of the second order
        """
    @overload
    def block(
        self, name: str, type: Literal["delay"], *,
        input: Number,
        time: Number,
        order: int | None = None,
    ) -> Self:
        """Dead time by a Padé approximation.

        input: what goes in: an expression
        time [s]: delay
        order: order of the Padé approximation, 1 to 8
        """
    def input(
        self, name: str, *,
        along: str | None = None,
        body: str | None = None,
        at: Vector | None = None,
        direction: Vector | None = None,
        axes: Literal["ground", "body"] | None = None,
        torque: bool | None = None,
        value: Number | None = None,
        unit: str | None = None,
    ) -> Self:
        """An input: a force along a measure, or a force or torque at a marker.

        along: measure along which the input force acts; positive increases it
        body: body or marker at which an input force acts
        at [m]: its point
        direction: its direction
        axes: axes of the direction
        torque: a torque about the direction instead of a force
        value: value at the operating point
        unit: unit to show; known by itself for measures, forces and reactions
        """
    def output(
        self, name: str, *,
        measure: str | None = None,
        order: int | None = None,
        expression: Signal | None = None,
        state: str | None = None,
        reaction: str | None = None,
        force: str | None = None,
        component: Literal["fx", "fy", "fz", "mx", "my", "mz"] | None = None,
        axes: Literal["joint", "ground"] | None = None,
        unit: str | None = None,
    ) -> Self:
        """An output.

        measure: the measure
        order: 0 value (default), 1 rate, 2 acceleration
        expression: expression of measures, rates, second rates, states, inputs, reactions, forces, t
        state: a first-order state, also of a block (block.x1) or an element (motor.i)
        reaction: a joint: force or moment of its first body on the second
        force: a force element: its tension
        component: of a reaction, or of a force along several measures
        axes: axes of a reaction, default joint
        unit: unit to show; known by itself for measures, forces and reactions
        """
