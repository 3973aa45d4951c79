# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules of the Distributed Array Protocol in plain Python, written from its text alone.

The tests compare distview.check and distview.check_all with `check` and `check_all` here, which
return None (accepted) or a Refusal. The code aims at clarity, not speed: every number is a Python int,
so that nothing overflows unnoticed. The order of the rules is part of the contract, since it decides
which of several reasons is reported: the envelope, then one axis after the other, then the global size;
with several processes, first every process alone, in their order.
"""

import math
import operator
import re
import sys
from dataclasses import dataclass, replace

ANY = type("Any", (), {"__repr__": lambda self: "ANY"})()  # a value that the specification leaves open

ENVELOPE = ("__version__", "buffer", "dim_data")
COMMON = ("dist_type", "size", "proc_grid_size", "proc_grid_rank")
REQUIRED = {"n": COMMON[:2], "b": (*COMMON, "start", "stop"), "c": (*COMMON, "start")}
REQUIRED["u"] = (*COMMON, "indices")
INTEGERS = {"b": ("start", "stop"), "c": ("start", "block_size"), "u": (), "n": ()}
VERSION = re.compile(r"(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)", re.ASCII)
INT64 = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Refusal:
    code: str
    axis: object = None
    key: object = ANY
    process: object = None
    also: frozenset = frozenset()  # other codes that the text allows, too
    others: tuple = ()  # reasons for other axes: the text leaves open which axis is named first

    @property
    def codes(self):
        return {self.code} | self.also


class _Refused(Exception):
    def __init__(self, refusal):
        super().__init__(refusal)
        self.refusal = refusal


def require(condition, code, axis=None, key=ANY, also=(), process=None):
    if not condition:
        raise _Refused(Refusal(code, axis, key, process, frozenset(also)))


@dataclass
class Axis:
    """A dimension dictionary with its defaults, as the rules of its kind need it."""

    kind: str
    extent: int
    size: int = 0
    n_ranks: int = 1
    rank: int = 0
    start: int = 0
    stop: int = 0
    padding: tuple = (0, 0)
    has_padding: bool = False
    periodic: bool = False
    block_size: int = 1
    indices: tuple = ()
    one_to_one: bool = False
    low: int = 0  # communication padding
    high: int = 0
    owned: tuple = (0, 0)  # global indices that this section owns, half-open


def _integer(value):
    """The value as an int, or None if it is not an integer in the sense of K4."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return None
    try:
        return operator.index(value)
    except Exception:  # whatever an __index__ raises, the value is not an integer
        return None


def _memory(value):
    try:
        view = memoryview(value)
        view.ndim  # noqa: B018  raises when the view was released
    except Exception:
        return None
    return None if any(s >= 0 for s in view.suboffsets) else view


def _axis_integer(data, key, axis):
    value = _integer(data[key])
    require(value is not None, "bad_type", axis, key)
    require(value in INT64, "overflow", axis, key)
    return value


def _expand(data, version, axis, extent):
    """Checks K3, K1 and K2, and expands the two short forms of an axis that is not distributed."""
    if not data and version == (0, 10):
        data = dict(
            dist_type="b", proc_grid_rank=0, proc_grid_size=1, start=0, stop=extent, size=extent
        )
    require("dist_type" in data, "missing_key", axis, "dist_type")
    kind = data["dist_type"]
    kinds = ("n", "b", "c", "u") if version == (0, 9) else ("b", "c", "u")
    require(isinstance(kind, str) and kind in kinds, "bad_dist_type", axis, "dist_type")
    missing = [key for key in REQUIRED[kind] if key not in data]
    require(not missing, "missing_key", axis, missing[0] if len(missing) == 1 else ANY)
    return kind, dict(data)


def _padding(data, kind, axis):
    """Checks B7; K6 if the axis has no padding."""
    if "padding" not in data:
        return (0, 0)
    value = data["padding"]
    if kind in "cu":
        try:
            none = isinstance(value, (tuple, list)) and [_integer(v) for v in value] == [0, 0]
        except Exception:
            none = False
        require(none, "key_not_applicable", axis, "padding", also=["padding_form", "overflow"])
        return (0, 0)
    require(isinstance(value, (tuple, list)) and len(value) == 2, "padding_form", axis, "padding")
    widths = tuple(_integer(width) for width in value)
    require(None not in widths, "padding_form", axis, "padding")
    both = ["overflow"] if min(widths) not in INT64 else []
    require(min(widths) >= 0, "padding_form", axis, "padding", also=both)
    require(max(widths) in INT64, "overflow", axis, "padding")
    return widths


