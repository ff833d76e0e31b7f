"""Model updating: parameters fitted to measured frequencies and shapes."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from eigenbody.analyses.design.designs import Design, DesignSpace
from eigenbody.analyses.design.objectives import modal_slope
from eigenbody.analyses.design.problem import Problem, Reader
from eigenbody.analyses.modes import MeasuredModes, mac_matrix, measured_modes
from eigenbody.base.errors import ComputationError, Fault, InputError, suggest
from eigenbody.base.progress import report
from eigenbody.base.result import Drawn
from eigenbody.linearization.subject import Subject
from eigenbody.model.model import InertModel
from eigenbody.numerics.runtime import on_one_thread
from eigenbody.operating.asked import model_asking_for

KEYS = ("frequencies", "shapes", "measures")
IN_FILE = ("file", "measures", "modes")
SHAPE_WEIGHT = 0.1  # of sqrt(1 - MAC) beside relative errors of frequencies
INDETERMINATE = 1e-8  # relative singular value of the scaled Jacobian: the data do not tell these parameters apart
SHARE = 1e-6  # of a parameter in a direction that the data do not tell
NOTHING = 1e-12  # relative change of the data by the whole of a parameter that is rounding


@dataclass(frozen=True, eq=False)
class Measured:
    """Frequencies (n,) in Hz, and shapes (n, measures) where they were measured."""

    frequencies: np.ndarray
    shapes: np.ndarray | None
    measures: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Update(Drawn, look="analyses.design.update.look"):
    """The fitted parameters with their standard deviations, and how well the modes now agree.

    `deviations` come from what the fit leaves over; nan where there are not more data than parameters or where the data
    do not determine a parameter.
    """

    model: InertModel
    names: tuple[str, ...]
    before: np.ndarray
    after: np.ndarray
    deviations: np.ndarray
    measured: Measured
    frequencies_before: np.ndarray
    frequencies_after: np.ndarray
    modes: np.ndarray  # (n,) number of the model's mode, counted from 0 without rigid ones, beside each measured one
    mac_before: np.ndarray | None
    mac_after: np.ndarray | None
    success: bool
    message: str
    evaluations: int
    notes: tuple[str, ...]

    @property
    def values(self) -> dict[str, float]:
        """Fitted values by name."""
        return dict(zip(self.names, self.after.tolist(), strict=True))

    def __getitem__(self, name: str) -> float:
        return self.values[name]


@on_one_thread
def update(
    model: Subject,
    variables: Mapping[str, Mapping[str, Any]],
    measured: Mapping[str, Any] | str | os.PathLike[str] | MeasuredModes,
    weights: Mapping[str, Any] | None = None,
    exact: bool = True,
) -> Update:
    """Fit parameters to measured modes by least squares with an exact Jacobian.

    variables  as in an optimization: {"k": {"from": 100, "to": 1e4, "start": 500, "scale": "log"}}
    measured   {"frequencies": [Hz, ...], "shapes": (modes, measures) real or complex, "measures": [names]}; without
               shapes the modes are taken in order. Or the path of a universal file (.uff, .unv), measured modes of one,
               or {"file": path, "measures": {"hinge": "12:z"}, "modes": [1, 2]}; or what `identify` found
    weights    {"frequencies": one number or one per mode, "shapes": likewise}: of relative errors of frequencies
               (default 1) and of sqrt(1 - MAC) (default 0.1)
    """
    model = model_asking_for(model)
    reader = Reader(model, {"variables": {name: dict(entry) for name, entry in variables.items()}})
    found = reader.variables()
    data, faults = _read(_given(measured))
    if reader.faults.found or faults:
        raise InputError([*reader.faults.found, *faults])
    task = Problem(model, found, (), False, ())
    space = DesignSpace.of(model, task.names, (), data.measures, exact)
    fit = _Fit(task, space, data, *_weights(weights or {}, data))
    return fit.solved()


def _given(measured: Any) -> Mapping[str, Any]:
    """The data, of a file or of measured modes where these were given."""
    if isinstance(measured, str | os.PathLike):
        return measured_modes(measured).at()
    if not isinstance(measured, Mapping):
        if not hasattr(measured, "at"):
            what = f"{type(measured).__name__} is nothing that was measured."
            raise InputError(Fault("measured", what, "Give a map, measured modes, or the path of a universal file."))
        return measured.at()
    if "file" not in measured:
        return measured
    wrong = [Fault("measured", f'unknown key "{k}".', suggest(k, IN_FILE)) for k in measured if k not in IN_FILE]
    if wrong:
        raise InputError(wrong)
    return measured_modes(measured["file"]).at(measured.get("measures"), measured.get("modes"))


def _read(measured: Mapping[str, Any]) -> tuple[Measured, list[Fault]]:
    faults = [Fault("measured", f'unknown key "{k}".', suggest(k, KEYS)) for k in measured if k not in KEYS]
    hz = np.asarray(measured.get("frequencies", ()), dtype=float)
    if hz.ndim != 1 or not len(hz) or not (np.isfinite(hz).all() and (hz > 0).all()):
        faults.append(Fault("measured.frequencies", "positive frequencies in Hz are expected."))
    shapes, measures = measured.get("shapes"), tuple(measured.get("measures") or ())
    if shapes is None:
        return Measured(hz, None, ()), faults
    array = np.asarray(shapes)
    if not measures:
        faults.append(Fault("measured.measures", "the shapes do not say where they were measured.", "Name measures."))
    elif array.shape != (len(hz), len(measures)):
        what = f"{array.shape} is not (modes, measures) = ({len(hz)}, {len(measures)})."
        faults.append(Fault("measured.shapes", what, "One row for each frequency, one column for each measure."))
    return Measured(hz, array.astype(complex), measures), faults


def _weights(weights: Mapping[str, Any], data: Measured) -> tuple[np.ndarray, np.ndarray]:
    n = len(data.frequencies)
    faults = [Fault("weights", f'unknown key "{k}".', suggest(k, KEYS[:2])) for k in weights if k not in KEYS[:2]]
    out = []
    for key, default in (("frequencies", 1.0), ("shapes", SHAPE_WEIGHT)):
        value = np.asarray(weights.get(key, default), dtype=float)
        if value.shape not in ((), (n,)) or not np.isfinite(value).all() or (value < 0).any():
            faults.append(Fault(f"weights.{key}", f"one number, or {n} of them, none negative, are expected."))
            value = np.ones(n)
        out.append(np.broadcast_to(value, (n,)))
    if faults:
        raise InputError(faults)
    return out[0], out[1]


class _Fit:
    """Least squares on relative frequency errors and on the parts of the shapes that do not fit."""

    def __init__(
        self, task: Problem, space: DesignSpace, data: Measured, by_hz: np.ndarray, by_shape: np.ndarray
    ) -> None:
        self.task, self.space, self.data = task, space, data
        self.by_hz, self.by_shape = by_hz, by_shape
        self.rows = [space.outputs[name] for name in data.measures]
        self.evaluations = 0
        self._known: dict[bytes, tuple[Design, np.ndarray]] = {}

    def solved(self) -> Update:
        from scipy.optimize import least_squares

        start = self.task.u(self.task.start)
        inside = np.clip(start, 1e-6, 1 - 1e-6)
        report("fitting")
        effect = self._effect(inside, self.jacobian(inside))
        found = least_squares(
            self.residual, inside, self.jacobian, bounds=(0.0, 1.0), xtol=1e-12, ftol=1e-12, gtol=1e-14, max_nfev=100,
            x_scale=np.where(np.isfinite(effect), 1.0 / effect, 1.0),
        )  # fmt: skip
        return self._result(start, np.asarray(found.x))

    # ---- modes and their partners

    def at(self, u: np.ndarray) -> tuple[Design, np.ndarray]:
        """The design and which of its modes belongs to each measured one."""
        key = u.tobytes()
        if key not in self._known:
            self.evaluations += 1
            design = self.space.at(self.task.x(u))
            self._known[key] = design, self._pairs(design)
        return self._known[key]

    def _pairs(self, design: Design) -> np.ndarray:
        from scipy.optimize import linear_sum_assignment

        hz, wanted = design.frequency_hz, self.data.frequencies
        if len(hz) < len(wanted):
            what = f"The model has {len(hz)} modes, {len(wanted)} were measured."
            raise ComputationError(f"{what} Leave out the modes that the model cannot have.")
        if self.data.shapes is None:
            return np.argsort(hz, kind="stable")[: len(wanted)][np.argsort(np.argsort(wanted))]
        off = np.abs(np.log(hz[None, :] / wanted[:, None]))
        return linear_sum_assignment(1.0 - self.measured_mac(design) + 0.3 * np.minimum(off, 1.0))[1]

    def shapes(self, design: Design) -> np.ndarray:
        """(modes, measures) what the sensors see of each mode."""
        return (design.C[self.rows] @ design.right).T

    def measured_mac(self, design: Design) -> np.ndarray:
        """MAC (measured, modes)."""
        assert self.data.shapes is not None
        return mac_matrix(self.data.shapes, self.shapes(design))

    # ---- residuals and Jacobian

    def residual(self, u: np.ndarray) -> np.ndarray:
        design, pairs = self.at(u)
        wanted = self.data.frequencies
        parts = [self.by_hz * (design.frequency_hz[pairs] - wanted) / wanted]
        if self.data.shapes is not None:
            parts += [_parts(w * r) for w, r in zip(self.by_shape, self._misfits(design, pairs), strict=True)]
        return np.concatenate(parts)

    def _misfits(self, design: Design, pairs: np.ndarray) -> list[np.ndarray]:
        """Part of each measured shape (unit length) that the model's shape lacks; its squared length is 1 - MAC."""
        seen = self.shapes(design)[pairs]
        assert self.data.shapes is not None
        out = []
        for measured, own in zip(self.data.shapes, seen, strict=True):
            a, b = measured / np.linalg.norm(measured), own / np.linalg.norm(own)
            out.append(a - b * (b.conj() @ a))
        return out

    def jacobian(self, u: np.ndarray) -> np.ndarray:
        design, pairs = self.at(u)
        by_u = self.task.slopes(design.x)
        rise = modal_slope("frequency", design.eigenvalues[pairs], design.eigenvalue_slopes[:, pairs])
        rows = [(self.by_hz / self.data.frequencies)[:, None] * rise.T]
        if self.data.shapes is not None:
            turned = self._shape_slopes(design, pairs)
            for k in range(len(pairs)):
                rows.append(
                    np.stack(
                        [_parts(self.by_shape[k] * d) for d in self._misfit_slopes(design, pairs, k, turned)], axis=1
                    )
                )
        return np.concatenate(rows) * by_u

    def _shape_slopes(self, design: Design, pairs: np.ndarray) -> np.ndarray:
        """(P, states, n) derivatives of the right eigenvectors of the paired modes, by all other modes."""
        values, left, right = _whole(design)
        at = np.array([int(np.argmin(np.abs(values - design.eigenvalues[k]))) for k in pairs])
        pull = np.einsum("sm,pst,tn->pmn", left.conj(), design.slopes.A, right[:, at], optimize=True)
        gap = values[at][None, :] - values[:, None]
        near = np.abs(gap) < 1e-9 * np.abs(values[at])[None, :]
        share = pull * np.where(near, 0.0, 1.0 / np.where(near, 1.0, gap))
        own = design.right[:, pairs]
        size = np.einsum("sn,sn->n", right[:, at].conj(), own) / np.einsum(
            "sn,sn->n", right[:, at].conj(), right[:, at]
        )
        return np.einsum("sm,pmn->psn", right, share) * size

    def _misfit_slopes(self, design: Design, pairs: np.ndarray, k: int, turned: np.ndarray) -> np.ndarray:
        """(P, measures) derivatives of one misfit."""
        assert self.data.shapes is not None
        a = self.data.shapes[k] / np.linalg.norm(self.data.shapes[k])
        own = design.right[:, pairs[k]]
        C, dC = design.C[self.rows], design.slopes.C[:, self.rows]
        seen = C @ own
        moved = turned[:, :, k] @ C.T + dC @ own
        length = np.linalg.norm(seen)
        b = seen / length
        db = (moved - (b.conj() @ moved.T).real[:, None] * b) / length
        return -(db * (b.conj() @ a) + b * (db.conj() @ a)[:, None])

    # ---- result

    def _result(self, start: np.ndarray, end: np.ndarray) -> Update:
        (before, pairs_before), (after, pairs) = self.at(start), self.at(end)
        shaped = self.data.shapes is not None
        mac = lambda d, p: self.measured_mac(d)[np.arange(len(p)), p] if shaped else None  # noqa: E731
        deviations, notes = self._uncertainty(end)
        held = [v.name for v, u in zip(self.task.variables, end, strict=True) if min(u, 1 - u) < 1e-6]
        if held:
            notes.append(f"At the end of their range: {', '.join(held)}. A wider range may fit better.")
        worst = float(np.abs(after.frequency_hz[pairs] / self.data.frequencies - 1).max())
        return Update(
            model=self.task.model.with_values(dict(zip(self.task.names, after.x.tolist(), strict=True))),
            names=self.task.names, before=before.x, after=after.x, deviations=deviations, measured=self.data,
            frequencies_before=before.frequency_hz[pairs_before], frequencies_after=after.frequency_hz[pairs],
            modes=pairs, mac_before=mac(before, pairs_before), mac_after=mac(after, pairs),
            success=not held, message=f"Frequencies agree to {100 * worst:.3g} %.",
            evaluations=self.evaluations, notes=tuple(notes),
        )  # fmt: skip

    def _uncertainty(self, u: np.ndarray) -> tuple[np.ndarray, list[str]]:
        """Standard deviations (P,) of the values from what the fit leaves over; nan where there is none to tell."""
        r, J = self.residual(u), self.jacobian(u)
        size = self._effect(u, J)
        known = J / size
        _, strength, directions = np.linalg.svd(known)
        rank = int((strength > INDETERMINATE * strength.max(initial=0.0)).sum())
        loose = np.linalg.norm(directions[rank:], axis=0) > SHARE
        notes = []
        if loose.any():
            names = [n for n, w in zip(self.task.names, loose, strict=True) if w]
            notes.append(f"The data do not determine {', '.join(names)}: measure more modes, or vary fewer parameters.")
        surplus = len(r) - rank
        if surplus <= 0:
            notes.append("There are not more data than parameters: their uncertainty cannot be told.")
            return np.full(J.shape[1], math.nan), notes
        n = len(self.data.frequencies)
        noise = np.empty(len(r))  # frequencies and shapes are measured with errors of their own
        for group in (slice(0, n), slice(n, None)):
            noise[group] = math.sqrt(float(np.mean(r[group] ** 2)) * len(r) / surplus) if len(r[group]) else 0.0
        inverse = np.linalg.pinv(known, rcond=INDETERMINATE)
        spread = np.sqrt(((inverse * noise) ** 2).sum(axis=1)) / size
        return np.where(loose, math.nan, spread * np.abs(self.task.slopes(self.task.x(u)))), notes

    def _effect(self, u: np.ndarray, J: np.ndarray) -> np.ndarray:
        """(P,) size of what each parameter does to the data over its range, for scaling: whether the data tell it does
        not depend on how wide its range is or how large the others are. Infinite where it does nothing but rounding."""
        x = self.task.x(u)
        size = np.linalg.norm(J, axis=0)
        width = np.abs(self.task.slopes(x))
        share = np.maximum(np.abs(x) / width, 1.0)  # effect of the whole value, or of the range where that is wider
        return np.where(size * share > NOTHING, size, np.inf)


def _parts(z: np.ndarray) -> np.ndarray:
    return np.concatenate((z.real, z.imag))


def _whole(design: Design) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """All eigenvalues with left and right vectors, left^H right = 1."""
    values, right = np.linalg.eig(design.A)
    return values, np.linalg.inv(right).conj().T, right


__all__: Sequence[str] = ("Measured", "Update", "update")
