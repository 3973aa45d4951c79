# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ways to damage the exports of all processes of an array; each yields (name, group) pairs."""

import itertools

import dap_oracle
import numpy as np
from dap_cases import changed


def fitting(section):
    """The section with a buffer of the extents that its dictionaries describe, if possible."""
    extents = []
    for data, given in zip(section["dim_data"], section["buffer"].shape):
        extents.append(_extent(data, section["__version__"], given))
    if any(not 0 <= n <= 1000 for n in extents):
        return section
    return {**section, "buffer": np.zeros(extents, "i1")}


def _extent(data, version, given):
    kind = data.get("dist_type")
    if kind == "u":
        return len(data["indices"])
    if kind == "c" and data.get("block_size", 1) > 0 and data["proc_grid_size"] > 0:
        place = (data["size"], data["proc_grid_size"], data["proc_grid_rank"])
        return dap_oracle.cyclic_count(*place, data.get("block_size", 1))
    if kind != "b":
        return given
    extent = data["stop"] - data["start"]
    if version.startswith("0.9."):
        low, high = data.get("padding", (0, 0))
        wraps, rank = data.get("periodic", False), data["proc_grid_rank"]
        extent += low * (wraps or rank > 0) + high * (wraps or rank < data["proc_grid_size"] - 1)
    return extent


def _order(sections):
    for i, j in itertools.combinations(range(len(sections)), 2):
        swapped = list(sections)
        swapped[i], swapped[j] = swapped[j], swapped[i]
        yield f"{i} and {j} exchanged", swapped
    yield "reversed", sections[::-1]
    yield "rotated", [*sections[1:], sections[0]]


def _number(sections):
    for process, section in enumerate(sections):
        yield f"without {process}", [s for p, s in enumerate(sections) if p != process] or sections
        yield f"{process} appended", [*sections, section]
        yield f"all are {process}", [section] * len(sections)
        for other in range(len(sections)):
            doubled = list(sections)
            doubled[other] = section
            yield f"{process} in place of {other}", doubled
    yield "twice", [*sections, *sections]


def _numbers_on_one(sections):
    """Increases and decreases every number of every dictionary by one on one process."""
    for process, section in enumerate(sections):
        for axis, data in enumerate(section["dim_data"]):
            for key, value in data.items():
                for step in (-1, 1, 2) if type(value) is int else ():
                    spoilt = changed(section, axis, **{key: value + step})
                    for way, fit in (("as it is", lambda s: s), ("with a buffer", fitting)):
                        wrong = [*sections[:process], fit(spoilt), *sections[process + 1 :]]
                        yield f"{process} axis {axis} {key} {step:+} {way}", wrong


def _numbers_on_all(sections):
    for axis, data in enumerate(sections[0]["dim_data"]):
        for key in (k for k, v in data.items() if type(v) is int):
            for step in (-1, 1, 2):
                wrong = [
                    changed(s, axis, **{key: s["dim_data"][axis][key] + step}) for s in sections
                ]
                yield f"all axis {axis} {key} {step:+}", [fitting(s) for s in wrong]


def _padding(sections):
    """Other widths on one process, the key on some processes only, wide widths on all."""
    for axis, data in enumerate(sections[0]["dim_data"]):
        for process, section in enumerate(sections):
            if section["dim_data"][axis].get("dist_type") not in ("b", "n"):
                continue
            for widths in (..., (0, 0), (1, 0), (0, 1), (1, 1), [2, 1], (3, 3), (9, 9)):
                spoilt = changed(section, axis, padding=widths)
                for way in (lambda s: s, fitting):
                    yield (
                        f"{process} axis {axis} {widths}",
                        [*sections[:process], way(spoilt), *sections[process + 1 :]],
                    )
        if data.get("dist_type") == "b":
            for widths in (..., (0, 0), (1, 1), (2, 2), (1, 2), (40, 40)):
                all_of_them = [fitting(changed(s, axis, padding=widths)) for s in sections]
                yield f"all axis {axis} {widths}", all_of_them


