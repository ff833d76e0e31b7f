"""Linear models for other packages: python-control."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eigenbody.base.errors import ComputationError

if TYPE_CHECKING:
    from eigenbody.linearization.model import LinearModel


def to_control(linear: LinearModel) -> Any:
    """A `control.StateSpace` with the names of states, inputs and outputs.

    python-control allows no dot in names: `slide.x` becomes `slide_x`.
    """
    A, B, C, D = linear.state_space
    try:
        import control
    except ImportError as error:
        raise ComputationError(
            "python-control is not installed. Install it with: pip install eigenbody[control]"
        ) from error
    names = {key: _without_dots(getattr(linear, key)) for key in ("states", "inputs", "outputs")}
    return control.ss(A, B, C, D, name=linear.point.model.name.replace(".", "_"), **names)


def _without_dots(names: tuple[str, ...]) -> list[str]:
    """Names without dots, all different."""
    out: list[str] = []
    for name in names:
        plain = name.replace(".", "_")
        while plain in out:
            plain += "_"
        out.append(plain)
    return out
