# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Conforming arrays, damaged in many ways: the verdict must be that of the reference.

Only a ProtocolError may be raised, and its code, axis, key and process must be those of
dap_oracle. DISTVIEW_ADVERSARIAL is the number of damaged random arrays (1500).
"""

import os

import dap_oracle
import distview
import numpy as np
import pytest
from dap_bad_values import BAD_BUFFERS, BAD_VALUES, BAD_VERSIONS
from dap_cases import (
    VERSIONS,
    Producer,
    ask,
    block,
    block_row,
    both_versions,
    changed,
    compare,
    cyclic_row,
    difference,
    disagreements,
    export,
    group,
    unstructured_row,
)
from dap_random import generator, random_axes, sections_of
from dap_spoil import SPOIL_GROUP, nudge

N_RANDOM = int(os.environ.get("DISTVIEW_ADVERSARIAL", "1500"))
KEYS = ["dist_type", "size", "proc_grid_size", "proc_grid_rank", "start", "stop", "padding"]
KEYS += ["periodic", "block_size", "indices", "one_to_one"]
# Keys of another dist_type; the specification defines only some of their values.
OPEN = {"b": {"block_size", "indices", "one_to_one"}, "c": {"stop", "indices", "one_to_one"}}
OPEN |= {"u": {"start", "stop", "block_size"}, "n": set(KEYS) - {"dist_type", "size"}}


def arrays(version):
    """Conforming groups of one to six processes, of one to three axes."""
    padded = block_row(version, [0, 10, 16, 23, 30], [(4, 1), (1, 2), (2, 3), (3, 0)])
    periodic = block_row(version, [0, 7, 14], [(2, 1), (1, 2)], periodic=True)
    labels = unstructured_row([[7, -3, 100], [], [9, 8, 5]])
    shared = unstructured_row([[5, 2], [2, 9]], 4)
    whole = [({}, 3)] if version == "0.10.0" else [({"dist_type": "n", "size": 3}, 3)]
    return {
        "one block": group(version, block_row(version, [0, 5])),
        "one padded periodic": group(version, block_row(version, [0, 9], [(2, 1)], periodic=True)),
        "one cyclic": group(version, cyclic_row(5, 1, 2)),
        "one list": group(version, unstructured_row([[3, -1, 4]], one_to_one=True)),
        "padded": group(version, padded),
        "periodic": group(version, periodic),
        "empty in the middle": group(version, block_row(version, [0, 5, 5, 12])),
        "cyclic": group(version, cyclic_row(13, 4, 2)),
        "lists": group(version, labels),
        "plane": group(version, cyclic_row(7, 2, 2), block_row(version, [0, 1, 6, 8])),
        "short form": group(version, whole, block_row(version, [0, 2, 4])),
        "one space": group(version, cyclic_row(2, 1), whole, unstructured_row([[1, 0]])),
        "space": group(version, periodic, shared, whole),
        "six lists": group(version, unstructured_row([[1], [0, 2]]), labels),
    }


EVERY_ARRAY = list(arrays("0.9.0"))
every_array = pytest.mark.parametrize("name", EVERY_ARRAY)


def verdicts(cases):
    """Compares check for each of (name, section, process); texts of the differences."""
    texts = []
    for name, section, process in cases:
        expected = dap_oracle.check(section, process)
        text = compare(expected, distview.check, section, process=process)
        if text:
            texts.append(f"{name}: {text}")
    return texts


def is_open(section, axis, key):
    data = section["dim_data"][axis]
    return key in OPEN.get(data.get("dist_type"), ())


@both_versions
@every_array
def test_arrays_conform_before_they_are_spoilt(version, name):
    """The starting points conform: a later refusal is due to the damage."""
    sections = arrays(version)[name]
    assert dap_oracle.check_all(sections) is None
    assert ask(distview.check_all, sections) is None


@both_versions
@every_array
@pytest.mark.parametrize("key", KEYS)
def test_one_value_in_one_dictionary(version, name, key):
    """Sets each key of each axis to each bad value, on the first and on the last process."""
    sections, wrong = arrays(version)[name], []
    for process in sorted({0, len(sections) - 1}):
        section = sections[process]
        axes = [a for a in range(len(section["dim_data"])) if not is_open(section, a, key)]
        for axis in axes:
            spoilt = [
                (
                    f"process {process} axis {axis} {key} {what}",
                    changed(section, axis, **{key: value}),
                )
                for what, value in BAD_VALUES.items()
            ]
            wrong += verdicts((what, s, process) for what, s in spoilt)
            if process:
                wrong += disagreements((w, [*sections[:process], s]) for w, s in spoilt[::3])
    assert not wrong, "\n".join(wrong)


@both_versions
@every_array
def test_keys_of_another_dist_type(version, name):
    """Cases that the text leaves open are accepted or refused, without a crash or another exception."""
    for section in arrays(version)[name]:
        for axis in range(len(section["dim_data"])):
            for key in KEYS:
                for value in BAD_VALUES.values() if is_open(section, axis, key) else ():
                    error = ask(distview.check, changed(section, axis, **{key: value}))
                    assert error is None or (error.axis, error.key) == (axis, key)


@both_versions
@every_array
def test_one_value_in_the_envelope(version, name):
    """The same for the three keys of the envelope; also a missing, renamed or additional key."""
    sections, cases = arrays(version)[name], []
    for process in sorted({0, len(sections) - 1}):
        section, n_axes = sections[process], len(sections[process]["dim_data"])
        named = {key: BAD_VALUES for key in ("buffer", "dim_data")} | {"__version__": BAD_VERSIONS}
        named["dim_data "] = {"a key too many": ()}
        for key, values in named.items():
            for what, value in values.items():
                spoilt = {k: v for k, v in {**section, key: value}.items() if v is not ...}
                cases.append((f"{key} {what}", spoilt, process))
        for what, buffer in BAD_BUFFERS.items():
            cases.append((f"buffer {what}", {**section, "buffer": buffer}, process))
        for axis in range(n_axes):
            for what, value in BAD_VALUES.items():
                parts = list(section["dim_data"])
                parts[axis] = value
                cases.append(
                    (f"axis {axis} {what}", {**section, "dim_data": tuple(parts)}, process)
                )
            for extents in (
                (0,) * n_axes,
                (1,) * n_axes,
                (1,) * (n_axes + 1),
                (100,) + (0,) * axis,
            ):
                cases.append((f"{extents}", {**section, "buffer": np.zeros(extents)}, process))
    for what, value in BAD_VALUES.items():
        cases.append((f"exports {what}", Producer(value), 3))
        if not isinstance(value, dict):
            cases.append((f"{what} itself", value, None))
    wrong = verdicts(cases)
    assert not wrong, "\n".join(wrong)


@both_versions
@every_array
@pytest.mark.parametrize("what", SPOIL_GROUP)
def test_groups(version, name, what):
    """Processes in another order, missing, doubled, or contradicting each other."""
    sections = arrays(version)[name]
    wrong = disagreements(SPOIL_GROUP[what](sections))
    assert not wrong, "\n".join(wrong)


@both_versions
@pytest.mark.parametrize("seed", range(10))
def test_random_arrays_with_a_number_off(version, seed):
    """Slightly changes one or two numbers of a random array, with buffers that fit."""
    rng, wrong, refused = generator("nudge", version, seed), [], 0
    for case in range(N_RANDOM // 10):
        sections = sections_of(random_axes(rng), version)
        for _ in range(rng.randint(1, 2)):
            sections = nudge(rng, sections)
        refused += dap_oracle.check_all(sections) is not None
        wrong += disagreements([(f"case {case}", sections)])
    assert not wrong, "\n".join(wrong)
    assert refused > N_RANDOM // 40  # the nudges do break arrays


@pytest.mark.parametrize("was, says", [VERSIONS, VERSIONS[::-1]])
def test_arrays_under_the_other_version(was, says):
    """The numbers of one version read by the rules of the other."""
    wrong, verdicts_seen = [], set()
    for name, sections in arrays(was).items():
        relabelled = [{**section, "__version__": says} for section in sections]
        wrong += disagreements([(name, relabelled)])
        found = dap_oracle.check_all(relabelled)
        verdicts_seen.add(found.code if found else None)
    assert not wrong, "\n".join(wrong)
    assert {None, "shape_mismatch"} <= verdicts_seen


@both_versions
def test_very_many_axes(version):
    """The number of axes is limited only by the buffer."""
    for n_axes in (8, 15, 32, 64):
        if n_axes > 32 and np.lib.NumpyVersion(np.__version__) < "2.0.0":
            continue
        section = export(version, (block(1, 1, 0, 0, 1),) * n_axes, np.zeros((1,) * n_axes))
        assert dap_oracle.check(section) is None
        assert ask(distview.check, section) is None
        assert ask(distview.check_all, [section]) is None
        wrong = changed(section, n_axes - 1, stop=0)
        assert not difference(dap_oracle.check(wrong), ask(distview.check, wrong))


@both_versions
def test_large_numbers_between_processes(version):
    """Sums and products of numbers from several processes do not wrap around."""
    top = 2**63 - 1
    rows = {
        "size": [(block(top, 2, 0, 0, 0), 0), (block(top, 2, 1, top, top), 0)],
        "grid": [(block(0, top, 0, 0, 0), 0)] * 2,
        "widths": [(block(4, 2, r, 0, 4, padding=(top, top)), 4) for r in range(2)],
        "labels": [*unstructured_row([[-(2**63), top], [0, -1]], one_to_one=True)],
        "many labels": unstructured_row([[1, 2], [3]], top),
    }
    cases = [(name, group(version, row)) for name, row in rows.items()]
    cases += [(f"{name} twice", group(version, row, row)) for name, row in rows.items()]
    wrong = disagreements(cases)
    assert not wrong, "\n".join(wrong)
