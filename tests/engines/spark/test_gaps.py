"""Gaps that were closed in memory are closed on Spark: leaks, people, spellings, quotes, words, manifests.

Frames go through ``shoal.spark.anonymize``, files through the engine that ``shoal run`` uses. What Spark says
is compared with what memory says of the same table.
"""

import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import shoal
import shoal.spark
from shoal.engines.spark.engine import SparkEngine
from shoal.errors import ShoalError
from shoal.release.large_release import release_large

ROWS, SEED = 240, 1
ALIKE = {"kind": "k-anonymity", "k": 4}
LEVELS = {
    "age": {"intervals": [10, 30]},
    "town": {"mask": "right"},
}
DATAFLY = {"name": "datafly", "suppression": 0.1}


def planted():
    """People, and columns that tell an age, a town or a total of two incomes."""
    draw = np.random.default_rng(20)
    age, town = draw.integers(18, 90, ROWS), draw.integers(0, 60, ROWS)
    towns = np.array([f"{place // 20}{place % 20:02d}" for place in town])
    wages, rent = draw.integers(0, 400, ROWS) * 250, draw.integers(0, 40, ROWS) * 100
    tax = (wages + rent) * 3 // 10
    tax[[7, 100]] += 777
    days = np.datetime64("2020-12-31") - (age * 365 + draw.integers(0, 300, ROWS))
    code = draw.permutation(64)[town]
    nearly = np.where(draw.random(ROWS) < 0.03, draw.permutation(age), age)
    return pa.table(
        {
            "age": age, "town": towns, "wages": wages, "rent": rent,
            "copy": [f"no. {cell}" for cell in age], "nearly": nearly, "house": town * 17 % 61,
            "day": [str(day) for day in days], "first": code % 8, "second": code // 8, "tax": tax,
            "noise": draw.integers(0, 9, ROWS),
        }
    )  # fmt: skip


LEAKING = ["copy", "nearly", "house", "day", "first", "second"]
REFUSED = LEAKING[:-1]  # of the pair, the first is refused alone, and the second is stated
TOLD = shoal.Policy(
    columns={
        "age": "quasi",
        "town": "quasi",
        "wages": "identifier",
        "rent": "identifier",
        "tax": "identifier",
    }
    | dict.fromkeys([*LEAKING, "noise"], "other"),
    rows="people",
    guarantees=[ALIKE],
    hierarchies=LEVELS,
    method=DATAFLY,
)
TOTAL = shoal.Policy(
    columns={"age": "identifier", "town": "identifier", "wages": "quasi", "rent": "quasi", "tax": "other"}
    | dict.fromkeys(LEAKING, "identifier") | {"noise": "other"},
    rows="people",
    guarantees=[{"kind": "kf-anonymity", "k": 4, "knows": ["wages + rent"]}],
    method={"name": "aggranon"},
)  # fmt: skip


