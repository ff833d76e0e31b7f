"""The explicit formulas of Jiang, Chen & Luo 2011, section 4, written out beside the general path, on their families.

Coordinates are the six displacements of every body, u and theta at its centre of mass (Bryan angles at zero). A
spring-damper s between bodies i and j, at the point p with axes R, is stretched by R (T_j q_j - T_i q_i) with
T = [[1, -(p - r)~], [0, 1]]; the free system has

    K = sum of [-T_i  T_j]^T R^T k R [-T_i  T_j],   C the same with c,   M = diag(m 1, J),

open joints give q = B' q', cut joints q' = B'' q'', and E'' = B''^T B'^T E B' B'' (E = M, C, K). With phi = B' B'' psi

    d lambda = - [phi^T (lambda^2 dM + lambda dC + dK) phi + 2 phi^T (lambda^2 M + lambda C + K) d(B' B'') psi]

(their Eq. 62, transposes restored), which holds for psi^T (2 lambda M'' + C'') psi = 1, not for a unit vector as is
said there. dB'' of a loop is not given in the paper: here it follows from the cut joints' rows. The paper has no
geometric stiffness; its families carry no load, so there is none.
"""

import numpy as np
import pytest
from families import family

import eigenbody as eb


def tilde(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def transport(offset):
    """T: displacement of a point at `offset` from the centre of mass, by those of the centre."""
    T = np.eye(6)
    T[:3, 3:] = -tilde(offset)
    return T


def d_transport(direction):
    T = np.zeros((6, 6))
    T[:3, 3:] = -tilde(direction)
    return T


def axes_of(axis, axis2, d_axis=(0, 0, 0)):
    """Rows x, y, z of a spring's frame and their derivative as `axis` changes."""
    axis, axis2, d_axis = (np.asarray(a, float) for a in (axis, axis2, d_axis))
    size = np.linalg.norm(axis)
    z = axis / size
    dz = (d_axis - z * (z @ d_axis)) / size
    side = axis2 - z * (z @ axis2)
    d_side = -dz * (z @ axis2) - z * (dz @ axis2)
    x = side / np.linalg.norm(side)
    dx = (d_side - x * (x @ d_side)) / np.linalg.norm(side)
    return np.array([x, np.cross(z, x), z]), np.array([dx, np.cross(dz, x) + np.cross(z, dx), dz])


class Topology:
    """A member of the families, revolute joints about z, in the notation of the paper."""

    def __init__(self, document):
        self.document = document
        self.bodies = list(document["bodies"])
        self.place = {name: k for k, name in enumerate(self.bodies)}
        self.n = 6 * len(self.bodies)
        self.r = {name: np.array(b["at"], float) for name, b in document["bodies"].items()}
        self.M = sum((self.mass_of(name) for name in self.bodies), np.zeros((self.n, self.n)))
        self.K, self.C = (
            sum((self.spring_of(name, self.numbers(name, key)) for name in document["forces"]), np.zeros((self.n,) * 2))
            for key in ("k", "c")
        )
        self.tree, self.cut = self.joints()
        self.open, self.rows = self.open_loops(), self.cut_rows()
        self.loops = self.closed_loops()
        self.B = self.open @ self.loops

    def block(self, name):
        return slice(6 * self.place[name], 6 * self.place[name] + 6)

    def mass_of(self, name, mass=True, inertia=True):
        body, out = self.document["bodies"][name], np.zeros((self.n, self.n))
        out[self.block(name), self.block(name)] = np.diag(
            [body["mass"] * mass] * 3 + list(np.array(body["inertia"]) * inertia)
        )
        return out

    def numbers(self, name, key):
        given = self.document["forces"][name][key]
        return np.array([float(v.split()[0]) * 180 / np.pi if isinstance(v, str) else v for v in given])

    def stretch(self, name, d_point=None, d_axis=None):
        """R [-T_i  T_j] over all bodies (6, n), or its derivative."""
        force = self.document["forces"][name]
        R, dR = axes_of(force.get("axis", [0, 0, 1]), force.get("axis2", [1, 0, 0]), d_axis or (0, 0, 0))
        turn = np.kron(np.eye(2), R if d_axis is None else dR)
        out = np.zeros((6, self.n))
        for sign, body in zip((-1, 1), force["between"], strict=True):
            if body != "ground":
                T = transport(np.array(force["at"]) - self.r[body]) if d_point is None else d_transport(d_point)
                out[:, self.block(body)] = sign * turn @ T
        return out

    def spring_of(self, name, numbers, **change):
        """K of one spring (Eqs. 24-26), or its derivative by its place or axis (Eqs. 82-85)."""
        s = self.stretch(name)
        if not change:
            return s.T @ np.diag(numbers) @ s
        half = self.stretch(name, **change).T @ np.diag(numbers) @ s
        return half + half.T

    def moved_spring(self, name, **change):
        """dK and dC of a spring-damper that is shifted or turned."""
        return {"d" + key.upper(): self.spring_of(name, self.numbers(name, key), **change) for key in ("k", "c")}

    def joints(self):
        """Joints of the tree, in file order, and the cut ones, which close a loop."""
        tree, cut, known = [], [], {"ground"}
        for name, joint in self.document["joints"].items():
            (cut if joint["between"][1] in known else tree).append(name)
            known.add(joint["between"][1])
        return tree, cut

    def open_loops(self, moved=None, direction=None):
        """B' (n, joints of the tree): a body goes with its parent and turns about its joint; or dB' by a place."""
        B, dB = np.zeros((self.n, len(self.tree))), np.zeros((self.n, len(self.tree)))
        for k, name in enumerate(self.tree):
            joint = self.document["joints"][name]
            parent, child = joint["between"]
            own = np.zeros((6, len(self.tree)))
            own[:, k] = [*np.cross([0, 0, 1], self.r[child] - np.array(joint["at"])), 0, 0, 1]
            d_own = np.zeros_like(own)
            if name == moved:
                d_own[:3, k] = -np.cross([0, 0, 1], direction)
            if parent != "ground":
                T = transport(self.r[child] - self.r[parent])
                own, d_own = own + T @ B[self.block(parent)], d_own + T @ dB[self.block(parent)]
            B[self.block(child)], dB[self.block(child)] = own, d_own
        return B if moved is None else dB

    def cut_rows(self, moved=None, direction=None):
        """Rows (5 for each cut joint, n): no relative motion but the rotation about z; or their derivative."""
        rows = []
        for name in self.cut:
            joint, own = self.document["joints"][name], np.zeros((6, self.n))
            for sign, body in zip((-1, 1), joint["between"], strict=True):
                if moved is None:
                    own[:, self.block(body)] = sign * transport(np.array(joint["at"]) - self.r[body])
                elif moved == name:
                    own[:, self.block(body)] = sign * d_transport(direction)
            rows.append(own[:5])
        return np.concatenate(rows) if rows else np.zeros((0, self.n))

    def closed_loops(self):
        """B'': dependent tree joints by the independent ones."""
        G = self.rows @ self.open
        if not len(G):
            self.dependent = np.zeros(0, int)
            return np.eye(len(self.tree))
        from scipy.linalg import qr

        _, triangle, order = qr(G, pivoting=True)
        rank = int((np.abs(np.diag(triangle)) > 1e-10 * abs(triangle[0, 0])).sum())
        self.dependent, self.free = np.sort(order[:rank]), np.sort(order[rank:])
        out = np.zeros((len(self.tree), len(self.free)))
        out[self.free] = np.eye(len(self.free))
        out[self.dependent] = -np.linalg.lstsq(G[:, self.dependent], G[:, self.free], rcond=None)[0]
        return out

    def d_B(self, moved, direction):
        """d(B' B''): G B'' = 0 keeps holding."""
        direction = np.asarray(direction, float)
        d_open = self.open_loops(moved, direction)
        d_loops = np.zeros_like(self.loops)
        if len(self.dependent):
            dG = self.cut_rows(moved, direction) @ self.open + self.rows @ d_open
            G = self.rows @ self.open
            d_loops[self.dependent] = -np.linalg.lstsq(G[:, self.dependent], dG @ self.loops, rcond=None)[0]
        return d_open @ self.loops + self.open @ d_loops

    def modes(self):
        M, C, K = (self.B.T @ E @ self.B for E in (self.M, self.C, self.K))
        n = len(M)
        A = np.block([[np.zeros((n, n)), np.eye(n)], [-np.linalg.solve(M, K), -np.linalg.solve(M, C)]])
        values, vectors = np.linalg.eig(A)
        kept = np.flatnonzero(values.imag > 0)
        kept = kept[np.argsort(np.abs(values[kept]))]
        psi = vectors[:n, kept]
        scale = np.einsum("ik,ij,jk->k", psi, C, psi) + 2 * values[kept] * np.einsum("ik,ij,jk->k", psi, M, psi)
        return values[kept], psi / np.sqrt(scale)

    def slopes(self, dM=None, dC=None, dK=None, dB=None):
        """Eq. 62 for every mode."""
        values, psi = self.modes()
        phi, zero = self.B @ psi, np.zeros((self.n, self.n))
        out = []
        for s, one, own in zip(values, phi.T, psi.T, strict=True):
            d = s**2 * (zero if dM is None else dM) + s * (zero if dC is None else dC) + (zero if dK is None else dK)
            whole = s**2 * self.M + s * self.C + self.K
            out.append(-one @ d @ one - (0 if dB is None else 2 * one @ whole @ (dB @ own)))
        return values, np.array(out)


def skewed(name):
    """The family with unlike bodies and springs, off their joints and axes, so that no slope vanishes by symmetry."""
    document = family(name)
    if name.startswith("C"):
        for k, body in enumerate(document["bodies"].values()):
            body["at"] = [0.05 + 0.02 * k, 0.03 * k, body["at"][2]]
    for k, body in enumerate(document["bodies"].values()):
        body["mass"], body["inertia"] = 4 + 0.3 * k, [1, 1, 1 + 0.05 * k]
    for k, force in enumerate(document["forces"].values()):
        force["at"] = [force["at"][0] + 0.02, force["at"][1] - 0.03 + 0.01 * k, force["at"][2]]
        force |= {"axis": [0.3, 0.2, 1.0], "axis2": [1, 0, 0]}
        force["k"] = [1e4, 2e4 + 1e3 * k, 3e4, 4e5, 5e5, 6e5]
        force["c"] = [10, 20, 30, 400, 500 + 10 * k, 600]
    return document


@pytest.mark.parametrize("name", ["C3RF1", "TL4RF1", "L3RF1"])
def test_explicit_formulas(name):
    document = skewed(name)
    topology = Topology(document)
    bodies, forces, joints = (list(document[key]) for key in ("bodies", "forces", "joints"))
    body, spring = bodies[1], forces[-2]
    one = np.eye(6)
    inertia = np.zeros((topology.n, topology.n))
    inertia[topology.block(body).start + 5, topology.block(body).start + 5] = 1.0
    wanted = {
        f"bodies.{body}.mass": {"dM": topology.mass_of(body, inertia=False) / document["bodies"][body]["mass"]},
        f"bodies.{body}.inertia[2]": {"dM": inertia},
        f"forces.{spring}.k[5]": {"dK": topology.spring_of(spring, one[5])},
        f"forces.{spring}.k[0]": {"dK": topology.spring_of(spring, one[0])},
        f"forces.{spring}.c[4]": {"dC": topology.spring_of(spring, one[4])},
        f"forces.{spring}.at[1]": topology.moved_spring(spring, d_point=np.array([0.0, 1.0, 0.0])),
        f"forces.{spring}.axis[0]": topology.moved_spring(spring, d_axis=(1.0, 0.0, 0.0)),
        f"joints.{joints[0]}.at[0]": {"dB": topology.d_B(joints[0], [1, 0, 0])},
        f"joints.{joints[-1]}.at[1]": {"dB": topology.d_B(joints[-1], [0, 1, 0])},
    }  # fmt: skip
    found = eb.sensitivity(eb.load(document), list(wanted))
    chosen = found.modes.eigenvalues.imag > 0
    assert not any(found.notes)
    for i, (parameter, change) in enumerate(wanted.items()):
        values, slopes = topology.slopes(**change)
        assert found.modes.eigenvalues[chosen] == pytest.approx(values, rel=1e-9)
        off = np.abs(found.eigenvalues[i, chosen] - slopes)
        size = np.maximum(np.abs(slopes), 1e-4 * np.abs(values) / (abs(found.values[i]) or 1.0))
        assert np.abs(slopes).max() > 1e-6 * np.abs(values).max() / (abs(found.values[i]) or 1.0), parameter  # it acts
        assert (off < 1e-7 * size).all(), parameter


def test_the_printed_normalization_is_wrong():
    """Eq. 61 for a unit vector gives another number than the right one."""
    document = skewed("C3RF1")
    topology = Topology(document)
    values, psi = topology.modes()
    dM = topology.mass_of("b2", inertia=False) / document["bodies"]["b2"]["mass"]
    right = topology.slopes(dM=dM)[1]
    unit = topology.B @ (psi / np.linalg.norm(psi, axis=0))
    printed = -(values**2) * np.einsum("ik,ij,jk->k", unit, dM, unit)
    assert np.abs(printed - right).min() > 0.1 * np.abs(right).min()


def test_shared_stiffness_is_the_sum_over_the_springs():
    """Eqs. 75, 76 on L3RF1: one stiffness about z in all springs."""
    document = family("L3RF1")
    topology = Topology(document)
    dK = sum(topology.spring_of(name, np.eye(6)[5]) for name in document["forces"])
    values, slopes = topology.slopes(dK=dK)
    document["parameters"] = {"k": 1e4 * 180 / np.pi}
    for force in document["forces"].values():
        force["k"][5] = "=k"
    found = eb.sensitivity(eb.load(document))
    assert found.modes.eigenvalues[found.modes.eigenvalues.imag > 0] == pytest.approx(values, rel=1e-9)
    assert found.eigenvalues[0, found.modes.eigenvalues.imag > 0] == pytest.approx(slopes, rel=1e-8)
