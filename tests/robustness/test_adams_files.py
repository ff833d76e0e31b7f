"""Adams datasets that are wrong: faults with their lines, all at once, and never an error of ours."""

import random
from pathlib import Path

import pytest

import eigenbody as eb

GOOD = """a title
UNITS/FORCE=NEWTON, MASS=KILOGRAM, LENGTH=MILLIMETER, TIME=SECOND
!  adams_view_name='ground'
PART/1, GROUND
MARKER/1, PART=1, QP=0,0,0, REULER=0D,90D,0D
PART/2, QG=0,0,-500, MASS=2, CM=5
, IP=2E4,2E4,1E3,0,0,0
MARKER/5, PART=2, REULER=1,2,3
MARKER/4, PART=2, QP=0,0,500, REULER=0D,90D,0D
JOINT/1, REVOLUTE, I=4, J=1
ACCGRAV/KGRAV=-9810
SPRINGDAMPER/1, I=4, J=1, ROTATION, KT=3000, CT=1D+1, ANGLE=5D
VARIABLE/1, FUNCTION=STEP(TIME,0,0,1,1)*DX(5,1,1)
SFORCE/2, ROTATION, I=4, J=1, FUNCTION=-500*SIN(AZ(4,1)) + VARVAL(1)
BUSHING/1, I=5, J=1, K=1,2,3, KT=4
END
"""


def faults(tmp_path: Path, text: str, **options: object) -> list[str]:
    path = tmp_path / "wrong.adm"
    path.write_text(text)
    with pytest.raises(eb.InputError) as caught:
        eb.load(path, **options)
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("JOINT/1, REVOLUTE", "JOINT/1, CONVEL", "JOINT/1 (wrong.adm, line 10): its type (CONVEL) is not read"),
        ("I=4, J=1\nACC", "I=77, J=1\nACC", "JOINT/1 (wrong.adm, line 10): I names no marker"),
        ("PART/1, GROUND", "PART/1", "there is no part that is the ground"),
        ("MASS=2, CM=5", "MASS=2", "PART/2 (wrong.adm, line 6): a part with mass needs the marker of its centre"),
        ("MASS=2,", "MASS=-2,", "the mass is negative"),
        ("LENGTH=MILLIMETER", "LENGTH=FURLONG", '"FURLONG" is no length'),
        ("LENGTH=MILLIMETER,", "", "LENGTH is missing"),
        ("IP=2E4,2E4,1E3,0,0,0", "IP=2E4,2E4", "3 or 6 numbers are expected"),
        ("STEP(TIME,0,0,1,1)", "USER(1,2)", "VARIABLE/1 (wrong.adm, line 13): USER cannot be translated"),
        ("MARKER/5, PART=2", "MARKER/5, PART=9", "MARKER/5 (wrong.adm, line 8): it is on no part"),
        ("QP=0,0,500", "QP=0,0,5x0", "QP"),
        ("a title\n", "", "the first line of a dataset is its title"),
        ("JOINT/1, REV", "JIONT/1, REV", 'no statement of this name. Did you mean "JOINT"'),
        ("PART/2, QG", "PART/-2, QG", "its number is missing, or not positive"),
        ("MARKER/4,", "MARKER/5,", "MARKER/5 (wrong.adm, line 9): there is one of this number in line 8 already"),
        (
            "BUSHING/1, I=5, J=1, K=1,2,3, KT=4",
            "FLEX_BODY/3, MATRICES=1",
            "FLEX_BODY/3 (wrong.adm, line 15): it is not",
        ),
        ("BUSHING/1, I=5, J=1, K=1,2,3, KT=4", "PTCV/3, I=5", "PTCV/3 (wrong.adm, line 15): it is not read"),
        ("BUSHING/1, I=5, J=1, K=1,2,3, KT=4", "COUPLER/3, JOINTS=1,1, FUNCTION=USER(1)", "its FUNCTION is not read"),
    ],
)
def test_faults_name_statement_and_line(tmp_path: Path, old: str, new: str, said: str):
    assert GOOD.count(old) == 1
    assert any(said in fault for fault in faults(tmp_path, GOOD.replace(old, new)))


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("BEAM/3, I=5, J=1, LENGTH=1", "BEAM/3 (line 15) is left out"),
        ("CONTACT/3, IGEOM=1", "CONTACT/3 (line 15) is left out"),
        ("MARKER/9, PART=1, FLOATING\nVFORCE/3, I=5, JFLOAT=9, RM=1, FUNCTION=USER(1,2)", "VFORCE/3 (line 16) is left"),
        ("SPRINGDAMPER/3, TRANSLATION, I=5, J=1, K=5, LENGHT=3", "LENGHT of SPRINGDAMPER/3 (line 15)"),
        ("SFORCE/3, ROTATION, I=4, J=1, FUNCTION=IF(TIME:0,0,5)", "IF cannot be translated"),
        ("REQUEST/3, DISPLACEMENT, I=5", "Not read: REQUEST"),
    ],
)
def test_nothing_is_left_out_without_a_note(tmp_path: Path, statement: str, said: str):
    path = tmp_path / "some.adm"
    path.write_text(GOOD.replace("BUSHING/1, I=5, J=1, K=1,2,3, KT=4", statement))
    notes = eb.load(path).notes
    assert any(said in note for note in notes), notes


