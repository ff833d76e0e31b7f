"""Many models checked against themselves, shared by processes or a cluster."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from eigenbody.analyses.verify.find import Verification, verify
from eigenbody.base.errors import EigenbodyError, Fault, InputError, in_one_line
from eigenbody.base.result import Result
from eigenbody.linearization.subject import Subject
from eigenbody.many.run import Crew, Lost
from eigenbody.many.whole import each_point
from eigenbody.model.model import InertModel
from eigenbody.operating.asked import model_asking_for


@dataclass(frozen=True)
class Verified:
    """What came of one model; `routes` are those that agree and neglect nothing, `difference` the largest of theirs."""

    name: str
    verdict: str  # "agree", "disagree", "unchecked", or "failed"
    routes: tuple[str, ...] = ()
    states: int = 0
    difference: float = np.nan
    stability: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Verifications(Result, look="analyses.verify.look.many"):
    """Of every model, in the order in which they were given."""

    models: tuple[Verified, ...]

    def count(self, verdict: str) -> int:
        """How many have this verdict."""
        return sum(one.verdict == verdict for one in self.models)

    @property
    def verdict(self) -> str:
        """ "disagree" where one does or failed, else "unchecked" where one is, else "agree"."""
        if self.count("disagree") or self.count("failed"):
            return "disagree"
        return "unchecked" if self.count("unchecked") else "agree"


def verify_many(
    models: Mapping[str, Subject] | Sequence[str | Path],
    routes: Sequence[str] | None = None,
    workers: int | None = None,
    client: Any = None,
) -> Verifications:
    """`verify` for many models: files, or models by name. One that fails is listed with its reason.

    `workers` processes (default: as many as the machine has processors, where that pays) or those of a
    `dask.distributed.Client` share them; the result does not depend on it.
    """
    given = dict(models) if isinstance(models, Mapping) else {str(path): path for path in models}
    if not given:
        raise InputError(Fault("models", "there are none to check.", "Name at least one file."))
    named = tuple((name, _read(subject)) for name, subject in given.items())
    work = partial(_verified, named, routes)
    numbers = np.arange(len(named), dtype=float)[:, None]
    with closing(each_point(work, numbers, Crew(workers, client), 1, "models")) as found:
        each = [
            Verified(name, "failed", reason=one.reason) if isinstance(one, Lost) else one
            for (name, _), one in zip(named, found, strict=True)
        ]
    return Verifications(tuple(each))


def _read(subject: Subject) -> InertModel | Lost:
    """The model, or why there is none."""
    try:
        return model_asking_for(subject)
    except EigenbodyError as error:
        return Lost(in_one_line(error))


def _verified(
    named: Sequence[tuple[str, InertModel | Lost]], routes: Sequence[str] | None, rows: np.ndarray
) -> list[Verified]:
    return [_one(*named[int(k)], routes) for (k,) in rows]


def _one(name: str, model: InertModel | Lost, routes: Sequence[str] | None) -> Verified:
    if isinstance(model, Lost):
        return Verified(name, "failed", reason=model.reason)
    try:
        return _told(name, verify(model, routes))
    except EigenbodyError as error:
        return Verified(name, "failed", reason=in_one_line(error))


def _told(name: str, found: Verification) -> Verified:
    good = [result for result in found.results if result.agrees and result.is_exact]
    wrong = [result for result in found.results if result.spoils]
    counted = [result.match.largest for result in (*good, *wrong) if result.match is not None]
    reason = "; ".join(f"{result.route.name}: {result.reason or 'other eigenvalues'}" for result in wrong)
    if found.verdict == "unchecked":
        reason = "; ".join(dict.fromkeys(result.reason for result in found.results if result.reason))
    return Verified(
        name, found.verdict, tuple(result.route.name for result in good), len(found.eigenvalues),
        max(counted, default=np.nan), found.stability, reason,
    )  # fmt: skip
