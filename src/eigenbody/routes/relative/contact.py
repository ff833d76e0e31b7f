"""Where a wheel or a blade touches, and the speeds there: the directions of tyre and creep forces and of no-slip rows.

The second side slides over the first with a speed along a direction e at the point p that they share,

    sigma = e . (v_2 + w_2 x (p - r_2) - v_1 - w_1 x (p - r_1)),

which has a gradient like any measure but no value. Sites say where p is and which directions there are, and how both
change along a motion.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np

from eigenbody.routes.relative.measures import Pose, Terms, Twists, moments, point_at, point_rate, six, turned
from eigenbody.routes.relative.sides import Side
from eigenbody.spatial.rotations import cross, dot


class Moving(NamedTuple):
    """A vector (3,) and its rates along motions (..., 3)."""

    value: np.ndarray
    rate: np.ndarray


class Site(Protocol):
    """Where two bodies touch."""

    @property
    def first(self) -> Side:
        """On the body that is slid upon."""
        ...

    @property
    def second(self) -> Side:
        """On the body that slides."""
        ...

    def vectors(self, pose: Pose, motion: Twists) -> dict[str, Moving]:
        """The shared point `touch`, and directions by name."""
        ...


@dataclass(frozen=True, eq=False)
class Edge:
    """A blade: the point of the second side and the z axis fixed there, `across`."""

    first: Side
    second: Side

    def vectors(self, pose: Pose, motion: Twists) -> dict[str, Moving]:
        """Both are fixed on the second body."""
        c = self.second.carrier
        across = pose.R[c] @ self.second.axes[:, 2]
        touch = Moving(point_at(self.second, pose), point_rate(self.second, pose, motion))
        return {"touch": touch, "across": Moving(across, turned(c, across, motion))}


@dataclass(frozen=True, eq=False)
class Disc:
    """A disc, or a torus with a `tube`, on a plane of the first side: its lowest point at any lean.

    plane: columns e1, e2 and the normal n in the axes of the first body. With the axle a (z of the second side),
    b = n.a and m = sqrt(1 - b^2) it is at d = r (b a - n)/m - tube n from the centre; the wheel heads along
    h = a x n/m and l = n x h points to its left.
    """

    first: Side
    second: Side
    plane: np.ndarray
    radius: float
    tube: float = 0.0

    def vectors(self, pose: Pose, motion: Twists) -> dict[str, Moving]:
        """`centre`, `touch`, `x` and `y` of the plane, `normal`, `ahead`, `left`."""
        i, j = self.first.carrier, self.second.carrier
        n, a = pose.R[i] @ self.plane[:, 2], pose.R[j] @ self.second.axes[:, 2]
        dn, da = turned(i, n, motion), turned(j, a, motion)
        b = dot(n, a)
        db = (dot(dn, a) + dot(n, da))[..., None]
        m = np.sqrt(1 - b * b)
        dm = -b * db / m
        h = cross(a, n) / m
        dh = (cross(da, n) + cross(a, dn)) / m - h * dm / m
        left = Moving(cross(n, h), cross(dn, h) + cross(n, dh))
        r, t = self.radius, self.tube
        d = r * (b * a - n) / m - t * n
        dd = r * (db * a + b * da - dn) / m - r * (b * a - n) * dm / m**2 - t * dn
        centre = Moving(point_at(self.second, pose), point_rate(self.second, pose, motion))
        axes = {name: pose.R[i] @ self.plane[:, k] for k, name in enumerate("xy")}
        return {
            "centre": centre, "touch": Moving(centre.value + d, centre.rate + dd), "normal": Moving(n, dn),
            "ahead": Moving(h, dh), "left": left,
            **{name: Moving(e, turned(i, e, motion)) for name, e in axes.items()},
        }  # fmt: skip

    def height(self, pose: Pose) -> complex:
        """n.(c - o) - r m: of the centre line's lowest point above the point o of the first side."""
        n, a = pose.R[self.first.carrier] @ self.plane[:, 2], pose.R[self.second.carrier] @ self.second.axes[:, 2]
        up = dot(n, point_at(self.second, pose) - point_at(self.first, pose))
        return up - self.radius * np.sqrt(1 - dot(n, a) ** 2)


