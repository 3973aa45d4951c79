# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The examples of the protocol's documents, in both versions, against its validators and ours.

Needs a checkout of the protocol's repository, named by DISTVIEW_DAP_REFERENCE, with its history for
what concerns 0.9.0; skips without. See reference/README.md.
"""

import distview
import numpy as np
import pytest
from reference import places
from reference.known_differences import known_difference
from reference.official_examples import examples
from reference.verdicts import ACCEPTS, REFUSES, code_of, verdict


@pytest.fixture(scope="module")
def validator():
    return places.protocol_module("validator")


@pytest.fixture(scope="module")
def validator_090():
    return places.protocol_module_of("rel-0.9.0", "validator/validator.py")



def document(name):
    return (places.folder(places.PROTOCOL) / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def generated():
    return examples(document("examples.rst"))


@pytest.fixture(scope="module")
def written_by_hand():
    """{version: examples}"""
    return {
        "0.10.0": examples(document("all_examples.rst")),
        "0.9.0": examples(places.protocol_history("rel-0.9.0", "protocol.rst")),
    }


def test_the_nine_generated_examples_are_all_read(generated):
    shapes = [(example.full_array.shape, len(example.exports)) for example in generated]
    processes = [3, 3, 4, 4, 4, 4, 4, 4, 8]
    assert shapes == [((5, 9) if n < 8 else (5, 9, 3), n) for n in processes]
    types = ["".join(d["dist_type"] for d in e.exports[0]["dim_data"]) for e in generated]
    assert types == ["bb", "bb", "bb", "bc", "cc", "bb", "cc", "uu", "cbc"]


@pytest.mark.parametrize("number", range(9))
def test_a_generated_example_is_accepted_and_gives_its_array(generated, number):
    example = generated[number]
    distview.check_all(list(example.exports))
    whole = np.full(example.full_array.shape, np.nan)
    for export in example.exports:
        distview.check(export)
        view = distview.from_distarray(export, validate="local")
        assert view.view.ctypes.data == export["buffer"].ctypes.data
        where = np.ix_(*(view.global_indices(axis) for axis in range(view.ndim)))
        assert np.isnan(whole[where]).all(), "every element has one owner"
        whole[where] = view.owned
    assert (whole == example.full_array).all()


@known_difference("examples_with_padding_list")
def test_the_validator_refuses_examples_with_padding_as_list(validator, generated):
    refused = []
    for number, example in enumerate(generated):
        for export in example.exports:
            lists = [isinstance(d.get("padding"), list) for d in export["dim_data"]]
            valid, message = validator.validate(export)
            assert valid == (not any(lists))
            assert valid or "is not a tuple" in message
            distview.check(export)
        refused += [number] * any(lists)
    assert refused == [0, 1, 5]


@pytest.mark.parametrize("version", ["0.10.0", "0.9.0"])
def test_the_examples_written_by_hand_are_all_read(written_by_hand, version):
    found = written_by_hand[version]
    assert [len(example.exports) for example in found] == [2, 2, 3]
    assert {e["__version__"] for example in found for e in example.exports} == {version}


def validator_of(version, validator, validator_090):
    return {"0.10.0": validator, "0.9.0": validator_090}[version]


@known_difference("example_1_flat_buffer")
@pytest.mark.parametrize("version", ["0.10.0", "0.9.0"])
def test_example_1_has_a_flat_buffer(written_by_hand, version, validator, validator_090):
    example = written_by_hand[version][0]
    repaired = []
    for export in example.exports:
        assert len(export["dim_data"]) == 2 and export["buffer"].shape == (10,)
        assert verdict(validator_of(version, validator, validator_090), export) == REFUSES
        assert code_of(distview.check, export) == "ndim_mismatch"
        repaired.append(export | {"buffer": export["buffer"].reshape(1, 10)})
        distview.check(repaired[-1])
    assert code_of(distview.check_all, list(example.exports)) == "ndim_mismatch"
    distview.check_all(repaired)


@known_difference("example_2_no_tuple")
@pytest.mark.parametrize("version", ["0.10.0", "0.9.0"])
def test_example_2_lacks_a_comma(written_by_hand, version, validator, validator_090):
    example = written_by_hand[version][1]
    repaired = []
    for export in example.exports:
        assert isinstance(export["dim_data"], dict)
        assert verdict(validator_of(version, validator, validator_090), export) == REFUSES
        assert code_of(distview.check, export) == "dim_data_type"
        repaired.append(export | {"dim_data": (export["dim_data"],)})
        assert verdict(validator_of(version, validator, validator_090), repaired[-1]) == ACCEPTS
        distview.check(repaired[-1])
    distview.check_all(repaired)
    # The same 18 elements in both versions: each process owns 9.
    views = [distview.from_distarray(export, validate="local") for export in repaired]
    owned = [view.protocol_indices(0).tolist() for view in views]
    assert owned == [list(range(9)), list(range(9, 18))]


def test_example_3_is_accepted_in_0100(written_by_hand, validator):
    example = written_by_hand["0.10.0"][2]
    assert [verdict(validator, export) for export in example.exports] == [ACCEPTS] * 3
    distview.check_all(list(example.exports))


@known_difference("examples_090_with_index_lists")
def test_example_3_of_090_has_index_lists(written_by_hand, validator_090):
    example = written_by_hand["0.9.0"][2]
    for export in example.exports:
        assert isinstance(export["dim_data"][0]["indices"], list)
        assert verdict(validator_090, export) == REFUSES
        distview.check(export)
        as_later = export | {"__version__": "0.10.0"}
        assert code_of(distview.check, as_later) == "indices_not_buffer"
    distview.check_all(list(example.exports))
