"""Displacements of second order: one form of all modal coordinates, or forms of pairs of carriers, are one measure."""

from __future__ import annotations

import numpy as np
import pytest
from flexible_rotor import ROTORS, model

import eigenbody as eb
from eigenbody.elements.measures.features import Carriers
from eigenbody.elements.measures.modal_form import ModalForm, modal_forms
from eigenbody.linearization.point import system_of

ROWS = 2


def _summed(form: np.ndarray, in_pairs: bool, at: Carriers, what: str) -> np.ndarray:
    """An attribute of the measures x.Fx / 2, whichever way they are written, its last axis over all carriers."""
    count = at.r.shape[-2]
    out = 0.0
    for members, own in modal_forms(form, in_pairs):
        values = getattr(ModalForm(np.repeat(members, ROWS, axis=0), own).jet(at), what)
        if values.ndim == at.r.ndim:  # a row over the columns of its carriers
            wide = np.zeros((*values.shape[:-1], count, 6))
            split = values.reshape(*values.shape[:-1], -1, 6)
            for k, carriers in enumerate(np.repeat(members, ROWS, axis=0)):
                wide[..., k, carriers, :] = split[..., k, :, :]
            values = wide.reshape(*values.shape[:-1], -1).swapaxes(-1, -2)
        out = out + np.moveaxis(values.reshape(*values.shape[:-1], len(members), ROWS).sum(axis=-2), -1, 0)
    return np.asarray(out)


@pytest.mark.parametrize("modes", [2, 3, 7, 12])
@pytest.mark.parametrize("what", ["value", "rate", "acceleration", "gradient", "rate_q", "acceleration_q"])
def test_pairs_of_carriers_add_up_to_the_whole_form(modes: int, what: str) -> None:
    rng = np.random.default_rng(modes)
    form = rng.normal(size=(ROWS, modes, modes))
    form, count = form + form.mT, -(-modes // 3)
    r, v, a = rng.normal(size=(3, 4, count, 3))  # four states at once
    at = Carriers(r, np.broadcast_to(np.eye(3), (count, 3, 3)), v, np.zeros_like(v), a, np.zeros_like(a))
    whole, pairs = (_summed(form, in_pairs, at, what) for in_pairs in (False, True))
    np.testing.assert_allclose(pairs, whole, rtol=1e-12, atol=1e-13)


def test_the_value_is_half_the_quadratic_form() -> None:
    rng = np.random.default_rng(1)
    form, x = rng.normal(size=(ROWS, 5, 5)), rng.normal(size=6)
    form, x[5] = form + form.mT, 0.0
    still = np.zeros((2, 3))
    at = Carriers(x.reshape(2, 3), np.broadcast_to(np.eye(3), (2, 3, 3)), still, still, still, still)
    expected = [x[:5] @ own @ x[:5] / 2 for own in form]
    for in_pairs in (False, True):
        np.testing.assert_allclose(_summed(form, in_pairs, at, "value"), expected, rtol=1e-13)


def test_a_shaft_among_many_rigid_bodies_is_the_same_shaft() -> None:
    """Beside so many joints the forms go by pairs of carriers, since every row of the table is as wide as the widest;
    alone they are whole."""
    alone = model(ROTORS[0], 6).with_parameters(speed=300.0)
    among = alone
    for i in range(100):
        among = among.body(f"weight{i}", mass=1.0, inertia=[0.1, 0.1, 0.1], at=[2.0, i, -1.0])
        among = among.joint(f"hinge{i}", "revolute", between=["ground", f"weight{i}"], at=[2.0, i, 0.0], axis=[0, 1, 0])
        among = among.force(f"spring{i}", "spring", along=f"hinge{i}", k=1.1e12)
    widths = [system_of(each).constraints.measures.columns.shape[1] for each in (alone, among)]
    assert widths[0] > widths[1] == 12
    expected = np.sort_complex(eb.modes(alone).eigenvalues)
    found = eb.modes(among).eigenvalues
    found = np.sort_complex(found[np.abs(found) < 9e5])
    np.testing.assert_allclose(found, expected, rtol=1e-8, atol=1e-6)
