"""Linear equations of a compiled MuJoCo model by differences of its own equations of motion, loops eliminated.

In the coordinates of eigenbody: joint positions; small rotations about the axes of the first frame for ball joints, of
the ground for free joints. Nothing here knows how eigenbody does it.

    R(x) = exp(x) R0,   w = w0 + x' + x x w0 + ...,   x'' = a - x' x w0 - exp(x) a0 + ...      (first order is exact)
"""

from itertools import pairwise

import mujoco
import numpy as np
from numpy.polynomial import polynomial
from scipy.spatial.transform import Rotation

FREE, BALL = 0, 1
SCALAR = (int(mujoco.mjtEq.mjEQ_JOINT), int(mujoco.mjtEq.mjEQ_TENDON))
STENCIL = ((1, 3 / 4), (2, -3 / 20), (3, 1 / 60))  # sixth order
STEPS = (4e-3, 1e-3, 2e-4, 4e-5, 8e-6, 1.6e-6)


class Reference:
    """A model without contacts, limits and friction at a state (qpos, qvel); controls and activations are zero."""

    def __init__(self, m, qpos, qvel):
        self.m, self.d = m, mujoco.MjData(m)
        self.rotations = []  # (first dof, qpos address of the quaternion)
        for j in range(m.njnt):
            if m.jnt_type[j] in (FREE, BALL):
                shift = 3 if m.jnt_type[j] == FREE else 0
                self.rotations.append((int(m.jnt_dofadr[j]) + shift, int(m.jnt_qposadr[j]) + shift))
        self.rows = [i for i in range(m.neq) if m.eq_active0[i]]
        self.qpos0, self.v0 = np.array(qpos), self._to_first(np.array(qpos), np.array(qvel))
        self.a0 = self._accelerations(self.qpos0, self.v0)[0]

    # ---- coordinates
    def _R(self, qpos, address):
        return Rotation.from_quat(qpos[address : address + 4], scalar_first=True)

    def _to_first(self, qpos, local):
        """Angular velocities of the file, in the axes of the child, in the axes of the first frame."""
        out = np.array(local)
        for dof, address in self.rotations:
            out[dof : dof + 3] = self._R(qpos, address).apply(local[dof : dof + 3])
        return out

    def _to_local(self, qpos, first):
        out = np.array(first)
        for dof, address in self.rotations:
            out[dof : dof + 3] = self._R(qpos, address).inv().apply(first[dof : dof + 3])
        return out

    def _T(self, qpos):
        """Local velocities by velocities in first axes."""
        T = np.eye(self.m.nv)
        for dof, address in self.rotations:
            T[dof : dof + 3, dof : dof + 3] = self._R(qpos, address).as_matrix().T
        return T

    def _moved(self, x):
        qpos = np.array(self.qpos0)
        scalar = np.ones(self.m.nv, dtype=bool)
        for dof, address in self.rotations:
            scalar[dof : dof + 3] = False
            turned = Rotation.from_rotvec(x[dof : dof + 3]) * self._R(self.qpos0, address)
            qpos[address : address + 4] = turned.as_quat(scalar_first=True)
        for j in range(self.m.njnt):
            count = 3 if self.m.jnt_type[j] == FREE else 0 if self.m.jnt_type[j] == BALL else 1
            at, dof = int(self.m.jnt_qposadr[j]), int(self.m.jnt_dofadr[j])
            qpos[at : at + count] += x[dof : dof + count]
        return qpos

    def _velocity(self, x, rate):
        """Velocities in first axes."""
        v = self.v0 + rate
        for dof, _ in self.rotations:
            part = slice(dof, dof + 3)
            v[part] = rate[part] + Rotation.from_rotvec(x[part]).apply(self.v0[part])
        return v

    def _second(self, x, rate, a):
        """x''."""
        out = a - self.a0
        for dof, _ in self.rotations:
            part = slice(dof, dof + 3)
            turned = Rotation.from_rotvec(x[part]).apply(self.a0[part])
            out[part] = a[part] - np.cross(rate[part], self.v0[part]) - turned
        return out

    # ---- equations of motion
    def _at(self, qpos, v=None):
        d = self.d
        d.qpos[:] = qpos
        d.qvel[:] = 0 if v is None else self._to_local(qpos, v)
        mujoco.mj_fwdPosition(self.m, d)
        mujoco.mj_fwdVelocity(self.m, d)

    def mass(self, qpos):
        self._at(qpos)
        M = np.zeros((self.m.nv, self.m.nv))
        mujoco.mj_fullM(self.m, self.d, M)
        T = self._T(qpos)
        return T.T @ M @ T

    def _accelerations(self, qpos, v):
        """a in first axes, and M."""
        m, d = self.m, self.d
        M = self.mass(qpos)
        self._at(qpos, v)
        mujoco.mj_fwdActuation(m, d)
        T = self._T(qpos)
        force = T.T @ (d.qfrc_passive + d.qfrc_actuator - d.qfrc_bias)
        J, gamma = self._jacobian(qpos, v)
        if not len(J):
            return np.linalg.solve(M, force), M
        own = np.linalg.lstsq(J, -gamma, rcond=1e-10)[0]
        N = null_space(J)
        return own + N @ np.linalg.solve(N.T @ M @ N, N.T @ (force - M @ own)), M

    # ---- loops
    def _ends(self, i):
        """Bodies, points in their axes and the relative rotation of a connect or weld."""
        m, data = self.m, self.m.eq_data[i]
        ids = int(m.eq_obj1id[i]), int(m.eq_obj2id[i])
        weld = int(m.eq_type[i]) == int(mujoco.mjtEq.mjEQ_WELD)
        if int(m.eq_objtype[i]) == int(mujoco.mjtObj.mjOBJ_SITE):
            turns = [Rotation.from_quat(m.site_quat[k], scalar_first=True) for k in ids]
            return [int(m.site_bodyid[k]) for k in ids], [m.site_pos[k] for k in ids], turns[0] * turns[1].inv(), weld
        if weld:
            return [*ids], [data[3:6], data[0:3]], Rotation.from_quat(data[6:10], scalar_first=True), True
        return [*ids], [data[0:3], data[3:6]], Rotation.identity(), False

    def _pair(self, qpos, i):
        """Two scalars that are functions of each other: rows, values, values in the reference configuration."""
        m, found = self.m, []
        for number in (int(m.eq_obj1id[i]), int(m.eq_obj2id[i])):
            row = np.zeros(m.nv)
            if number < 0:
                found.append((row, 0.0, 0.0))
                continue
            parts = {number: 1.0}
            if int(m.eq_type[i]) == int(mujoco.mjtEq.mjEQ_TENDON):
                at = slice(int(m.tendon_adr[number]), int(m.tendon_adr[number] + m.tendon_num[number]))
                if (m.wrap_type[at] != int(mujoco.mjtWrap.mjWRAP_JOINT)).any():
                    raise NotImplementedError("equality of spatial tendons")
                parts = dict(zip(m.wrap_objid[at].tolist(), m.wrap_prm[at].tolist(), strict=True))
            value = start = 0.0
            for joint, factor in parts.items():
                row[m.jnt_dofadr[joint]] += factor
                value += factor * qpos[m.jnt_qposadr[joint]]
                start += factor * m.qpos0[m.jnt_qposadr[joint]]
            found.append((row, value, start))
        slopes = np.array(m.eq_data[i][:5]) * (1.0 if m.eq_obj2id[i] >= 0 else np.array([1, 0, 0, 0, 0]))
        return found, slopes

    def _open(self, qpos):
        """What the constraints are open by."""
        m, d, out = self.m, self.d, [np.zeros(0)]
        self._at(qpos)
        for i in self.rows:
            if int(m.eq_type[i]) in SCALAR:
                ((_, y, y0), (_, x, x0)), c = self._pair(qpos, i)
                out.append(np.array([y - y0 - polynomial.polyval(x - x0, c)]))
                continue
            bodies, points, turn, weld = self._ends(i)
            at = [d.xpos[b] + d.xmat[b].reshape(3, 3) @ p for b, p in zip(bodies, points, strict=True)]
            out.append(at[0] - at[1])
            if weld:
                R1, R2 = (d.xmat[b].reshape(3, 3) for b in bodies)
                out.append(Rotation.from_matrix(R1 @ turn.as_matrix() @ R2.T).as_rotvec())
        return np.concatenate(out)

    def _jacobian(self, qpos, v):
        """Rows in first axes, and what is left of their second rate."""
        m, d = self.m, self.d
        rows, gammas = [np.zeros((0, m.nv))], [np.zeros(0)]
        if not self.rows:
            return rows[0], gammas[0]
        self._at(qpos, v)
        local = self._to_local(qpos, v)
        T = self._T(qpos)
        for i in self.rows:
            if int(m.eq_type[i]) in SCALAR:
                ((a, _, _), (b, x, x0)), c = self._pair(qpos, i)
                slopes = [polynomial.polyval(x - x0, polynomial.polyder(c, k)) for k in (1, 2)]
                rows.append((a - slopes[0] * b)[None])
                gammas.append(np.array([-slopes[1] * (b @ local) ** 2]))
                continue
            bodies, points, _, weld = self._ends(i)
            both = []
            for b, p in zip(bodies, points, strict=True):
                at = d.xpos[b] + d.xmat[b].reshape(3, 3) @ p
                parts = [np.zeros((3, m.nv)) for _ in range(4)]
                mujoco.mj_jac(m, d, parts[0], parts[1], at, b)
                mujoco.mj_jacDot(m, d, parts[2], parts[3], at, b)
                both.append(parts)
            first, second = both
            for k in (0, 1) if weld else (0,):
                rows.append((first[k] - second[k]) @ T)
                gammas.append((first[k + 2] - second[k + 2]) @ local)
        return np.concatenate(rows), np.concatenate(gammas)

    # ---- linear equations
    def linear(self, independent, enough):
        """M, C, K in the coordinates `independent` (dofs): by the first step that is `enough` for (M, C, K), else by
        that which the next one confirms best."""
        found = []
        for step in STEPS:
            found.append(self._by_step(independent, step))
            if enough(*found[-1]):
                return found[-1]
        gaps = [max(float(np.abs(a - b).max()) for a, b in zip(*pair, strict=True)) for pair in pairwise(found)]
        return found[int(np.argmin(gaps)) + 1]

    def _by_step(self, independent, step):
        m = self.m
        others = np.setdiff1d(np.arange(m.nv), independent)
        N = self._motion(self.qpos0, self.v0, independent, others)
        M = N.T @ self.mass(self.qpos0) @ N
        slopes = []
        for level in (0, 1):
            columns = []
            for k in range(len(independent)):
                e = np.eye(len(independent))[k]
                column = 0.0
                for steps, weight in STENCIL:
                    sides = [self._reduced(s * steps * step * e, level, independent, others) for s in (1, -1)]
                    column = column + weight * (sides[0] - sides[1]) / step
                columns.append(column)
            slopes.append(-M @ np.array(columns).T if columns else np.zeros((0, 0)))
        return M, slopes[1], slopes[0]

    def _motion(self, qpos, v, independent, others):
        """(nv, independent): motions of all by those of the independent ones."""
        J, _ = self._jacobian(qpos, v)
        N = np.zeros((self.m.nv, len(independent)))
        N[independent, range(len(independent))] = 1.0
        if len(others):
            N[others] = -np.linalg.lstsq(J[:, others], J[:, independent], rcond=1e-10)[0]
        return N

    def _reduced(self, step, level, independent, others):
        x, rate = np.zeros(self.m.nv), np.zeros(self.m.nv)
        if level == 0:
            x[independent] = step
        else:
            rate[independent] = step
        if len(others):
            self._close(x, rate, others)
        qpos = self._moved(x)
        a, _ = self._accelerations(qpos, self._velocity(x, rate))
        return self._second(x, rate, a)[independent]

    def _close(self, x, rate, others):
        """The dependent coordinates and their rates, in place."""
        for _ in range(30):
            qpos = self._moved(x)
            off = self._open(qpos)
            J, _ = self._jacobian(qpos, self.v0)
            step = np.linalg.lstsq(J[:, others], -off, rcond=1e-10)[0]
            x[others] += step
            if np.abs(step).max(initial=0.0) < 1e-15:
                break
        qpos = self._moved(x)
        v = self._velocity(x, rate)
        J, _ = self._jacobian(qpos, v)
        rate[others] += np.linalg.lstsq(J[:, others], -J @ v, rcond=1e-10)[0]


def null_space(J):
    """Motions (n, freedoms) that rows allow."""
    _, s, V = np.linalg.svd(J)
    return V[int((s > 1e-10 * s[0]).sum()) :].T