@dataclass(frozen=True, eq=False)
class Cone:
    """A conical wheel on a rail along e1 of the first side: it touches below its centre, where its radius is r + cone y
    with y = e2.(c - o). plane: columns e1, e2, n in the axes of the first body."""

    first: Side
    second: Side
    plane: np.ndarray
    radius: float
    cone: float = 0.0

    def vectors(self, pose: Pose, motion: Twists) -> dict[str, Moving]:
        """`centre`, `touch`, and the axes `x`, `y`, `normal` of the rail."""
        i = self.first.carrier
        axes = {name: pose.R[i] @ self.plane[:, k] for k, name in enumerate(("x", "y", "normal"))}
        moving = {name: Moving(e, turned(i, e, motion)) for name, e in axes.items()}
        centre = Moving(point_at(self.second, pose), point_rate(self.second, pose, motion))
        gap = centre.value - point_at(self.first, pose)
        gap_rate = centre.rate - point_rate(self.first, pose, motion)
        n, y = moving["normal"], moving["y"]
        size = self.radius + self.cone * dot(y.value, gap)
        size_rate = self.cone * (dot(y.rate, gap) + dot(y.value, gap_rate))[..., None]
        touch = Moving(centre.value - size * n.value, centre.rate - size_rate * n.value - size * n.rate)
        return {"centre": centre, "touch": touch, **moving}


@dataclass(frozen=True, eq=False)
class Sliding:
    """Speed of the second body over the first at a point of the site, along one of its directions."""

    site: Site
    along: str
    at: str = "touch"

    def gradient(self, pose: Pose) -> Terms:
        """The direction at the shared point, on both bodies."""
        at = self.site.vectors(pose, _still(pose))
        e, p = at[self.along].value, at[self.at].value
        i, j = self.site.first.carrier, self.site.second.carrier
        return [(j, six(e, cross(p - pose.r[j], e))), (i, six(-e, -cross(p - pose.r[i], e)))]

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Product rule; the shared point moves over both bodies."""
        at = self.site.vectors(pose, motion)
        (e, de), (p, dp) = at[self.along], at[self.at]

        def on(carrier: int) -> np.ndarray:
            arm_rate = dp - motion.v[..., carrier, :]
            return six(de, cross(arm_rate, e) + cross(p - pose.r[carrier], de))

        i, j = self.site.first.carrier, self.site.second.carrier
        return [(j, on(j)), (i, -on(i))]


@dataclass(frozen=True, eq=False)
class Turning:
    """Angular velocity of the second body over the first about one of the site's directions."""

    site: Site
    about: str

    def gradient(self, pose: Pose) -> Terms:
        """The direction itself."""
        axis = self.site.vectors(pose, _still(pose))[self.about].value
        return moments(self.site.first.carrier, self.site.second.carrier, axis)

    def gradient_rate(self, pose: Pose, motion: Twists) -> Terms:
        """Its rate."""
        rate = self.site.vectors(pose, motion)[self.about].rate
        return moments(self.site.first.carrier, self.site.second.carrier, rate)


@dataclass(frozen=True, eq=False)
class Height(Sliding):
    """Height of a wheel over its plane. The lowest point moves along the plane when the wheel leans: what lifts it is
    the speed of the material point there along the normal."""

    site: Disc
    along: str = "normal"

    def value(self, pose: Pose) -> complex:
        """Above the point of the first side."""
        return self.site.height(pose)


def _still(pose: Pose) -> Twists:
    zero = np.zeros_like(pose.r)
    return Twists(zero, zero)
