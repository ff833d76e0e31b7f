"""A linear model as functional mock-up unit (FMI 2.0 or 3.0) for model exchange and co-simulation.

The archive has the C sources, which need nothing but a C compiler, and what the compiler of this machine makes of them,
where there is one. The same model gives the same bytes.
"""

from __future__ import annotations

import hashlib
import io
import zipfile
from importlib.resources import files
from pathlib import Path

from eigenbody.base.errors import Fault, InputError
from eigenbody.exchange.block import LinearBlock
from eigenbody.exchange.fmu.build import built
from eigenbody.exchange.fmu.description import FmuNames, build_description, description_2, description_3
from eigenbody.exchange.fmu.numbers import numbers

LARGEST = 1000  # states: a step of co-simulation is an exponential of a full matrix
WHEN = (1980, 1, 1, 0, 0, 0)  # of files in the archive


def write_fmi2(block: LinearBlock, path: Path) -> bytes:
    """An FMU of version 2.0."""
    return _archive(block, 2)


def write_fmi3(block: LinearBlock, path: Path) -> bytes:
    """An FMU of version 3.0."""
    return _archive(block, 3)


def _archive(block: LinearBlock, version: int) -> bytes:
    if len(block.states) > LARGEST:
        what = f"the model has {len(block.states)} states; an FMU is written up to {LARGEST}."
        raise InputError(Fault(".fmu", what, "Reduce it first: eigenbody reduce, or eb.reduce(model, n=20)."))
    names = FmuNames.of(block)
    body = numbers(block)
    token = "{" + hashlib.sha256(f"{version}{names}{body}".encode()).hexdigest()[:32] + "}"
    describe = description_2 if version == 2 else description_3
    main, assets = f"fmi{version}.c", files("eigenbody.exchange.fmu") / "assets"
    sources = {name: (assets / name).read_bytes() for name in (main, "linear.c")}
    sources["numbers.h"] = f'#define TOKEN "{token}"\n{body}'.encode()
    content = {"modelDescription.xml": describe(block, names, token).encode()}
    content |= {f"sources/{name}": text for name, text in sources.items()}
    if version == 3:
        content["sources/buildDescription.xml"] = build_description(block.identifier, main).encode()
    content |= built(sources, main, block.identifier, version)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in content.items():
            archive.writestr(zipfile.ZipInfo(name, WHEN), data, zipfile.ZIP_DEFLATED)
    return out.getvalue()