def _block(a, version, axis):
    require(a.start >= 0, "start_negative", axis, "start")  # B1
    require(a.stop >= a.start, "stop_lt_start", axis, "stop")  # B2
    require(a.stop <= a.size, "stop_gt_size", axis, "stop")  # B3
    first, last = a.rank == 0, a.rank == a.n_ranks - 1
    require(not first or a.start == 0, "edge_start", axis, "start")  # B4
    require(not last or a.stop == a.size, "edge_stop", axis, "stop")
    wraps = version == (0, 9) and a.periodic  # then padding at the edges is communication padding
    a.low = 0 if first and not wraps else a.padding[0]
    a.high = 0 if last and not wraps else a.padding[1]
    if version == (0, 9):
        boundary = sum(a.padding) - a.low - a.high
        require(boundary <= a.stop - a.start, "padding_too_wide", axis, "padding")  # B9
        expected = a.stop - a.start + a.low + a.high
        a.owned = (a.start, a.stop)
    else:
        require(sum(a.padding) <= a.stop - a.start, "padding_too_wide", axis, "padding")
        expected = a.stop - a.start
        a.owned = (a.start + a.low, a.stop - a.high)
    require(a.extent == expected, "shape_mismatch", axis)  # B5


def cyclic_count(size, n_ranks, rank, block_size):
    """The number of elements of range(size) on a rank if blocks are dealt out in turn."""
    full, rest = divmod(size, block_size)
    count = (full + n_ranks - 1 - rank) // n_ranks * block_size
    return count + (rest if full % n_ranks == rank else 0)


def _cyclic(a, axis):
    require(a.start >= 0, "start_negative", axis, "start")
    require(a.block_size >= 1, "block_size_lt1", axis, "block_size")  # C1
    count = cyclic_count(a.size, a.n_ranks, a.rank, a.block_size)
    first = a.rank * a.block_size
    wide = ["overflow"] if first not in INT64 else []
    clamped = count == 0 and a.start == a.size
    require(a.start == first or clamped, "cyclic_start", axis, "start", also=wide)  # C2
    require(a.extent == count, "shape_mismatch", axis)  # C4


def _indices(value, version, axis):
    """U1, U2: the values of an index buffer of any integer type and stride."""
    at = (axis, "indices")
    if version == (0, 9) and isinstance(value, (list, tuple)):
        values = tuple(_integer(v) for v in value)
        nested = ["indices_ndim"] if any(isinstance(v, (list, tuple)) for v in value) else []
        require(None not in values, "indices_not_int", *at, also=nested)
        require(all(v in INT64 for v in values), "overflow", *at)
        return values
    view = _memory(value)
    require(view is not None, "indices_not_buffer", *at)
    native = "<" if sys.byteorder == "little" else ">"
    letter = re.sub(f"^[@={native}]", "", view.format)
    more = ["indices_ndim"] if view.ndim != 1 else []
    require(letter in tuple("bBhHiIlLqQnN"), "indices_not_int", *at, also=more)
    require(view.ndim == 1, "indices_ndim", *at)
    signed = letter in "bhilqn"
    raw, width = view.tobytes(), view.itemsize
    cells = (raw[i : i + width] for i in range(0, len(raw), width))
    values = tuple(int.from_bytes(cell, sys.byteorder, signed=signed) for cell in cells)
    require(all(v in INT64 for v in values), "overflow", *at)
    return values


def _unstructured(a, axis):
    require(len(set(a.indices)) == len(a.indices), "indices_not_unique", axis, "indices")  # U3
    require(a.extent == len(a.indices), "shape_mismatch", axis)  # U4
    require(len(a.indices) <= a.size, "size_sum", axis, "size")  # U6, as far as one process sees


