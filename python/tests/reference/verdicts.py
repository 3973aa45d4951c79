# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Single exports, right and wrong, with the expected verdicts of the validator and of distview.

Every change below is applied to every section that it fits, alone and as the second axis of a
two-dimensional export.
"""

import array
from dataclasses import dataclass

import distview
import numpy as np

from .sections import (
    SECTIONS,
    Index,
    block,
    both,
    convert,
    cyclic,
    drop,
    envelope,
    every,
    first,
    has,
    has_elements,
    kind,
    last,
    put,
    unstructured,
    where,
)

ACCEPTS, REFUSES, RAISES = "accepts", "refuses", "raises"


@dataclass(frozen=True)
class Change:
    """A change of a section, and the expected result.

    `make(dim_dict, extent)` returns the changed pair; `code` is our reason, None if we accept;
    `difference` is the entry of known_differences.py that explains why the verdicts differ.
    """

    name: str
    fits: object  # of (dim_dict, extent)
    make: object
    code: str | None
    validator: str
    difference: str | None = None


def verdict(validator, export):
    """The validator's verdict on an export; it may also crash."""
    try:
        valid, message = validator.validate(export)
    except (AttributeError, KeyError, TypeError, ValueError):
        return RAISES
    assert isinstance(message, str)
    return ACCEPTS if valid else REFUSES


def code_of(check, *arguments):
    """distview's verdict: None, or the reason."""
    try:
        check(*arguments)
    except distview.ProtocolError as error:
        return error.code
    return None


