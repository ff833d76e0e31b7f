"""Flexible bodies by partial velocities: every point of their mass is a particle with a partial velocity for the motion
of the floating frame and one, its shape, for each modal speed.

A point at p + u (u = move eta) has in the axes of the frame, with its velocities v and w,

    velocity       v + w x (p + u) + u'
    acceleration   a + alpha x (p + u) + w x (w x (p + u)) + 2 w x u' + u''

and F* is the sum of mass times acceleration times partial velocity. What points have of rotary inertia turns with them,
by th = turn eta to second order, as in docs/theory/flexible.md:

    T = 1/2 w.Jw + w.J(w1 + w2) + 1/2 w1.J w1,   w1 = th' - th x w,   w2 = 1/2 th x (th x w) - 1/2 th x th'

less w.s', s = 1/2 th x J th, which the frame of mean axes takes along. F* of it is Lagrange's: its momenta follow.

Displacements S and rotations P of second order (sum_kl eta_k eta_l) count as far as second order goes: beside the point
where it is drawn. A point at p has the partial velocity S_k = dS/deta_k more, along which w x (w x p) works; J turns by
P. The moment of momentum of S' and P' themselves is that of s' with the other sign: none in mean axes.
"""

from __future__ import annotations

import numpy as np

from eigenbody.model.description import Description, FlexibleBody
from eigenbody.routes.base import Place
from eigenbody.routes.kane.arrays import Arrays
from eigenbody.routes.kane.tree import Tree, modal_values
from eigenbody.spatial.rotations import apply_transposed, cross