def _axis(data, version, axis, extent):
    kind, data = _expand(data, version, axis, extent)
    a = Axis(kind, extent)
    a.size = _axis_integer(data, "size", axis)  # K4
    if kind != "n":
        a.n_ranks = _axis_integer(data, "proc_grid_size", axis)
        a.rank = _axis_integer(data, "proc_grid_rank", axis)
    for key, only in (("proc_grid_size", 1), ("proc_grid_rank", 0)):
        if kind == "n" and key in data:
            value = _axis_integer(data, key, axis)
            beyond = "grid_product" if value > 1 else "grid_size_lt1"
            code = beyond if key == "proc_grid_size" else "grid_rank_range"
            also = ["grid_product", "grid_size_lt1", "grid_rank_range", "size_negative"]
            require(value == only, code, axis, key, also=also)
    for key in INTEGERS[kind]:
        if key in data:
            setattr(a, key, _axis_integer(data, key, axis))
    for key in ("periodic", "one_to_one"):  # K5
        ours = key == "periodic" or kind == "u"
        if key in data and ours:
            require(isinstance(data[key], bool), "bad_type", axis, key)
            setattr(a, key, data[key])
    a.padding, a.has_padding = _padding(data, kind, axis), "padding" in data
    if version == (0, 10) and kind in "cu":  # K6
        require(not a.periodic, "key_not_applicable", axis, "periodic")
    require(a.size >= 0, "size_negative", axis, "size")  # K7
    require(a.n_ranks >= 1, "grid_size_lt1", axis, "proc_grid_size")  # K8
    require(0 <= a.rank < a.n_ranks, "grid_rank_range", axis, "proc_grid_rank")  # K9
    if kind == "n":
        a.kind, a.stop = "b", a.size
    if a.kind == "b":
        _block(a, version, axis)
    elif a.kind == "c":
        _cyclic(a, axis)
    else:
        a.indices = _indices(data["indices"], version, axis)
        _unstructured(a, axis)
    return a


def _section(obj):
    """Checks every rule that one process can see; returns its version and axes, or raises _Refused."""
    if not isinstance(obj, dict):
        method = getattr(obj, "__distarray__", None)
        obj = method() if callable(method) else None
    require(isinstance(obj, dict), "env_not_dict")  # E1
    missing = [key for key in ENVELOPE if key not in obj]
    require(not missing, "env_missing_key", None, missing[0] if len(missing) == 1 else ANY)  # E2
    extra = [key for key in obj if key not in ENVELOPE]
    named = extra[0] if len(extra) == 1 and isinstance(extra[0], str) else ANY
    require(not extra, "env_extra_key", None, named)
    version = obj["__version__"]
    numbers = isinstance(version, str) and VERSION.fullmatch(version)
    require(numbers, "version_format", None, "__version__")  # E3
    version = numbers[1] + "." + numbers[2]
    require(version in ("0.9", "0.10"), "version_unsupported", None, "__version__")  # E4
    version = (0, int(numbers[2]))
    view = _memory(obj["buffer"])
    require(view is not None, "buffer_protocol", None, "buffer")  # E5
    dim_data = obj["dim_data"]
    require(isinstance(dim_data, tuple), "dim_data_type", None, "dim_data")  # E6
    for axis, data in enumerate(dim_data):
        require(isinstance(data, dict), "dim_dict_type", axis)
    require(len(dim_data) == view.ndim, "ndim_mismatch")  # E7, E8
    axes, refusals = [], []
    for i, data in enumerate(dim_data):
        try:
            axes.append(_axis(data, version, i, view.shape[i]))
        except _Refused as refused:
            refusals.append(refused.refusal)
    if refusals:
        raise _Refused(replace(refusals[0], others=tuple(refusals[1:])))
    require(math.prod(a.size for a in axes) in INT64, "overflow", ANY)  # X8
    return version, axes


def _on(process, refusal):
    others = tuple(replace(other, process=process) for other in refusal.others)
    return replace(refusal, process=process, others=others)


def check(obj, process=None):
    """None, or the reason why this section cannot belong to a conforming array."""
    try:
        _section(obj)
    except _Refused as refused:
        return _on(process, refused.refusal)
    return None


def check_import(objects):
    """The same, and the reason why a DistView cannot represent conforming sections; see one_interior()."""
    from dap_oracle_group import one_interior

    found = check_all(objects)
    if found is not None:
        return found
    try:
        one_interior([_section(obj)[1] for obj in objects])
    except _Refused as refused:
        return refused.refusal
    return None


def check_all(objects):
    """None, or the reason why these are not the sections of one array on len(objects) processes."""
    from dap_oracle_group import between  # the rules between processes have their own file

    sections = []
    for process, obj in enumerate(objects):
        try:
            sections.append(_section(obj))
        except _Refused as refused:
            return _on(process, refused.refusal)
    try:
        between(sections)
    except _Refused as refused:
        return refused.refusal
    return None