CHANGES = [
    Change("unchanged", every, put(), None, ACCEPTS),
    Change("an unknown key", every, put(device="cuda:0"), None, ACCEPTS),
    # Keys that are missing.
    *(
        Change(f"no {key}", has(key), drop(key), "missing_key", REFUSES)
        for key in ("proc_grid_size", "proc_grid_rank", "start", "stop", "indices")
    ),
    Change("no dist_type", every, drop("dist_type"), "missing_key", RAISES, "validator_crashes"),
    Change("no size of a block", block, drop("size"), "missing_key", RAISES, "validator_crashes"),
    Change(
        "no size", kind("c", "u"), drop("size"), "missing_key", ACCEPTS,
        "validator_skips_common_keys",
    ),
    # dist_type.
    *(
        Change(f"dist_type {value!r}", every, put(dist_type=value), "bad_dist_type", REFUSES)
        for value in ("q", "n", "B", "", "bc", b"b", None, 0)
    ),
    Change(
        "dist_type in a list", every, put(dist_type=["b"]), "bad_dist_type", RAISES,
        "validator_crashes",
    ),
    # Types of integers.
    *(
        Change(f"{key} {value!r}", has(key), put(**{key: value}), "bad_type", REFUSES)
        for key in ("proc_grid_size", "proc_grid_rank", "start", "stop", "block_size")
        for value in (5.0, "5", None)
    ),
    *(
        Change(
            f"size of a block {value!r}", block, put(size=value), "bad_type", RAISES,
            "validator_crashes",
        )
        for value in ("30", None)
    ),
    Change(
        "size of a block 30.0", block, put(size=30.0), "bad_type", ACCEPTS,
        "validator_skips_common_keys",
    ),
    *(
        Change(
            f"size {value!r}", kind("c", "u"), put(size=value), "bad_type", ACCEPTS,
            "validator_skips_common_keys",
        )
        for value in (30.0, "30", None)
    ),
    *(
        Change(
            f"{key} bool", where(key, lambda value: value in (0, 1)), convert(key, bool),
            "bad_type", ACCEPTS, "validator_takes_bool_as_int",
        )
        for key in ("proc_grid_size", "proc_grid_rank", "start")
    ),
    *(
        Change(
            f"{key} {make.__name__}", has(key), convert(key, make), None, REFUSES,
            "validator_wants_builtin_int",
        )
        for key in ("proc_grid_size", "proc_grid_rank", "start", "stop", "block_size")
        for make in (np.int64, np.uint8, Index)
    ),
    Change("size int64", every, convert("size", np.int64), None, ACCEPTS),
    Change(
        "size 2**63", every, put(size=2**63), "overflow", ACCEPTS, "validator_has_no_int64"
    ),
    # Ranges that all kinds share.
    Change("size of a block -4", block, put(size=-4), "size_negative", REFUSES),
    Change(
        "size -4", kind("c", "u"), put(size=-4), "size_negative", ACCEPTS,
        "validator_skips_common_keys",
    ),
    *(
        Change(f"proc_grid_size {n}", every, put(proc_grid_size=n), "grid_size_lt1", REFUSES)
        for n in (0, -2)
    ),
    Change(
        "proc_grid_rank too large", every,
        lambda d, extent: (d | {"proc_grid_rank": d["proc_grid_size"]}, extent),
        "grid_rank_range", REFUSES,
    ),
    Change(
        "proc_grid_rank -1", kind("b", "u"), put(proc_grid_rank=-1), "grid_rank_range", ACCEPTS,
        "validator_takes_negative_rank",
    ),
    Change("cyclic proc_grid_rank -1", cyclic, put(proc_grid_rank=-1), "grid_rank_range", REFUSES),
    # periodic and one_to_one.
    *(
        Change(
            f"periodic {value!r}", every, put(periodic=value), "bad_type", ACCEPTS,
            "validator_skips_common_keys",
        )
        for value in (1, None, "False")
    ),
    Change("periodic", block, put(periodic=True), None, ACCEPTS),
    Change("not periodic", every, put(periodic=False), None, ACCEPTS),
    Change(
        "periodic, not block", kind("c", "u"), put(periodic=True), "key_not_applicable", ACCEPTS,
        "validator_ignores_foreign_keys",
    ),
    *(
        Change(f"one_to_one {value!r}", unstructured, put(one_to_one=value), "bad_type", REFUSES)
        for value in (1, None, "False")
    ),
    Change("one_to_one", unstructured, put(one_to_one=True), None, ACCEPTS),
    # padding.
    *(
        Change(f"padding {value!r}", block, put(padding=value), "padding_form", REFUSES)
        for value in (1, (1,), (0, 0, 0), ("a", "b"), (0, 1.0), None)
    ),
    Change(
        "padding list", has("padding"), convert("padding", list), None, REFUSES,
        "validator_wants_padding_tuple",
    ),
    Change(
        "padding of NumPy's integers", has("padding"),
        convert("padding", lambda pair: tuple(np.int32(width) for width in pair)), None, REFUSES,
        "validator_wants_builtin_int",
    ),
    Change("no padding, said", kind("c", "u"), put(padding=(0, 0)), None, ACCEPTS),
    Change(
        "padding, not block", kind("c", "u"), put(padding=(1, 1)), "key_not_applicable", ACCEPTS,
        "validator_ignores_foreign_keys",
    ),
    Change(
        "negative padding", block, put(padding=(-1, 0)), "padding_form", ACCEPTS,
        "validator_takes_wide_padding",
    ),
    Change(
        "padding wider than the section", both(block, lambda d, e: d["proc_grid_size"] > 1),
        lambda d, extent: (d | {"padding": (extent + 1, extent + 1)}, extent),
        "padding_too_wide", ACCEPTS, "validator_takes_wide_padding",
    ),
    # start, stop and extents of blocks.
    Change("start -1", block, put(start=-1), "start_negative", REFUSES),
    Change(
        "stop before start", both(block, where("start", lambda start: start > 0)),
        lambda d, extent: (d | {"stop": d["start"] - 1}, 0), "stop_lt_start", REFUSES,
    ),
    Change(
        "stop past size", block,
        lambda d, extent: (d | {"stop": d["size"] + 1}, d["size"] + 1 - d["start"]),
        "stop_gt_size", REFUSES,
    ),
    Change(
        "first block starts at 1", both(block, first, has_elements),
        lambda d, extent: (d | {"start": 1}, extent - 1), "edge_start", REFUSES,
    ),
    Change(
        "last block stops early", both(block, last, has_elements),
        lambda d, extent: (d | {"stop": d["stop"] - 1}, extent - 1), "edge_stop", ACCEPTS,
        "validator_ignores_last_edge",
    ),
    *(
        Change(
            f"extent {more:+}", both(every, lambda d, e: e > 0),
            lambda d, extent, more=more: (d, extent + more),
            "shape_mismatch", ACCEPTS, "validator_never_looks_at_buffer_extents",
        )
        for more in (1, -1)
    ),
    # Cyclic axes.
    *(
        Change(f"block_size {n}", cyclic, put(block_size=n), "block_size_lt1", REFUSES)
        for n in (0, -10)
    ),
    Change("start moved on", cyclic, convert("start", lambda n: n + 1), "cyclic_start", REFUSES),
    Change(
        "start clamped to size", both(cyclic, lambda d, extent: extent == 0),
        lambda d, extent: (d | {"start": d["size"]}, 0), None, REFUSES,
        "validator_refuses_clamped_start",
    ),
    # indices.
    Change("indices list", unstructured, convert("indices", list), "indices_not_buffer", REFUSES),
    Change("indices None", unstructured, put(indices=None), "indices_not_buffer", REFUSES),
    *(
        Change(f"indices {letter}", where("indices", lambda i: i.size and i.min() >= 0),
               convert("indices", lambda i, letter=letter: i.astype(letter)), None, ACCEPTS)
        for letter in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")
    ),
    Change("indices memoryview", unstructured, convert("indices", memoryview), None, ACCEPTS),
    Change(
        "indices array.array", unstructured,
        convert("indices", lambda i: array.array("q", i.tolist())), None, ACCEPTS,
    ),
    Change(
        "indices with a stride", unstructured, convert("indices", lambda i: i.repeat(2)[::2]),
        None, ACCEPTS,
    ),
    *(
        Change(
            f"indices {letter}", unstructured,
            convert("indices", lambda i, letter=letter: i.astype(letter)), "indices_not_int",
            ACCEPTS, "validator_takes_any_indices",
        )
        for letter in ("f4", "f8", "?", ">i8", "c16")
    ),
    Change(
        "indices in two dimensions", unstructured, convert("indices", lambda i: i.reshape(1, -1)),
        "indices_ndim", ACCEPTS, "validator_takes_any_indices",
    ),
    Change(
        "index alone", unstructured, put(indices=np.array(3)), "indices_ndim", ACCEPTS,
        "validator_takes_any_indices",
    ),
    Change(
        "index twice", both(unstructured, has_elements),
        convert("indices", lambda i: np.concatenate([i[:1], i[:1], i[2:]])),
        "indices_not_unique", ACCEPTS, "validator_takes_any_indices",
    ),
    Change(
        "index 2**63", both(unstructured, has_elements),
        convert("indices", lambda i: np.array([2**63, *range(1, len(i))], dtype="u8")),
        "overflow", ACCEPTS, "validator_takes_any_indices",
    ),
]  # fmt: skip


def exports(change):
    """(name of the section, axis, export) of every section that a change fits."""
    for name, (dim_dict, extent) in SECTIONS.items():
        if not change.fits(dim_dict, extent):
            continue
        changed, new_extent = change.make(dim_dict, extent)
        other, other_extent = SECTIONS["first block"]
        for axis, dim_data in enumerate([(changed,), (dict(other), changed)]):
            shape = (other_extent,) * axis + (new_extent,)
            yield name, axis, envelope(dim_data, np.zeros(shape))