@pytest.fixture
def work(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def engine(spark, work):
    with SparkEngine(spark, work, part_rows=ROWS) as engine:
        yield engine


@pytest.fixture
def frame_of(spark, tmp_path):
    def frame(table):
        parquet.write_table(table, tmp_path / "t.parquet")
        return spark.read.parquet(str(tmp_path / "t.parquet"))

    return frame


def refused(call):
    with pytest.raises(ShoalError) as found:
        call()
    return str(found.value)


def accepting(policy, columns):
    return shoal.Policy(**policy.model_dump(exclude={"leaks"}), leaks={"accept": columns})


@pytest.mark.parametrize(("policy", "named"), [(TOLD, REFUSED), (TOTAL, ["tax"])], ids=["columns", "total"])
def test_planted_leaks_are_refused_in_the_words_of_memory(frame_of, work, policy, named):
    here = refused(lambda: shoal.anonymize(planted(), policy, seed=SEED))
    found = refused(lambda: shoal.spark.anonymize(frame_of(planted()), policy, seed=SEED, work=work))
    assert found == here
    assert all(repr(name) in found for name in named)
    assert "'noise'" not in found
    assert list(work.iterdir()) == []


def test_accepted_leaks_are_stated_as_in_memory(frame_of, work):
    policy = accepting(TOLD, LEAKING)
    here = shoal.anonymize(planted(), policy, seed=SEED)
    with shoal.spark.anonymize(frame_of(planted()), policy, seed=SEED, work=work) as release:
        assert release.result.leaks == here.result.leaks
        assert release.notes == here.notes
        assert release.limits == here.limits
    assert {name for leak in here.result.leaks for name in leak.columns} >= {"copy", "nearly", "house", "day"}


VISITS = pa.table({"patient": ["p1", "p1 ", "500", "500.0", "p3", None, "", " "], "age": list(range(30, 38))})


def asked(**more):
    return shoal.Policy(
        columns={"patient": "identifier", "age": "quasi"},
        guarantees=[ALIKE | {"k": 3}],
        method={"name": "mondrian"},
        **more,
    )


def test_two_spellings_of_one_person_are_refused_unless_rows_are_people(frame_of, work):
    here = refused(lambda: shoal.anonymize(VISITS, asked()))
    assert "'patient' repeats: 4 of 8 rows" in here
    assert refused(lambda: shoal.spark.anonymize(frame_of(VISITS), asked(), work=work)) == here
    people = asked(rows="people")
    expected = shoal.anonymize(VISITS, people, seed=SEED)
    with shoal.spark.anonymize(frame_of(VISITS), people, seed=SEED, work=work) as release:
        assert "'patient' repeats in 4 of 8 rows" in release.notes[-1]
        assert (release.notes, release.limits) == (expected.notes, expected.limits)
        assert [one.as_dict() for one in release.verdicts] == [one.as_dict() for one in expected.verdicts]


SPELLINGS = [
    ["flu", "flu ", "\u00a0flu"],
    ["café", "cafe\u0301", " café"],
    ["50000", "50000.0", "5e4"],
    ["2020-01-01", "2020-01-01 00:00:00", "2020-01-01T00:00"],
    ["", '""', '" "', "nan"],
]
DIVERSE = shoal.Policy(
    columns={"place": "quasi", "age": "quasi", "ill": "sensitive"},
    guarantees=[ALIKE | {"k": 2}, {"kind": "l-diversity", "l": 2, "sensitive": "ill"}],
    method={"name": "mondrian"},
)


def spelt(folder, values_of_class):
    """A file of classes, in each of which so many values stand in all of their spellings."""
    lines = ["place,age,ill"]
    for at in range(len(SPELLINGS)):
        ways = [way for more in range(values_of_class) for way in SPELLINGS[(at + more) % len(SPELLINGS)]]
        lines += [f"town {at}{' ' * (row % 2)},{20 + 10 * at},{way}" for row, way in enumerate(ways)]
    (folder / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "t.csv"


def test_spellings_of_one_value_are_one_in_verdicts_and_classes(engine, tmp_path):
    path, folder = spelt(tmp_path, 2), tmp_path / "release"
    release_large(engine, path, DIVERSE, folder, seed=SEED)
    shoal.anonymize(path, DIVERSE, seed=SEED).write(tmp_path / "memory", "parquet")
    found, expected = shoal.open_release(folder), shoal.open_release(tmp_path / "memory")
    assert found.read().arrow.equals(expected.read().arrow)
    assert found.manifest.verdicts == expected.manifest.verdicts
    assert found.manifest.verdicts[1].achieved["l"] == 2


def test_a_table_of_one_value_in_many_spellings_is_not_diverse(engine, tmp_path):
    lines = ["place,age,ill", *(f"a,{20 + row},{way}" for row, way in enumerate(SPELLINGS[0] * 3))]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for call in (
        lambda: shoal.anonymize(tmp_path / "t.csv", DIVERSE),
        lambda: release_large(engine, tmp_path / "t.csv", DIVERSE, tmp_path / "release"),
    ):
        with pytest.raises(shoal.Infeasible):
            call()
    assert not (tmp_path / "release").exists()


GOOD = "".join(f"Ann {row},{20 + row},Ulm\n" for row in range(300))
FILES = {
    "unclosed": "name,age,town\n" + GOOD + 'Bob,44,"Ulm\n' + GOOD,
    "closed late": "name,age,town\n" + GOOD + 'Bob,44,"Ulm\n' + GOOD + 'Cid",45,Ulm\n' + GOOD,
    "no names": GOOD,
}


@pytest.mark.parametrize("kind", FILES)
def test_files_with_stray_quotes_or_without_names_are_refused_in_the_words_of_memory(engine, tmp_path, kind):
    (tmp_path / "t.csv").write_text(FILES[kind])
    policy = shoal.Policy(
        columns={"name": "identifier", "age": "quasi", "town": "quasi"}, guarantees=[ALIKE], rows="people"
    )
    here = refused(lambda: shoal.anonymize(tmp_path / "t.csv", policy))
    found = refused(lambda: release_large(engine, tmp_path / "t.csv", policy, tmp_path / "release"))
    assert found == here
    assert not any(cell in found for cell in ("Ann", "Bob", "Ulm"))
    assert not (tmp_path / "release").exists()


WORDS = ["1,5", "A, B", "[a, b]", "*x", 'a"b', "*", "{x}", "'q"]


def test_words_like_syntax_are_read_back_and_no_leaf_that_nobody_shows_is_in_the_manifest(
    engine, frame_of, tmp_path
):
    born = [f"19{50 + row % 40}-0{1 + row % 9}-17" for row in range(8 * len(WORDS))]
    table = pa.table({"word": [word for word in WORDS for _ in range(8)], "born": born})
    lines = [f"{day};{day[:4]};{day[:3]}0s;*" for day in sorted({*born, "1890-07-04"})]
    (tmp_path / "born.csv").write_text("\n".join(lines))
    policy = shoal.Policy(
        columns={"word": "quasi", "born": "quasi"},
        hierarchies={"word": {"groups": [2]}, "born": str(tmp_path / "born.csv")},
        guarantees=[ALIKE],
        method=DATAFLY,
    )
    release_large(engine, frame_of(table), policy, tmp_path / "release", seed=SEED)
    shoal.anonymize(table, policy, seed=SEED).write(tmp_path / "memory", "parquet")
    found, expected = (shoal.open_release(tmp_path / name) for name in ("release", "memory"))
    assert found.read().arrow.equals(expected.read().arrow)
    texts = [json.loads((tmp_path / name / "manifest.json").read_text()) for name in ("release", "memory")]
    for text in texts:
        assert text.pop("files")
        assert text.pop("sha256")
    assert texts[0] == texts[1]
    told = (tmp_path / "release" / "manifest.json").read_text()
    assert "1890" not in told
    assert not any(day in told for day in born)
    assert all(verdict.holds for verdict in found.verify(table, policy=policy))
    for word in WORDS:
        literal = word.replace("'", "''")
        (answer,) = found.query(f"select count(*) as n from data where word = '{literal}'").rows
        assert answer["n"].upper >= 8 - found.manifest.suppressed, word
