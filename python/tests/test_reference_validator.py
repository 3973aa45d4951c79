# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The protocol's own validator and helper functions against distview.

Needs a checkout of the protocol's repository, named by DISTVIEW_DAP_REFERENCE, and skips without.
See reference/README.md. No MPI here; distarray is in test_mpi_reference_distarray.py.
"""

import collections

import distview
import numpy as np
import pytest
from reference import places, sections, verdicts
from reference.known_differences import DIFFERENCES, known_difference
from reference.random_arrays import distview_layout, random_arrays, same_dim_data
from reference.sections import envelope
from reference.verdicts import ACCEPTS, RAISES, REFUSES, code_of, verdict

SEED = 20140530


@pytest.fixture(scope="module")
def validator():
    return places.protocol_module("validator")


@pytest.fixture(scope="module")
def validator_090():
    return places.protocol_module_of("rel-0.9.0", "validator/validator.py")


@pytest.fixture(scope="module")
def helper():
    return places.protocol_module("utils")


class Producer:
    def __init__(self, export):
        self.export = export

    def __distarray__(self):
        return self.export


# ----------------------------------------------------------------------------------------------
# Our exports
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("processes", range(1, 7))
def test_every_export_of_a_layout_passes_the_validator(validator, processes):
    kinds = collections.Counter()
    for array in random_arrays(SEED, 200, processes):
        layout = distview_layout(array)
        assert layout.process_count == processes
        exports = []
        for process in range(processes):
            dim_data = layout.dim_data(process)
            assert same_dim_data(dim_data, array.dim_data(process)), array
            assert layout.local_shape(process) == array.local_shape(process)
            export = envelope(dim_data, np.zeros(layout.local_shape(process)))
            valid, message = validator.validate(export)
            assert valid, (message, export, array)
            exports.append(export)
        distview.check_all(exports)
        kinds.update(axis.kind for axis in array.axes)
        kinds["padded"] += any(axis.padding for axis in array.axes)
        kinds["periodic"] += any(axis.periodic for axis in array.axes)
        kinds["empty"] += any(0 in array.local_shape(p) for p in range(processes))
    wanted = {"b", "c", "u", "n", "periodic", "empty"} | ({"padded"} if processes > 1 else set())
    assert all(kinds[kind] >= 10 for kind in wanted), kinds


def test_every_export_of_a_created_array_passes_the_validator(validator):
    ranks = set()
    for array in random_arrays(SEED + 1, 200, 1):
        view = distview.zeros(**array.creation())
        export = view.__distarray__()
        valid, message = validator.validate(export)
        assert valid, (message, export)
        assert same_dim_data(export["dim_data"], array.dim_data(0)), array
        buffer = np.asarray(export["buffer"])
        assert buffer.shape == array.local_shape(0)
        if buffer.size:
            assert np.shares_memory(buffer, view.view)
        ranks.add(len(array.axes))
    assert ranks == {0, 1, 2, 3}


@pytest.mark.parametrize("processes", range(2, 7))
def test_every_export_of_an_imported_section_passes_the_validator(validator, processes):
    for array in random_arrays(SEED + 2, 60, processes):
        for process in range(processes):
            given = array.export(process)
            view = distview.from_distarray(given, validate="local")
            export = view.__distarray__()
            valid, message = validator.validate(export)
            assert valid, (message, export)
            assert same_dim_data(export["dim_data"], given["dim_data"])
            taken = np.asarray(export["buffer"])
            assert taken.shape == given["buffer"].shape
            assert taken.size == 0 or taken.ctypes.data == given["buffer"].ctypes.data


@pytest.mark.parametrize("processes", range(1, 7))
def test_every_export_in_090_passes_the_validator_of_090(validator_090, processes):
    for array in random_arrays(SEED + 3, 100, processes):
        layout = distview_layout(array)
        for process in range(processes):
            dim_data = layout.dim_data(process, "0.9.0")
            export = envelope(dim_data, np.zeros(layout.local_shape(process)), "0.9.0")
            valid, message = validator_090.validate(export)
            assert valid, (message, export, array)


def counted_by_helper(helper, dim_dict):
    if dim_dict["dist_type"] == "c":
        dim_dict = {"block_size": 1} | dim_dict
    return helper.num_owned_indices(dim_dict)


@known_difference("helper_partial_block_on_rank_0")
def test_the_helper_counts_the_owned_elements_that_we_count(helper):
    partial = 0
    for processes in range(1, 7):
        for array in random_arrays(SEED + 4, 200, processes):
            layout = distview_layout(array)
            counts = collections.defaultdict(int)
            for process in range(processes):
                dim_data = layout.dim_data(process)
                for axis, (dim_dict, made) in enumerate(zip(dim_data, array.axes, strict=True)):
                    begin, end = layout.owned_range(axis, process)
                    theirs = counted_by_helper(helper, dim_dict)
                    if made.last_block_is_partial:
                        counts[axis] += theirs != end - begin
                    else:
                        assert theirs == end - begin, (dim_dict, array)
            for axis, made in enumerate(array.axes):
                # The helper miscounts two ranks: rank 0, and the rank to which the block belongs.
                expected = 2 * processes // made.processes if made.last_block_is_partial else 0
                assert counts[axis] == expected
                partial += made.last_block_is_partial
    assert partial > 20


@known_difference("helper_wants_block_size")
def test_the_helper_dies_of_a_cyclic_axis_without_block_size(helper):
    (dim_dict,) = distview_layout_of_cyclic().dim_data(0)
    assert "block_size" not in dim_dict
    with pytest.raises(KeyError, match="block_size"):
        helper.num_owned_indices(dim_dict)


def distview_layout_of_cyclic():
    from distview import _distview as native

    return native.Layout([2], [native.block_cyclic(7, 1)])


# ----------------------------------------------------------------------------------------------
# The validator's verdicts and ours
# ----------------------------------------------------------------------------------------------


@known_difference(
    "validator_crashes",
    "validator_never_looks_at_buffer_extents",
    "validator_skips_common_keys",
    "validator_takes_bool_as_int",
    "validator_wants_builtin_int",
    "validator_wants_padding_tuple",
    "validator_takes_negative_rank",
    "validator_takes_wide_padding",
    "validator_ignores_last_edge",
    "validator_ignores_foreign_keys",
    "validator_takes_any_indices",
    "validator_has_no_int64",
    "validator_refuses_clamped_start",
)
@pytest.mark.parametrize("change", verdicts.CHANGES, ids=lambda change: change.name)
def test_verdict_on_a_dimension_dictionary(validator, change):
    agree = (change.code is None) == (change.validator == ACCEPTS) and change.validator != RAISES
    assert agree == (change.difference is None), "each difference has a name, agreement has none"
    assert change.difference is None or change.difference in DIFFERENCES
    count = 0
    for section, axis, export in verdicts.exports(change):
        count += 1
        assert verdict(validator, export) == change.validator, (section, export)
        if change.code is None:
            distview.check(export)
            distview.check(Producer(export))
        else:
            with pytest.raises(distview.ProtocolError) as caught:
                distview.check(export)
            assert (caught.value.code, caught.value.axis) == (change.code, axis), section
    assert count, "the change fits some section"


def test_there_are_many_dictionaries_of_each_verdict(validator):
    table = collections.Counter()
    for change in verdicts.CHANGES:
        verdict_of_ours = ACCEPTS if change.code is None else REFUSES
        table[verdict_of_ours, change.validator] += sum(1 for _ in verdicts.exports(change))
    assert sum(table.values()) > 2000
    assert table[ACCEPTS, ACCEPTS] > 200 and table[REFUSES, REFUSES] > 1000
    assert table[REFUSES, ACCEPTS] > 400 and table[ACCEPTS, REFUSES] > 300
    assert table[REFUSES, RAISES] > 100
    assert {change.difference for change in verdicts.CHANGES} - {None} <= set(DIFFERENCES)


BLOCK, EXTENT = sections.SECTIONS["only block"]
GOOD = envelope((BLOCK,), np.zeros(EXTENT))


def without(key):
    return {name: value for name, value in GOOD.items() if name != key}


@pytest.mark.parametrize(
    "export, code",
    [
        (GOOD, None),
        (envelope(({},), np.zeros(5)), None),
        (envelope(({}, {}), np.zeros((5, 0))), None),
        (envelope((), np.zeros(())), None),
        (envelope((BLOCK,), bytes(7)), None),
        (envelope((BLOCK,), bytearray(7)), None),
        (envelope((BLOCK,), memoryview(bytes(14))[::2]), None),
        ([], "env_not_dict"),
        (None, "env_not_dict"),
        (without("__version__"), "env_missing_key"),
        (without("buffer"), "env_missing_key"),
        (without("dim_data"), "env_missing_key"),
        (GOOD | {"device": "cuda"}, "env_extra_key"),
        (GOOD | {"buffer": [0.0] * 7}, "buffer_protocol"),
        (GOOD | {"buffer": None}, "buffer_protocol"),
        (GOOD | {"buffer": "7 bytes"}, "buffer_protocol"),
        (GOOD | {"dim_data": [BLOCK]}, "dim_data_type"),
        (GOOD | {"dim_data": BLOCK}, "dim_data_type"),
        (GOOD | {"dim_data": None}, "dim_data_type"),
        (GOOD | {"dim_data": (None,)}, "dim_dict_type"),
        (GOOD | {"dim_data": ([],)}, "dim_dict_type"),
        (GOOD | {"dim_data": ()}, "ndim_mismatch"),
        (GOOD | {"dim_data": (BLOCK, BLOCK)}, "ndim_mismatch"),
        (GOOD | {"buffer": np.zeros((7, 1))}, "ndim_mismatch"),
        *((GOOD | {"__version__": v}, "version_format") for v in ("1", "v0.10.0", "0.10.x", " ")),
        *(
            (GOOD | {"__version__": v}, "version_unsupported")
            for v in ("0.8.0", "0.11.0", "1.0.0", "7.7.7", "10.0.0")
        ),
    ],
)
def test_verdict_on_an_envelope_is_the_validators(validator, export, code):
    assert verdict(validator, export) == (REFUSES if code else ACCEPTS)
    assert code_of(distview.check, Producer(export)) == code


@known_difference("validator_one_version")
@pytest.mark.parametrize("version", ["0.10.1", "0.10.17", "0.9.0", "0.9.3"])
def test_the_validator_takes_one_version(validator, version):
    export = GOOD | {"__version__": version}
    assert verdict(validator, export) == REFUSES
    distview.check(export)


@known_difference("validator_loose_version")
@pytest.mark.parametrize("version", ["0.10", "0.10.0a1", "0.10.0b2", "0.010.0", "0.10.0\n"])
def test_the_validator_takes_loose_versions(validator, version):
    export = GOOD | {"__version__": version}
    assert verdict(validator, export) == ACCEPTS
    assert code_of(distview.check, export) == "version_format"


@known_difference("validator_crashes")
@pytest.mark.parametrize("version", [None, "", (0, 10, 0), 10, b"0.10.0"])
def test_the_validator_dies_of_a_version_that_is_no_text(validator, version):
    export = GOOD | {"__version__": version}
    assert verdict(validator, export) == RAISES
    assert code_of(distview.check, export) == "version_format"
