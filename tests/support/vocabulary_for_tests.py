"""A small vocabulary that mimics the real one, so that the model layer is tested without any element."""

from eigenbody.model.vocabulary import Coordinate, Field, Kind, TypeSpec, Vocabulary

STIFFNESS = {"m": "N/m", "rad": "N*m/rad", "1": "N"}
DAMPING = {"m": "N*s/m", "rad": "N*m*s/rad", "1": "N*s"}
FORCE = {"m": "N", "rad": "N*m", "1": "N"}
VALUE = {"m": "m", "rad": "rad", "1": "1"}


def joint(name: str, *coordinates: tuple[str, str], extra: tuple[Field, ...] = ()) -> TypeSpec:
    fields = (
        Field("between", Kind.BETWEEN, required=True),
        Field("at", Kind.POINTS, "m"),
        Field("axis", Kind.DIRECTION),
        Field("axis2", Kind.DIRECTION),
        Field("position", Kind.COORDINATES, "coordinate"),
        Field("velocity", Kind.COORDINATES, "coordinate/s"),
        Field("motion", Kind.MOTION, "coordinate"),
        *extra,
    )
    return TypeSpec(name, fields, tuple(Coordinate(*pair) for pair in coordinates), doc=f"A {name} joint.")


def specs(*items: TypeSpec) -> dict[str, TypeSpec]:
    return {item.name: item for item in items}


ROTATIONS = (("rx", "rad"), ("ry", "rad"), ("rz", "rad"))
JOINTS = specs(
    joint("fixed"),
    joint("revolute", ("angle", "rad")),
    joint("prismatic", ("displacement", "m")),
    joint("cylindrical", ("displacement", "m"), ("angle", "rad")),
    joint("universal", ("angle1", "rad"), ("angle2", "rad")),
    joint("spherical", *ROTATIONS),
    joint("free", ("x", "m"), ("y", "m"), ("z", "m"), *ROTATIONS),
    joint("screw", ("angle", "rad"), extra=(Field("pitch", Kind.NUMBER, "m/rad", required=True),)),
)
ENDS = (Field("between", Kind.BETWEEN), Field("at", Kind.POINTS, "m"), Field("along", Kind.MEASURE))
FORCES = specs(
    TypeSpec(
        "spring",
        (
            *ENDS,
            Field("k", Kind.NUMBER, STIFFNESS, doc="stiffness"),
            Field("c", Kind.NUMBER, DAMPING, default=0.0),
            Field("free", Kind.NUMBER, VALUE),
            Field("free_length", Kind.NUMBER, "m"),
            Field("force", Kind.SIGNAL, FORCE),
        ),
        one_of=(("between", "along"),),
    ),
    TypeSpec(
        "bushing",
        (
            Field("between", Kind.BETWEEN, required=True),
            Field("at", Kind.POINTS, "m"),
            Field("axis", Kind.DIRECTION),
            Field("k", Kind.SIX, "stiffness", required=True),
            Field("c", Kind.SIX, "damping"),
        ),
    ),
    TypeSpec(
        "force",
        (
            Field("body", Kind.BODY, required=True),
            Field("at", Kind.POINT, "m"),
            Field("value", Kind.SIGNALS, "N", required=True),
            Field("axes", Kind.CHOICE, choices=("ground", "body"), default="ground"),
        ),
    ),
    TypeSpec(
        "expression", (Field("along", Kind.MEASURE, required=True), Field("value", Kind.SIGNAL, FORCE, required=True))
    ),
)
COUPLINGS = specs(
    TypeSpec("gear", (Field("joints", Kind.MEASURES, required=True), Field("ratio", Kind.NUMBER, required=True))),
    TypeSpec("linear", (Field("terms", Kind.TERMS, required=True), Field("constant", Kind.NUMBER, default=0.0))),
)
PAIR = (
    Field("between", Kind.BETWEEN, required=True),
    Field("at", Kind.POINTS, "m"),
    Field("axis", Kind.DIRECTION),
    Field("in", Kind.BODY),
)
MEASURES = specs(
    TypeSpec("distance", PAIR, dimension="m"),
    TypeSpec("displacement", PAIR, dimension="m"),
    TypeSpec("angle", PAIR, dimension="rad"),
    TypeSpec("cosine", PAIR, dimension="1"),
)
VOCABULARY = Vocabulary(
    {
        "joints": JOINTS,
        "forces": FORCES,
        "couplings": COUPLINGS,
        "measures": MEASURES,
        "drivers": {
            "": TypeSpec(
                "", (Field("measure", Kind.MEASURE, required=True), Field("motion", Kind.MOTION, VALUE, required=True))
            )
        },
        "states": {
            "": TypeSpec("", (Field("initial", Kind.NUMBER, default=0.0), Field("rate", Kind.SIGNAL, required=True)))
        },
        "variables": {"": TypeSpec("", (Field("value", Kind.SIGNAL, required=True),))},
        "inputs": {
            "": TypeSpec(
                "",
                (
                    Field("along", Kind.MEASURE),
                    Field("torque", Kind.FLAG, default=False),
                    Field("label", Kind.TEXT),
                    Field("hint", Kind.ANY),
                    Field("direction", Kind.VECTOR, "m"),
                    Field("rotation", Kind.ROTATION),
                    Field("inertia", Kind.INERTIA),
                ),
            )
        },
        "outputs": {
            "": TypeSpec(
                "",
                (
                    Field("measure", Kind.MEASURE),
                    Field("order", Kind.INTEGER, default=0, choices=("0", "1", "2")),
                    Field("expression", Kind.SIGNAL),
                ),
                one_of=(("measure", "expression"),),
            )
        },
    }
)
