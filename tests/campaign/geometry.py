"""Rotations and poses in long arithmetic (python-flint), from the conventions of docs/conventions.md alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx, fmpq

PRECISION = 1280  # bits: three nested differences with steps of 2**-280 leave 84 digits
STEP = arb(2) ** -280
ZERO, ONE = arb(0), arb(1)
IDENTITY = arb_mat([[1, 0, 0], [0, 1, 0], [0, 0, 1]])


def use_long_arithmetic() -> None:
    """Every number from here on has PRECISION bits."""
    ctx.prec = PRECISION


def exact(number: Any) -> arb:
    """A number of the model file as the tool holds it: a double, exactly; text is a fraction or a decimal."""
    fraction = Fraction(number)
    return arb(fmpq(fraction.numerator, fraction.denominator))


def column(values: Any) -> arb_mat:
    return arb_mat([[value if isinstance(value, arb) else exact(value)] for value in values])


def entries(vector: arb_mat) -> list[arb]:
    return vector.entries()


def dot(a: arb_mat, b: arb_mat) -> arb:
    x, y = a.entries(), b.entries()
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2]


def cross(a: arb_mat, b: arb_mat) -> arb_mat:
    (x, y, z), (u, v, w) = a.entries(), b.entries()
    return arb_mat([[y * w - z * v], [z * u - x * w], [x * v - y * u]])


def skew(vector: arb_mat) -> arb_mat:
    x, y, z = vector.entries()
    return arb_mat([[ZERO, -z, y], [z, ZERO, -x], [-y, x, ZERO]])


def axial(matrix: arb_mat) -> list[arb]:
    """The vector of the skew part of a matrix."""
    half = ONE / 2
    return [
        (matrix[2, 1] - matrix[1, 2]) * half,
        (matrix[0, 2] - matrix[2, 0]) * half,
        (matrix[1, 0] - matrix[0, 1]) * half,
    ]


def unit(vector: arb_mat) -> arb_mat:
    return vector * (ONE / dot(vector, vector).sqrt())


def rotation(vector: arb_mat) -> arb_mat:
    """The rotation by a rotation vector."""
    square = dot(vector, vector)
    turn = skew(vector)
    if square < STEP**4:
        return IDENTITY + turn + turn * turn / 2  # the third power of the angle is beyond the last digit
    angle = square.sqrt()
    half = (angle / 2).sin() / angle
    return IDENTITY + turn * (angle.sin() / angle) + turn * turn * (2 * half * half)


def turn_about_z(angle: arb) -> arb_mat:
    sine, cosine = angle.sin_cos()
    return arb_mat([[cosine, -sine, ZERO], [sine, cosine, ZERO], [ZERO, ZERO, ONE]])


def rotation_vector(matrix: arb_mat) -> list[arb]:
    """The rotation vector of a rotation by less than half a turn."""
    direction = axial(matrix)  # axis times sine
    sine = sum((x * x for x in direction), ZERO)
    if abs(sine) < STEP**5:
        return direction  # the angle is so small that angle and sine agree to all digits that matter
    sine = sine.sqrt()
    cosine = (matrix[0, 0] + matrix[1, 1] + matrix[2, 2] - 1) / 2
    return [x * (arb.atan2(sine, cosine) / sine) for x in direction]


class Pose(NamedTuple):
    """Axes as columns of R and origin r, both in the axes of the parent."""

    R: arb_mat
    r: arb_mat

    def __matmul__(self, inner: Pose) -> Pose:  # type: ignore[override]
        return Pose(self.R * inner.R, self.r + self.R * inner.r)

    def inverse(self) -> Pose:
        back = self.R.transpose()
        return Pose(back, -(back * self.r))


AT_REST = Pose(IDENTITY, column([0, 0, 0]))


def frame(origin: arb_mat, axis: Any, axis2: Any) -> Pose:
    """z along `axis`, x along `axis2` or the global axis least aligned with z, made normal to z."""
    z = unit(column(axis))
    if axis2 is None:
        sizes = [abs(float(x.mid())) for x in z.entries()]
        least = sizes.index(min(sizes))
        axis2 = [1 if i == least else 0 for i in range(3)]
    other = column(axis2)
    x = unit(other - z * dot(other, z))
    y = cross(z, x)
    rows = [[x[i, 0], y[i, 0], z[i, 0]] for i in range(3)]
    return Pose(arb_mat(rows), origin)


def body_rotation(entry: Any) -> arb_mat:
    """The drawn rotation of a body, given by axis and angle."""
    if entry is None:
        return IDENTITY
    return rotation(unit(column(entry["axis"])) * exact(entry["angle"]))
