# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The docstring of every public callable states whether all ranks must call it."""

import inspect
import re

import distview
import pytest


def public_callables():
    for name in distview.__all__:
        thing = getattr(distview, name)
        if inspect.isclass(thing) and not issubclass(thing, BaseException):
            for part in dir(thing):
                static = inspect.getattr_static(thing, part)
                if not part.startswith("_") and callable(getattr(thing, part)) and static is not None:
                    yield f"{name}.{part}", getattr(thing, part), thing
        if callable(thing) and not (inspect.isclass(thing) and issubclass(thing, BaseException)):
            yield name, thing, None


CALLABLES = list(public_callables())


@pytest.mark.parametrize(("name", "function", "owner"), CALLABLES, ids=[c[0] for c in CALLABLES])
def test_docstring_says_who_calls(name, function, owner):
    """Checks the callable's docstring, or the docstring of a class whose methods are all local."""
    text = inspect.getdoc(function) or ""
    of_class = inspect.getdoc(owner) or "" if owner else ""
    assert re.search(r"\b[Cc]ollective\b|\b[Ll]ocal\b", text) or (
        "Local (not collective): no method communicates" in of_class
    ), text


def test_all_were_found():
    names = {name for name, _, _ in CALLABLES}
    assert {"zeros", "DistView.gather", "Layout.owner", "RedistributionPlan.execute", "check"} <= names