class FlexibleMass:
    """One flexible body of a tree: its inertia, weight and elastic forces as generalized forces (b, n)."""

    def __init__(self, description: Description, body: FlexibleBody, tree: Tree, place: Place) -> None:
        assert body.reduced.points is not None  # `applies` refuses a body without
        self.points, self.body = body.reduced.points, body
        self.frame = description.bodies.names.index(body.name)
        self.modes = np.array([tree.coordinates.index(name) for name in body.coordinates], dtype=int)
        self.start = modal_values(description, body, place)
        self._heavy = self.points.inertia.any(axis=(1, 2))

    def _modal(self, arrays: Arrays) -> tuple[np.ndarray, np.ndarray]:
        return self.start + arrays.x[:, self.modes], arrays.speeds[:, self.modes]

    def inertia(self, arrays: Arrays, acceleration: np.ndarray | None) -> np.ndarray:
        """-F_r* (b, n) with the given x'' (n,), or with none."""
        S = arrays.at.R[:, 0, self.frame]
        a, alpha = arrays.a[:, self.frame], arrays.alpha[:, self.frame]
        bend = np.zeros(len(self.modes))
        if acceleration is not None:
            a = a + acceleration @ arrays.V[:, :, self.frame]
            alpha = alpha + acceleration @ arrays.W[:, :, self.frame]
            bend = acceleration[self.modes]
        a, alpha, w = (apply_transposed(S, part) for part in (a, alpha, arrays.omega[:, self.frame]))
        eta, rate = self._modal(arrays)
        return self._generalized(arrays, *self._in_frame(a, alpha, w, eta, rate, bend[None]))

    def mass(self, arrays: Arrays) -> np.ndarray:
        """What the body adds to A (n, n) at the first state: F* of unit accelerations of frame and modes."""
        eta = self._modal(arrays)[0][:1]
        unit = np.eye(6 + len(self.modes))
        still = np.zeros((1, 3))
        columns = self._in_frame(unit[:, :3], unit[:, 3:6], still, eta, np.zeros_like(eta), unit[:, 6:])
        own = np.concatenate(columns, axis=1)
        S = arrays.at.R[0, 0, self.frame]
        partial = np.concatenate(
            [arrays.V[0, :, self.frame] @ S, arrays.W[0, :, self.frame] @ S, np.eye(arrays.x.shape[1])[:, self.modes]],
            axis=1,
        )
        return partial @ own @ partial.T

    def _in_frame(
        self, a: np.ndarray, alpha: np.ndarray, w: np.ndarray, eta: np.ndarray, rate: np.ndarray, bend: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Force and moment (b, 3) on the frame and forces (b, m) along the modes, of mass times acceleration."""
        a, alpha, w = a[:, None], alpha[:, None], w[:, None]
        u, u1, u2 = (_by_modes(self.points.move, modal) for modal in (eta, rate, bend))
        p = self.points.position + u
        force = self.points.mass[:, None] * (a + cross(alpha, p) + cross(w, cross(w, p)) + 2 * cross(w, u1) + u2)
        moment, on_modes = cross(p, force).sum(axis=1), np.einsum("gik,bgi->bk", self.points.move, force)
        if self._heavy.any():
            turning, bending = self._rotary(w, alpha, eta, rate, bend)
            moment, on_modes = moment + turning, on_modes + bending
        if self.points.bow is not None:
            turning, bending = self._bowed(self.points.bow, w, alpha, eta, rate)
            moment, on_modes = moment + turning, on_modes + bending
        return force.sum(axis=1), moment, on_modes

    def _rotary(
        self, w: np.ndarray, wd: np.ndarray, eta: np.ndarray, rate: np.ndarray, bend: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moment on the frame (b, 3) and forces along the modes (b, m) of rotary inertia."""
        inertia, shapes = self.points.inertia[self._heavy], self.points.turn[self._heavy]
        th, th1, th2 = (_by_modes(shapes, modal) for modal in (eta, rate, bend))

        def J(y: np.ndarray) -> np.ndarray:
            return np.einsum("gij,bgj->bgi", inertia, np.broadcast_to(y, (len(y), len(inertia), 3)))

        w1 = th1 - cross(th, w)
        w1d = th2 - cross(th1, w) - cross(th, wd)
        w2 = (cross(th, cross(th, w)) - cross(th, th1)) / 2
        w2d = (cross(th1, cross(th, w)) + cross(th, cross(th1, w) + cross(th, wd)) - cross(th, th2)) / 2
        Jw, Jwd, Jw1, Jw1d = J(w), J(wd), J(w1), J(w1d)
        spin = Jw + Jw1 + J(w2) + cross(th, Jw + Jw1) + cross(th, cross(th, Jw)) / 2  # dT/dw
        spin_rate = Jwd + Jw1d + J(w2d) + cross(th1, Jw + Jw1) + cross(th, Jwd + Jw1d)
        spin_rate = spin_rate + (cross(th1, cross(th, Jw)) + cross(th, cross(th1, Jw)) + cross(th, cross(th, Jwd))) / 2
        tilt_rate = Jwd + Jw1d + (cross(th1, Jw) + cross(th, Jwd)) / 2  # (dT/dth')'
        slope = (cross(cross(th, w), Jw) - cross(w, cross(th, Jw)) - cross(th1, Jw)) / 2 - cross(w, Jw + Jw1)  # dT/dth
        Jth, Jth1 = J(th), J(th1)
        left_out = (cross(th1, Jth) + cross(th, Jth1)) / 2  # s'
        left_out_rate = (cross(th2, Jth) + cross(th, J(th2))) / 2 + cross(th1, Jth1)
        moment = spin_rate - left_out_rate + cross(w, spin - left_out)
        bending = tilt_rate - slope - (cross(Jth, wd) + J(cross(wd, th))) / 2
        return moment.sum(axis=1), np.einsum("gik,bgi->bk", shapes, bending)

    def _bowed(
        self, bow: np.ndarray, w: np.ndarray, alpha: np.ndarray, eta: np.ndarray, rate: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Moment on the frame (b, 3) and forces along the modes (b, m) of what is of second order."""
        p, mass, inertia = self.points.position, self.points.mass[:, None], self.points.inertia
        slopes = 2 * np.einsum("gikl,bl->bgik", bow, eta)  # by each modal coordinate
        bent, going = np.einsum("bgik,bk->bgi", slopes, eta) / 2, np.einsum("bgik,bk->bgi", slopes, rate)
        S, P, S1, P1 = bent[..., :3], bent[..., 3:], going[..., :3], going[..., 3:]

        def J(y: np.ndarray) -> np.ndarray:
            return np.einsum("gij,bgj->bgi", inertia, np.broadcast_to(y, (len(y), len(inertia), 3)))

        def turned(at: np.ndarray, y: np.ndarray) -> np.ndarray:
            """What the turn `at` changes of J y."""
            return cross(at, J(y)) - J(cross(at, y))

        pull = mass * cross(w, cross(w, p))
        moment = cross(S, pull + mass * cross(alpha, p))
        moment = moment + mass * (cross(p, cross(alpha, S) + cross(w, cross(w, S) + S1)) + cross(S1, cross(w, p)))
        moment = moment + turned(P, alpha) + turned(P1, w) + cross(w, turned(P, w))
        on_modes = np.einsum("bgik,bgi->bk", slopes[:, :, :3], np.broadcast_to(pull, S.shape))
        return moment.sum(axis=1), on_modes + np.einsum("bgik,bgi->bk", slopes[:, :, 3:], cross(w, J(w)))

    def weight(self, arrays: Arrays, gravity: np.ndarray) -> np.ndarray:
        """Generalized forces (b, n) of the weight of every point."""
        down = apply_transposed(arrays.at.R[:, 0, self.frame], np.broadcast_to(gravity, (len(arrays.x), 3)))
        p = self.points.position + _by_modes(self.points.move, self._modal(arrays)[0])
        force = self.points.mass[:, None] * down[:, None]
        on_modes = np.einsum("gik,bgi->bk", self.points.move, force)
        return self._generalized(arrays, force.sum(axis=1), cross(p, force).sum(axis=1), on_modes)

    def elastic(self, arrays: Arrays) -> np.ndarray:
        """-(K eta + C eta') along the modes, (b, n)."""
        eta, rate = self._modal(arrays)
        total = np.zeros(arrays.x.shape, np.result_type(arrays.x, arrays.speeds))
        bent = eta - self.body.reduced.rest
        total[:, self.modes] = -(bent @ self.body.reduced.stiffness.T + rate @ self.body.damping.T)
        return total

    def _generalized(self, arrays: Arrays, force: np.ndarray, moment: np.ndarray, on_modes: np.ndarray) -> np.ndarray:
        """Force and moment (b, 3) on the frame in its axes, and forces (b, m) along the modes, times the partial
        velocities."""
        S = arrays.at.R[:, 0, self.frame]
        total = (arrays.V[:, :, self.frame] @ (S @ force[..., None]))[..., 0]
        total = total + (arrays.W[:, :, self.frame] @ (S @ moment[..., None]))[..., 0]
        total[:, self.modes] += on_modes
        return total


def _by_modes(shapes: np.ndarray, modal: np.ndarray) -> np.ndarray:
    """Shapes (g, 3, m) times modal coordinates (b, m): (b, g, 3)."""
    return np.einsum("gik,bk->bgi", shapes, modal)


def flexible_masses(description: Description, tree: Tree, place: Place) -> tuple[FlexibleMass, ...]:
    """All flexible bodies."""
    return tuple(FlexibleMass(description, body, tree, place) for body in description.flexible)
