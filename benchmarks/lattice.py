"""A cube of bodies on bushings: how long 20 modes take by each factorization, in one process and on two MPI ranks.

    python benchmarks/lattice.py                    8000 bodies, by every factorization that is installed
    python benchmarks/lattice.py --side 12          1728 bodies
    python benchmarks/lattice.py --ranks 1 2        SLEPc with MUMPS beside it (Debian: python3-slepc4py)
    python benchmarks/lattice.py --pardiso PYTHON   shift-invert by SciPy on Pardiso, in an environment with pypardiso

Processor seconds; BLAS runs on one thread. Rows of the engine count everything after the operating point: assembly,
factorization, modes with their bounds, and a count of eigenvalues that shows that none is missing; the others solve the
pencil that the engine has assembled. Every row finds the same frequencies, which is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

HERE = Path(__file__).resolve().parent
COUNT = 20
K, C, MASS, INERTIA = [2e5, 3e5, 2.5e5, 4e3, 5e3, 6e3], 0.0, 2.0, [0.03, 0.04, 0.05]


def lattice(side: int) -> dict[str, Any]:
    """side^3 bodies, each on bushings to its neighbours; the lowest layer to ground too."""
    name = {(i, j, k): f"b{i}_{j}_{k}" for i in range(side) for j in range(side) for k in range(side)}
    rng = np.random.default_rng(1)  # unequal, so that no frequency is repeated
    bodies = {n: {"mass": float(MASS * rng.uniform(0.9, 1.1)), "inertia": INERTIA, "at": list(map(float, at))}
              for at, n in name.items()}  # fmt: skip
    forces = {}
    for (i, j, k), one in name.items():
        for step in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
            other = name.get((i + step[0], j + step[1], k + step[2]))
            if other is not None:
                at = [i + step[0] / 2, j + step[1] / 2, k + step[2] / 2]
                forces[f"{one}_{other}"] = {"type": "bushing", "between": [one, other], "at": at, "k": K}
        if k == 0:
            forces[f"foot_{one}"] = {"type": "bushing", "between": ["ground", one], "at": [i, j, -0.5], "k": K}
    return {"eigenbody": 1, "name": f"Lattice of {side}^3 bodies", "bodies": bodies, "forces": forces}


def matrices(side: int) -> tuple[Any, Any]:
    """M and K as the engine assembles them, sparse."""
    import eigenbody as eb

    pencil = eb.linearize(eb.load(lattice(side)), solver="sparse").sparse.pencil
    return pencil.M.tocsr(), pencil.K.tocsr()


def by_engine(side: int, hidden: tuple[str, ...]) -> dict[str, Any]:
    """`eb.modes` in a process of its own, without the packages `hidden`."""
    code = (
        "import sys, json, time, importlib.util as u\n"
        f"hidden = {hidden!r}\n"
        "find = u.find_spec\n"
        "u.find_spec = lambda name, *a: None if name in hidden else find(name, *a)\n"
        f"sys.path[:0] = [{str(HERE)!r}]\n"
        "from lattice import lattice, COUNT\n"
        "import eigenbody as eb\n"
        f"model = eb.load(lattice({side})); eb.operating_point(model)\n"
        "t, w = time.process_time(), time.time()\n"
        "found = eb.modes(model, n=COUNT)\n"
        "print(json.dumps({'seconds': time.process_time() - t, 'clock': time.time() - w,"
        " 'hz': found.frequency_hz.tolist()}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


SLEPC = """
import glob, sys, json, time
import numpy as np
sys.path += glob.glob("/usr/lib/*dir/*/*-real/lib/python3/dist-packages")  # where Debian has them
import slepc4py; slepc4py.init(["x"])
from petsc4py import PETSc
from slepc4py import SLEPc
folder, count = sys.argv[1], int(sys.argv[2])
comm = PETSc.COMM_WORLD
def matrix(name):
    parts = {p: np.load(f"{folder}/{name}_{p}.npy", mmap_mode="r") for p in ("indptr", "indices", "data")}
    n = len(parts["indptr"]) - 1
    A = PETSc.Mat().create(comm); A.setSizes(((None, n), (None, n))); A.setType("aij"); A.setUp()
    a, b = A.getOwnershipRange()
    p = parts["indptr"][a:b + 1]
    own = slice(int(p[0]), int(p[-1]))
    A = PETSc.Mat().createAIJ(((b - a, n), (b - a, n)), comm=comm,
        csr=((p - p[0]).astype("i4"), parts["indices"][own].astype("i4"), np.array(parts["data"][own])))
    A.assemble(); return A
