"""Displacements of second order of beams against the exact motion of a line with given strains."""

import numpy as np
import pytest
from scipy.linalg import expm

from eigenbody.spatial.rotations import exp, skew
from eigenbody.structures.beam import beam_mesh, structure_of
from eigenbody.structures.beam_quadrature import gauss
from eigenbody.structures.beam_section import BeamStations
from eigenbody.structures.reduction import reduce
from eigenbody.structures.structure import Reduced, Structure

BENT = BeamStations(
    points=np.array([[0, 0, 0], [0.5, 0.1, 0], [0.9, 0.4, 0.3]]), E=1e3, G=400.0, A=[1.0, 0.8, 0.5], Iy=0.02, Iz=0.03,
    J=0.02, density=1.0, ky=0.8, kz=0.7, mass_offset=[0.02, -0.01], elastic_offset=[0.03, 0.04], twist=[0.0, 0.3, 0.5],
    y_axis=[0.1, 0.2, 1.0],
)  # fmt: skip
STEP = 1e-4


@pytest.fixture(scope="module")
def body() -> tuple[Structure, Reduced, np.ndarray]:
    """A bent, twisted, tapered beam with every offset in its modes, and modal coordinates of the order of one."""
    whole = structure_of(beam_mesh(BENT, 3))
    reduced = reduce(whole, [0], modes=5)
    return whole, reduced, np.random.default_rng(4).normal(size=reduced.modes)


def strains_of(whole: Structure, reduced: Reduced, eta: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Strain of the line and curvature at the Gauss points (e, g, 3) by the motion of its nodes and what is inside, the
    mean strain of the fibres given back to the line."""
    line = whole.line
    assert line is not None
    strain = (line.strain @ (shapes_of(whole, reduced) @ eta)[line.columns][:, None, :, None])[..., 0]
    gamma, kappa = strain[..., :3], strain[..., 3:]
    t = line.tangent[:, None]
    sheared = gamma + np.cross(kappa, line.elastic_arm)
    sheared = sheared - (sheared * t).sum(axis=-1, keepdims=True) * t
    twist = (kappa * t).sum(axis=-1)
    green = ((sheared**2).sum(axis=-1) + line.radius2 * twist**2) / 2
    return gamma - green[..., None] * t, kappa


def shapes_of(whole: Structure, reduced: Reduced) -> np.ndarray:
    """Freedoms (N, m) of the modes: those of the nodes as they are, those inside the elements by the mass points."""
    n, points = 6 * len(whole.nodes), whole.points
    known = np.concatenate([reduced.move, reduced.turn], axis=1).reshape(n, -1)
    assert points is not None
    assert reduced.points is not None
    move, turn = points.moved(np.eye(whole.M.shape[0]))
    field = np.concatenate([move, turn]).reshape(-1, whole.M.shape[0])
    wanted = np.concatenate([reduced.points.move, reduced.points.turn]).reshape(-1, reduced.modes)
    inside = np.linalg.lstsq(field[:, n:], wanted - field[:, :n] @ known, rcond=None)[0]
    return np.concatenate([known, inside])


def exact_line(whole: Structure, gamma: np.ndarray, kappa: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) and rotations (n, 3, 3) of the nodes, seen from the first: r' = R (t + gamma), R' = R [kappa], by
    the midpoint rule of Lie groups in fine steps, extrapolated."""
    line = whole.line
    assert line is not None
    x, _, _ = gauss(gamma.shape[1])
    found = []
    for steps in (40, 80):
        at = (np.arange(steps) + 0.5) / steps
        through = np.linalg.solve(np.vander(x), np.eye(len(x)))
        values = np.vander(at, len(x)) @ through  # interpolation from the Gauss points
        T, nodes = np.eye(4), [np.eye(4)]
        for e, length in enumerate(line.length):
            for g, k in zip(values @ gamma[e], values @ kappa[e], strict=True):
                slope = np.zeros((4, 4))
                slope[:3, :3], slope[:3, 3] = skew(k), line.tangent[e] + g
                T = T @ expm(slope * length / steps)
            nodes.append(T)
        found.append(np.array(nodes))
    best = (4 * found[1] - found[0]) / 3
    return best[:, :3, 3], best[:, :3, :3]


def test_nodes_are_where_the_strains_put_them(body: tuple[Structure, Reduced, np.ndarray]) -> None:
    """To second order: what is left is of the third."""
    whole, reduced, eta = body
    assert reduced.bow is not None
    left = []
    for step in (STEP, STEP / 2):
        q = step * eta
        second = np.einsum("nikl,k,l->ni", reduced.bow, q, q)
        r = reduced.nodes - reduced.centre + reduced.move @ q + second[:, :3]
        R = exp(reduced.turn @ q + second[:, 3:])
        seen = (r - r[0]) @ R[0], R[0].T @ R
        wanted = exact_line(whole, *strains_of(whole, reduced, q))
        left.append([np.abs(a - b).max() for a, b in zip(seen, wanted, strict=True)])
    left = np.array(left)
    assert (left[0] < 1e-2 * STEP * np.abs(reduced.bow).max() * STEP).all()
    assert np.log2(left[0] / left[1]) == pytest.approx([3, 3], abs=0.2)


def test_frame_is_one_of_mean_axes_to_second_order(body: tuple[Structure, Reduced, np.ndarray]) -> None:
    """No momentum of second order, and no moment of momentum but what is not the rate of anything."""
    _, reduced, _ = body
    points = reduced.points
    assert points is not None
    assert points.bow is not None
    S, P = (np.moveaxis(part, 1, -1) for part in (points.bow[:, :3], points.bow[:, 3:]))
    size = np.abs(points.mass[:, None, None, None] * S).sum()
    assert np.abs(np.einsum("p,pkli->kli", points.mass, S)).max() < 1e-12 * size
    th = np.moveaxis(points.turn, 1, -1)
    Jth = np.einsum("pij,pkj->pki", points.inertia, th)
    turned = np.cross(th[:, :, None], Jth[:, None])
    momentum = points.mass[:, None, None, None] * np.cross(points.position[:, None, None], S)
    momentum = momentum + np.einsum("pij,pklj->pkli", points.inertia, P) + (turned + turned.swapaxes(1, 2)) / 4
    assert np.abs(momentum.sum(axis=0)).max() < 1e-12 * size


def test_inertia_is_that_of_the_bent_body(body: tuple[Structure, Reduced, np.ndarray]) -> None:
    """J of points displaced and turned: its part of second order by central differences."""
    _, reduced, eta = body
    points = reduced.points
    assert points is not None
    assert points.bow is not None

    def inertia(step: float) -> np.ndarray:
        q = step * eta
        second = np.einsum("pikl,k,l->pi", points.bow, q, q)
        p, R = points.position + points.move @ q + second[:, :3], exp(points.turn @ q + second[:, 3:])
        S = skew(p)
        own = points.mass[:, None, None] * (S @ S.swapaxes(1, 2)) + R @ points.inertia @ R.swapaxes(1, 2)
        return own.sum(axis=0)

    found = (inertia(STEP) + inertia(-STEP) - 2 * inertia(0.0)) / (2 * STEP**2)
    wanted = np.einsum("klij,k,l->ij", reduced.J2, eta, eta)
    assert found == pytest.approx(wanted, abs=1e-5 * np.abs(wanted).max())