def _flags(sections):
    for axis, key in itertools.product(
        range(len(sections[0]["dim_data"])), ("periodic", "one_to_one", "block_size")
    ):
        values = (1, 2) if key == "block_size" else (True, False)
        for value in (*values, ...):
            spoilt = [_if_its_own(s, axis, key, value) for s in sections]
            yield f"all axis {axis} {key} {value}", [fitting(s) for s in spoilt]
            for p in range(len(sections)):
                yield (
                    f"{p} axis {axis} {key} {value}",
                    [*sections[:p], spoilt[p], *sections[p + 1 :]],
                )


def _if_its_own(section, axis, key, value):
    kinds = {"periodic": "bcun", "one_to_one": "u", "block_size": "c"}[key]
    kind = section["dim_data"][axis].get("dist_type", "")
    return changed(section, axis, **{key: value}) if kind and kind in kinds else section


def _labels(sections):
    for process, section in enumerate(sections):
        for axis, data in enumerate(section["dim_data"]):
            if data.get("dist_type") != "u":
                continue
            labels = list(data["indices"])
            for changed_to in (labels[::-1], labels[:-1], [*labels, 2], [2, 3], [100, 9], [-1], []):
                spoilt = fitting(changed(section, axis, indices=np.array(changed_to, int)))
                wrong = [*sections[:process], spoilt, *sections[process + 1 :]]
                yield f"{process} axis {axis} {changed_to}", wrong


def _axes(sections):
    """One process with an additional axis, a missing one, or one in another place."""
    for process, section in enumerate(sections):
        dim_data, extents = section["dim_data"], section["buffer"].shape
        line = dict(dist_type="b", size=1, proc_grid_size=1, proc_grid_rank=0, start=0, stop=1)
        for what, n, data in (
            ("more", (*extents, 1), (*dim_data, line)),
            ("less", extents[1:], dim_data[1:]),
            ("turned", extents[::-1], dim_data[::-1]),
        ):
            spoilt = {**section, "dim_data": data, "buffer": np.zeros(n)}
            yield f"{process} {what}", [*sections[:process], spoilt, *sections[process + 1 :]]
    turned = [{**s, "dim_data": s["dim_data"][::-1], "buffer": s["buffer"].T} for s in sections]
    yield "all turned", turned


SPOIL_GROUP = {
    "order": _order,
    "number": _number,
    "numbers on one": _numbers_on_one,
    "numbers on all": _numbers_on_all,
    "padding": _padding,
    "flags": _flags,
    "labels": _labels,
    "axes": _axes,
}


def nudge(rng, sections):
    """Changes one number slightly on one process, or on all processes of its grid rank."""
    process = rng.randrange(len(sections))
    if not sections[process]["dim_data"]:
        return [*sections, sections[0]]
    axis = rng.randrange(len(sections[process]["dim_data"]))
    data = sections[process]["dim_data"][axis]
    choices = [key for key, value in data.items() if type(value) is int]
    choices += [key for key in ("padding", "indices", "periodic", "one_to_one") if key in data]
    key = rng.choice(choices)
    value = data[key]
    step = rng.choice([-2, -1, 1, 2])
    if type(value) is int:
        value = value + step
    elif type(value) is bool:
        value = not value
    elif key == "padding":
        side = rng.randrange(2)
        value = tuple(w + step * (i == side) for i, w in enumerate(value))
    elif len(value):
        value = np.array(value)
        value[rng.randrange(len(value))] += step
    shared = rng.random() < 0.5
    spoilt = []
    for p, section in enumerate(sections):
        same = section["dim_data"][axis].get("proc_grid_rank") == data["proc_grid_rank"]
        if p == process or (shared and same):
            section = fitting(changed(section, axis, **{key: value}))
        spoilt.append(section)
    return spoilt