def test_words_cut_short_and_other_letters(tmp_path: Path):
    """REV is REVOLUTE, ROTATIONAL and ROT are ROTATION; bytes of western Europe, the mark of UTF-8, returns."""
    path = tmp_path / "some.adm"
    path.write_text(GOOD)
    expected = eb.linearize(eb.load(path))
    short = GOOD.replace("REVOLUTE", "REV").replace("JOINT/1", "JOI/1")
    short = short.replace("SFORCE/2, ROTATION", "SFORCE/2, ROTATIONAL").replace("J=1, ROTATION, KT", "J=1, ROT, KT")
    named = short.replace("JOI/1", "!  adams_view_name='Gelenk ö'\nJOI/1")
    for content in (
        short.encode(),
        b"\xef\xbb\xbf" + short.encode(),
        short.replace("\n", "\r\n").encode(),
        named.encode(),
        named.encode("latin-1"),
    ):
        path.write_bytes(content)
        model = eb.load(path)
        found = eb.linearize(model)
        for what in ("M", "C", "K"):
            assert getattr(found, what) == pytest.approx(getattr(expected, what), rel=1e-14)
        if b"Gelenk" in content:
            assert found.coordinates == ("Gelenk_ö",)
            assert "Renamed: Gelenk ö is Gelenk_ö." in model.notes


def test_all_faults_are_found_at_once(tmp_path: Path):
    text = GOOD.replace("I=4, J=1\nACC", "I=44, J=1\nACC").replace("K=1,2,3", "K=1,2")
    assert len(faults(tmp_path, text)) == 2


def test_other_files_are_refused(tmp_path: Path):
    assert "no dataset of Adams" in faults(tmp_path, "<robot/>")[0]
    assert "no dataset of Adams" in faults(tmp_path, "")[0]
    assert "not a text file" in faults(tmp_path, "PART/1, GROUND\0")[0]
    assert "--base" in faults(tmp_path, GOOD, base="free")[0]


def test_mutants_end_in_a_model_or_in_a_message(tmp_path: Path):
    """Lines lost, doubled, cut and mixed, characters changed: 300 files."""
    rng = random.Random(4)
    path = tmp_path / "mutant.adm"
    ends = {"read": 0, "refused": 0}
    for _ in range(300):
        lines = GOOD.splitlines()
        for _ in range(rng.randint(1, 3)):
            k, other = rng.randrange(len(lines)), rng.randrange(len(lines))
            change = rng.randrange(5)
            if change == 0:
                lines[k] = ""
            elif change == 1:
                lines.insert(k, lines[other])
            elif change == 2:
                lines[k] = lines[k][: rng.randint(0, len(lines[k]))]
            elif change == 3:
                lines[k] = lines[k][:8] + lines[other][8:]
            else:
                at = rng.randint(0, len(lines[k]))
                lines[k] = lines[k][:at] + rng.choice("()=,/*-9D\\&!:é") + lines[k][at + 1 :]
        path.write_text("\n".join(lines))
        try:
            assert eb.load(path).description.bodies.names
            ends["read"] += 1
        except eb.InputError:
            ends["refused"] += 1
    assert min(ends.values()) > 30
