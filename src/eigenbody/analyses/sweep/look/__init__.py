"""Sweeps and Campbell diagrams as tables, JSON documents and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from eigenbody.model.source import shown
from eigenbody.present.axes import Over, Places, over
from eigenbody.present.documents import number
from eigenbody.present.tables import MAX_ROWS, Grid, Sheet, Styled, counted, listed, significant
from eigenbody.present.words import noted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenbody.analyses.sweep.campbell import Campbell
    from eigenbody.analyses.sweep.follow import Sweep

MAX_FAILED = 8
ROUNDING = 1e-14  # damping ratio that is none


def as_campbell(sweep: Sweep) -> Campbell | None:
    """The sweep if it is one over a speed."""
    return cast("Campbell", sweep) if sweep.is_over_speed else None


def in_unit(sweep: Sweep, value: float, digits: int = 6, name: str | None = None) -> str:
    """A value of the parameter in the unit of the model file: `94.6781 rad/s`."""
    unit, factor = sweep.unit_of(name or sweep.parameter)
    return f"{significant(value / factor, digits)}{' ' + unit if unit else ''}"


def place(sweep: Sweep, values: dict[str, float], digits: int = 6) -> str:
    """Values of all parameters at a place of the sweep."""
    if len(values) == 1:
        return in_unit(sweep, next(iter(values.values())), digits)
    return ", ".join(f"{shown(name, 24)} = {in_unit(sweep, value, digits, name)}" for name, value in values.items())


# Tables ---------------------------------------------------------------------------------------------------------------
def sheet(sweep: Sweep) -> Sheet:
    """Branches, critical speeds, boundaries of stability, branches that meet."""
    speed = as_campbell(sweep)
    title = "Campbell diagram" if speed is not None and speed.joint else "Modes over a parameter"
    ends = [{name: float(v[i]) for name, v in sweep.parameters.items()} for i in (0, -1)]
    asked = int((~sweep.is_added).sum())
    names = " and ".join(shown(name, 40) for name in sweep.parameters)
    lines = [f"{names} from {place(sweep, ends[0])} to {place(sweep, ends[1])}, {counted(asked, 'point')}"]
    if speed is not None and speed.joint:
        spin = speed.spin[np.isfinite(speed.spin)]
        ends_of_spin = f"from {significant(spin.min())} to {significant(spin.max())} rad/s"
        lines.append(f"Spin of {shown(speed.joint)} {ends_of_spin}; modes {seen_from(speed)}")
    return Sheet(f"{title} of {shown(sweep.model.name, 100)}", lines, _grids(sweep), _below(sweep))


def seen_from(speed: Campbell) -> str:
    """Who sees the frequencies."""
    if speed.frame:
        return f"in the frame that turns with {shown(speed.frame, 30)}"
    if not speed.turning:
        return "in the fixed frame"
    more = f" and {len(speed.turning) - 3} more" if len(speed.turning) > 3 else ""
    return f"in the coordinates of the model, of which {shown(', '.join(speed.turning[:3]), 80)}{more} turn"


def _branch_grid(sweep: Sweep) -> Grid:
    hz, ratio = sweep.frequency_hz, sweep.damping_ratio
    lines = [k for k in range(len(sweep.labels)) if not is_rigid_branch(sweep, k)]
    rows = tuple(
        (
            str(k + 1),
            shown(sweep.labels[k], 60),
            *(significant(v) for v in _ends(hz[:, k])),
            *(significant(v, 4) for v in _ends(_without_rounding(sweep.eigenvalues[:, k]))),
            significant(_least(np.where(np.abs(ratio[:, k]) < ROUNDING, 0.0, ratio[:, k])), 4),
            _stability(sweep, k),
        )
        for k in lines[:MAX_ROWS]
    )
    columns = ("#", "branch", "first\nHz", "last\nHz", "real first\n1/s", "real last\n1/s", "damping\nleast", "grows")
    return Grid("", columns, rows, (True, False) + (True,) * 5 + (False,), len(lines) - len(rows))


def _without_rounding(values: np.ndarray) -> np.ndarray:
    """Real parts for the eye: what is rounding beside the imaginary part is zero."""
    return np.where(np.abs(values.real) < ROUNDING * np.abs(values), 0.0, values.real)


def is_rigid_branch(sweep: Sweep, k: int) -> bool:
    """Whether the branch is one of zeros (free motion)."""
    there = ~np.isnan(sweep.eigenvalues[:, k].real)
    return bool(sweep.is_rigid[there, k].all())


def _ends(column: np.ndarray) -> tuple[float, float]:
    known = column[~np.isnan(column)]
    return (float(known[0]), float(known[-1])) if len(known) else (np.nan, np.nan)


def _least(column: np.ndarray) -> float:
    known = column[~np.isnan(column)]
    return float(known.min()) if len(known) else np.nan


def _stability(sweep: Sweep, k: int) -> str:
    """Whether the branch grows at all points, at some or at none; nothing of equations of an instant."""
    if sweep.is_frozen:
        return "—"
    column = sweep.eigenvalues[:, k]
    known = ~np.isnan(column.real)
    unstable = np.array([s == "unstable" for s in sweep.stability])[known]
    growing = unstable & (column.real[known] > 1e-9 * np.abs(column[known]))
    changes = any(boundary.branch == k for boundary in sweep.boundaries)
    return "yes" if growing.all() and not changes else "in part" if growing.any() or changes else "no"


def _critical_grid(speed: Campbell) -> Grid:
    rows = tuple(
        (
            significant(c.order, 4),
            place(speed, c.values, 10),
            significant(c.spin, 10),
            significant(c.frequency / (2 * np.pi), 8),
            str(c.branch + 1),
            shown(speed.labels[c.branch], 60),
        )
        for c in speed.critical_speeds[:MAX_ROWS]
    )
    left_out = len(speed.critical_speeds) - len(rows)
    columns = ("order", shown(speed.parameter, 30), "spin\nrad/s", "frequency\nHz", "#", "branch")
    return Grid(_of_what("Critical speeds", speed), columns, rows, (True,) * 5 + (False,), left_out)


def _boundary_grid(sweep: Sweep) -> Grid:
    rows = tuple(
        (
            place(sweep, b.values, 10),
            f"{b.kind} {'begins' if b.begins else 'ends'}",
            significant(b.frequency / (2 * np.pi), 8) if b.kind == "flutter" else "—",
            str(b.branch + 1),
            shown(sweep.labels[b.branch], 60),
        )
        for b in sweep.boundaries[:MAX_ROWS]
    )
    columns = (shown(sweep.parameter, 30), "what", "frequency\nHz", "#", "branch")
    right = (True, False, True, True, False)
    return Grid(_of_what("Stability boundaries", sweep), columns, rows, right, len(sweep.boundaries) - len(rows))


def _event_grid(sweep: Sweep) -> Grid:
    rows = tuple(
        (place(sweep, e.values), e.kind, " and ".join(f"{b + 1} {shown(sweep.labels[b], 40)}" for b in e.branches))
        for e in sweep.events[:MAX_ROWS]
    )
    left_out = len(sweep.events) - len(rows)
    columns = (shown(sweep.parameter, 30), "how", "branches")
    return Grid("Branches that meet", columns, rows, (True, False, False), left_out)


def _grids(sweep: Sweep) -> list[Grid]:
    speed = as_campbell(sweep)
    grids = [_branch_grid(sweep)]
    if speed is not None and speed.critical_speeds:
        grids.append(_critical_grid(speed))
    if sweep.boundaries:
        grids.append(_boundary_grid(sweep))
    if sweep.events:
        grids.append(_event_grid(sweep))
    return grids


def _below(sweep: Sweep) -> list[str]:
    speed = as_campbell(sweep)
    lines = []
    rigid = sum(is_rigid_branch(sweep, k) for k in range(len(sweep.labels)))
    if rigid:
        lines.append(f"{counted(rigid, 'branch', 'branches')} of zeros (free motion) not listed.")
    if speed is not None and speed.joint and not speed.critical_speeds:
        what = _of_what("Critical speeds", speed)
        lines.append(f"{what}: none for order {', '.join(significant(o, 4) for o in speed.per_rev)}.")
    if not sweep.boundaries:
        lines.append(_of_what("Stability boundaries", sweep) + f": {_no_boundary(sweep)}")
    return [*lines, *(Styled(line, "red") for line in _failures(sweep)), *noted(sweep.notes)]


def _of_what(found: str, sweep: Sweep) -> str:
    return found + (" of the equations of an instant, which change along the motion" if sweep.is_frozen else "")


def _no_boundary(sweep: Sweep) -> str:
    """What was looked at where no boundary was found; nothing is claimed of the rest."""
    if sweep.sought == "nowhere":
        return "not sought."
    known = [s for s in sweep.stability if s != "failed"]
    always = all(s == "unstable" for s in known)
    points = counted(len(known), "point")
    seen = f"unstable at all of {points}" if always else f"no branch begins or ceases to grow over {points}"
    if sweep.sought == "at points":
        return f"none found; {seen}. Between them nothing was sought."
    between = "Real parts between them were looked at where parabolas through three points expect them to reach zero."
    return f"none found; {seen}. {between} A window much narrower than a step may be missed: more points show it."


def _failures(sweep: Sweep) -> list[str]:
    """What failed, points with the same message together."""
    by_message: dict[str, list[str]] = {}
    for failed in sweep.failed:
        by_message.setdefault(failed.message, []).append(place(sweep, failed.values))
    lines = [f"Failed at {listed(places, 4)}: {message}" for message, places in list(by_message.items())[:MAX_FAILED]]
    more = [f"... and {len(by_message) - MAX_FAILED} more messages (all of them: --json)"]
    return lines + (more if len(by_message) > MAX_FAILED else [])


# Documents and files --------------------------------------------------------------------------------------------------
def document(sweep: Sweep) -> dict[str, Any]:
    """`campbell --json`; indices of branches count from one."""
    speed = as_campbell(sweep)
    values = lambda at: next(iter(at.values()))  # noqa: E731
    several = lambda at: {"values": {n: number(v) for n, v in at.items()}} if len(at) > 1 else {}  # noqa: E731
    criticals = () if speed is None else speed.critical_speeds
    return {
        "model": sweep.model.name,
        "parameter": sweep.parameter,
        "unit": sweep.unit[0],
        "values": _list(sweep.values),
        "parameters": {name: _list(v) for name, v in sweep.parameters.items()},
        "added": [bool(a) for a in sweep.is_added],
        "stability": list(sweep.stability),
        "frozen": sweep.is_frozen,
        "joint": (speed.joint if speed is not None else "") or None,
        "frame": (speed.frame if speed is not None else "") or None,
        "turning": [] if speed is None else list(speed.turning),
        "orders": [number(o) for o in speed.per_rev] if speed is not None else [],
        "spin_rad_s": None if speed is None or not speed.joint else _list(speed.spin),
        "branches": [_branch(sweep, k) for k in range(len(sweep.labels))],
        "critical_speeds": [
            {
                "branch": c.branch + 1,
                "order": number(c.order),
                "value": number(values(c.values)),
                **several(c.values),
                "spin_rad_s": number(c.spin),
                "frequency_hz": number(c.frequency / (2 * np.pi)),
            }
            for c in criticals
        ],
        "stability_boundaries": [
            {
                "branch": b.branch + 1,
                "kind": b.kind,
                "begins": b.begins,
                "value": number(values(b.values)),
                **several(b.values),
                "frequency_hz": number(b.frequency / (2 * np.pi)),
            }
            for b in sweep.boundaries
        ],
        "boundaries_sought": sweep.sought,
        "crossings": [
            {
                "kind": e.kind,
                "value": number(values(e.values)),
                **several(e.values),
                "branches": [b + 1 for b in e.branches],
            }
            for e in sweep.events
        ],
        "failed": [
            {"index": f.index, "value": number(values(f.values)), **several(f.values), "message": f.message}
            for f in sweep.failed
        ],
        "notes": list(sweep.notes),
    }


def _branch(sweep: Sweep, k: int) -> dict[str, Any]:
    speed = as_campbell(sweep)
    column = sweep.eigenvalues[:, k]
    return {
        "index": k + 1,
        "label": sweep.labels[k],
        "whirl": None if speed is None or not speed.joint else speed.whirl[k],
        "rigid": is_rigid_branch(sweep, k),
        "real": _list(column.real),
        "imag": _list(column.imag),
        "frequency_hz": _list(sweep.frequency_hz[:, k]),
        "damping_ratio": _list(sweep.damping_ratio[:, k]),
    }


def _list(array: np.ndarray) -> list[float | None]:
    return [number(value) for value in array]


def records(sweep: Sweep) -> Iterator[list[Any]]:
    """A line for each point of each branch."""
    speed = as_campbell(sweep)
    spin = [None] * len(sweep) if speed is None else _list(speed.spin)
    names = list(sweep.parameters)
    yield [*names, "spin_rad_s", "branch", "label", "whirl", "real", "imag", "frequency_hz", "damping_ratio"]
    for branch in (_branch(sweep, k) for k in range(len(sweep.labels))):
        for i in range(len(sweep)):
            own = (branch[key][i] for key in ("real", "imag", "frequency_hz", "damping_ratio"))
            at = [*(float(sweep.parameters[name][i]) for name in names), spin[i]]
            yield [*at, branch["index"], branch["label"], branch["whirl"], *own]


def arrays(sweep: Sweep) -> dict[str, Any]:
    """nan where a point failed or a branch is not there."""
    speed = as_campbell(sweep)
    own: dict[str, Any] = {
        "values": sweep.values,
        "eigenvalues": sweep.eigenvalues,  # (points, branches)
        "frequency_hz": sweep.frequency_hz,
        "damping_ratio": sweep.damping_ratio,
        "is_rigid": sweep.is_rigid,
        "added": sweep.is_added,
        "stability": tuple(sweep.stability),
        "labels": tuple(sweep.labels),
        "parameter": np.array(sweep.parameter),
        "parameter_names": tuple(sweep.parameters),
        "parameter_values": np.stack(list(sweep.parameters.values()), axis=-1),
        "boundary_values": np.array([next(iter(b.values.values())) for b in sweep.boundaries], dtype=float),
        "boundary_branch": np.array([b.branch + 1 for b in sweep.boundaries], dtype=int),
        "boundary_kind": tuple(b.kind for b in sweep.boundaries),
        "model": np.array(sweep.model.name),
    }
    if speed is not None:
        found = speed.critical_speeds
        own |= {
            "spin_rad_s": speed.spin,
            "whirl": tuple(speed.whirl),
            "critical_values": np.array([next(iter(c.values.values())) for c in found], dtype=float),
            "critical_spin_rad_s": np.array([c.spin for c in found], dtype=float),
            "critical_order": np.array([c.order for c in found], dtype=float),
            "critical_branch": np.array([c.branch + 1 for c in found], dtype=int),
        }
    return own


def axes(sweep: Sweep) -> dict[str, Over]:
    """What the arrays lie over."""
    both: dict[str, Places] = {"values": "", "branch": ""}
    own = {
        "values": Over("", {"values": ""}, sweep.parameter),
        "eigenvalues": over("1/s", **both),
        "frequency_hz": over("Hz", **both),
        "damping_ratio": over("1", **both),
        "is_rigid": over(**both),
        "added": over(values=""),
        "stability": over(values=""),
        "labels": over(branch=""),
        "parameter_values": over(values="", parameter="parameter_names"),
        **{f"boundary_{name}": over(boundary="") for name in ("values", "branch", "kind")},
    }
    if as_campbell(sweep) is None:
        return own
    critical = {f"critical_{name}": over(critical="") for name in ("values", "order", "branch")}
    speeds = {"spin_rad_s": over("rad/s", values=""), "critical_spin_rad_s": over("rad/s", critical="")}
    return own | critical | speeds | {"whirl": over(branch="")}


def plot(sweep: Sweep, chosen: Sequence[int] | None = None) -> Figure:
    """Root locus: eigenvalues in the complex plane, coloured by the parameter; of chosen branches (from 0) or all."""
    from eigenbody.analyses.sweep.look.locus import plot_locus

    return plot_locus(sweep, chosen)


def diagram(sweep: Campbell, signed: bool = False, chosen: Sequence[int] | None = None) -> Figure:
    """Frequencies over the parameter with excitation lines and critical speeds, and damping ratios below."""
    from eigenbody.analyses.sweep.look.plots import plot_campbell

    return plot_campbell(sweep, signed, chosen)
