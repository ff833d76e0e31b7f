"""Words of Adams datasets: which statements are read with which keys and flags, and what becomes of the others."""

from __future__ import annotations

from eigenbody.base.errors import suggest
from eigenbody.exchange.adams.statements import Statement
from eigenbody.exchange.base import Findings

_PLACE = ("QG", "ZG", "XG", "REULER", "VX", "VY", "VZ", "WX", "WY", "WZ", "VM", "WM", "EXACT")
_GFORCE = ("I", "JFLOAT", "RM")
KEYS = {
    "UNITS": ("LENGTH", "MASS", "FORCE", "TIME", "SYSTEM"), "ACCGRAV": ("IGRAV", "JGRAV", "KGRAV"),
    "PART": ("MASS", "CM", "IM", "IP", *_PLACE), "POINT_MASS": ("MASS", "CM", *_PLACE),
    "MARKER": ("PART", "POINT_MASS", "FLEX_BODY", "QP", "ZP", "XP", "REULER"),
    "JOINT": ("I", "J", "IC", "ICTRAN", "ICROT", "PITCH"), "JPRIM": ("I", "J"), "MOTION": ("JOINT", "I", "J"),
    "COUPLER": ("JOINTS", "TYPE", "SCALES"), "GEAR": ("JOINTS", "CV"),
    "SPRINGDAMPER": ("I", "J", "K", "C", "L", "LENGTH", "FORCE", "KT", "CT", "ANGLE", "TORQUE"),
    "BUSHING": ("I", "J", "K", "KT", "C", "CT", "FORCE", "TORQUE"), "SFORCE": ("I", "J"),
    "GFORCE": _GFORCE, "VFORCE": _GFORCE, "VTORQUE": _GFORCE, "VARIABLE": ("IC",), "DIFF": ("IC",),
}  # fmt: skip
_ALONG = ("TRANSLATION", "ROTATION")
FLAGS = {
    "PART": ("GROUND",), "MARKER": ("FLOATING", "USEXP"),
    "JOINT": (
        "REVOLUTE", "TRANSLATIONAL", "CYLINDRICAL", "SPHERICAL", "FIXED", "PLANAR", "SCREW", "HOOKE", "UNIVERSAL",
        "CONVEL", "RACKPIN",
    ),
    "JPRIM": ("ATPOINT", "INLINE", "INPLANE", "ORIENTATION", "PARALLEL_AXES", "PERPENDICULAR"),
    "MOTION": (*_ALONG, "DISPLACEMENT", "VELOCITY", "ACCELERATION", "X", "Y", "Z", "B1", "B2", "B3"),
    "SPRINGDAMPER": _ALONG, "SFORCE": (*_ALONG, "ACTIONONLY"), "DIFF": ("IMPLICIT", "STATIC_HOLD"),
}  # fmt: skip
LONGER = {"TRANSLATIONAL": "TRANSLATION", "ROTATIONAL": "ROTATION"}  # of statements that have the shorter word

HOLDING = {"FLEX_BODY", "CVCV", "PTCV", "UCON", "GCON"}  # without them it is another mechanism
ACTING = {
    "BEAM", "FIELD", "NFORCE", "MFORCE", "CONTACT", "FRICTION", "TIRE", "WHEEL", "GSE", "LSE", "TFSISO",
}  # fmt: skip
SILENT = {
    "ADAMS", "ARRAY", "CONSUB", "CURVE", "DEBUG", "EQUILIBRIUM", "EXECUTION", "FEMDATA", "GRAPHICS", "IC", "INTEGRATOR",
    "KINEMATICS", "LINEAR", "LIST", "LSOLVER", "MATRIX", "MREQUEST", "OUTPUT", "PINPUT", "POUTPUT", "PREFERENCES",
    "REQUEST", "RESULTS", "SENSOR", "SPLINE", "STRING", "SURFACE", "TIMER",
}  # fmt: skip
EVERY = sorted(KEYS.keys() | HOLDING | ACTING | SILENT)
WITHOUT_ID = {"UNITS", "ACCGRAV"}
SHORTEST = 2  # letters of a word that is cut short


def understand(statements: list[Statement], found: Findings) -> None:
    """Words that are cut short are made whole, in place; unknown statements, numbers that are missing or taken twice
    are faults."""
    seen: dict[tuple[str, int], Statement] = {}
    for s in statements:
        s.type = _whole(s.type, EVERY) or s.type
        if s.type not in EVERY:
            remedy = suggest(s.type, EVERY) or "Take it out of the file."
            found.fault(s.title, s.line, "there is no statement of this name.", remedy)
            continue
        if s.type not in KEYS:
            continue
        s.flags = {_flag(flag, FLAGS.get(s.type, ())) for flag in s.flags}
        if s.type in WITHOUT_ID:
            continue
        if s.id <= 0:
            found.fault(s.title, s.line, "its number is missing, or not positive.", f"Write {s.type}/1.")
        elif (s.type, s.id) in seen:
            found.fault(s.title, s.line, f"there is one of this number in line {seen[s.type, s.id].line} already.")
        seen[s.type, s.id] = s


def unread(statements: list[Statement]) -> list[str]:
    """Keys and flags of statements that nothing reads, in words."""
    out = []
    for s in statements:
        if s.type in KEYS and s.type != "UNITS":
            keys = [key for key in s.values if key not in KEYS[s.type]]
            flags = sorted(flag for flag in s.flags if flag not in FLAGS.get(s.type, ()))
            if keys or flags:
                out.append(f"{', '.join(keys + flags)} of {s.title} (line {s.line})")
    return out


def _whole(word: str, known: list[str] | tuple[str, ...]) -> str:
    """The word that begins so; "" where there is none or several."""
    if word in known:
        return word
    longer = [other for other in known if other.startswith(word)] if len(word) >= SHORTEST else []
    return longer[0] if len(longer) == 1 else ""


def _flag(flag: str, known: tuple[str, ...]) -> str:
    return _whole(LONGER[flag] if flag in LONGER and flag not in known else flag, known) or flag