M, K = matrix("M"), matrix("K")
comm.barrier(); t, w = time.process_time(), time.time()
E = SLEPc.EPS().create(comm); E.setOperators(K, M); E.setProblemType(SLEPc.EPS.ProblemType.GHEP)
E.setDimensions(count); E.setTarget(0.0); E.setWhichEigenpairs(SLEPc.EPS.Which.TARGET_MAGNITUDE); E.setTolerances(1e-12)
st = E.getST(); st.setType("sinvert"); st.setShift(0.0)
ksp = st.getKSP(); ksp.setType("preonly"); pc = ksp.getPC(); pc.setType("lu"); pc.setFactorSolverType("mumps")
E.solve()
values = sorted(E.getEigenvalue(i).real for i in range(E.getConverged()))[:count]
own = PETSc.Vec().createMPI((1, comm.size), comm=comm)
own.setValue(comm.rank, time.process_time() - t); own.assemble()
spent = own.sum()  # of all ranks
if comm.rank == 0:
    print(json.dumps({"seconds": spent, "clock": time.time() - w, "hz": (np.sqrt(values) / 2 / np.pi).tolist()}))
"""


PARDISO = """
import sys, json, time
import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, eigsh
from pypardiso import PyPardisoSolver
folder, count = sys.argv[1], int(sys.argv[2])
M, K = (csr_array(tuple(np.load(f"{folder}/{n}_{p}.npy") for p in ("data", "indices", "indptr"))) for n in "MK")
t, w = time.process_time(), time.time()
solver = PyPardisoSolver(); solver.factorize(K)
inverse = LinearOperator(K.shape, matvec=lambda b: solver.solve(K, b), dtype=float)
values = eigsh(K, count, M, sigma=0.0, OPinv=inverse, return_eigenvectors=False)
spent = time.process_time() - t, time.time() - w
print(json.dumps({"seconds": spent[0], "clock": spent[1], "hz": (np.sqrt(np.sort(values)) / 2 / np.pi).tolist()}))
"""


def by_others(side: int, text: str, command: list[str]) -> dict[str, Any]:
    """The same pencil, solved by a script in a process (or several) of its own."""
    M, K = matrices(side)
    with tempfile.TemporaryDirectory() as folder:
        for name, A in (("M", M), ("K", K)):
            A.sort_indices()
            for part in ("indptr", "indices", "data"):
                np.save(f"{folder}/{name}_{part}.npy", getattr(A, part))
        (Path(folder) / "solve.py").write_text(text)
        clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        call = [*command, f"{folder}/solve.py", folder, str(COUNT)]
        done = subprocess.run(call, capture_output=True, text=True, env={**clean, "MKL_NUM_THREADS": "1"})
    if done.returncode:
        raise SystemExit(done.stderr[:2000])
    return dict(json.loads(done.stdout.splitlines()[-1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--side", type=int, default=20)
    parser.add_argument("--ranks", type=int, nargs="*", default=[])
    parser.add_argument("--pardiso", metavar="PYTHON", help="an interpreter that has pypardiso")
    asked = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for what, hidden in (
        ("engine: SuperLU, minimum degree", ("pymetis",)),
        ("engine: SuperLU, METIS", ()),
    ):
        rows.append({"factorization": what, **by_engine(asked.side, hidden)})
    if asked.pardiso:
        rows.append({"factorization": "SciPy on Pardiso", **by_others(asked.side, PARDISO, [asked.pardiso])})
    for n in asked.ranks:
        command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(n), "/usr/bin/python3"]
        rows.append({"factorization": f"SLEPc on MUMPS, ranks: {n}", **by_others(asked.side, SLEPC, command)})
    first = np.array(rows[0]["hz"])
    for row in rows:
        row["difference"] = float(np.abs(np.array(row.pop("hz")) / first - 1).max())
        assert row["difference"] < 1e-8, row
        print(
            f"{row['factorization']:34} {row['seconds']:8.1f} s  clock {row['clock']:8.1f} s  {row['difference']:.1e}"
        )
    path = HERE / "results" / "lattice" / f"{datetime.now(UTC):%Y-%m-%d}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"side": asked.side, "modes": COUNT, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
