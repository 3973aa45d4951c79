# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Refuses NumPy functions, arithmetic and comparisons of a DistView.

Without these methods NumPy would read the section through its buffer and silently compute with this process's cells
and their padding. np.asarray() remains the explicit way to do that.
"""

from __future__ import annotations

from typing import Any, NoReturn, TypeVar

import numpy as np

Class = TypeVar("Class")

#: The call to write instead for the whole array, by the function's name in NumPy.
_METHODS = {
    "sum": "sum()", "add.reduce": "sum()", "min": "min()", "amin": "min()", "minimum.reduce": "min()",
    "max": "max()", "amax": "max()", "maximum.reduce": "max()", "linalg.norm": "norm()",
    "dot": "dot(other)", "vdot": "dot(other)", "inner": "dot(other)",
    "zeros_like": "distview.zeros_like(array)", "empty_like": "distview.zeros_like(array)",
    "save": "gather(), then np.save on its root",
}  # fmt: skip

_CELLS = (
    "np.asarray(array), array.interior or array.owned for this process's cells, "
    "or array.gather() for the whole array on one rank"
)

_SYMBOLS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "divmod": "divmod()", "and": "&", "or": "|", "xor": "^", "lshift": "<<", "rshift": ">>",
}  # fmt: skip
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_UNARY = {"neg": "-", "pos": "+", "abs": "abs()", "invert": "~"}


def _refuse_function(name: str) -> NoReturn:
    method = _METHODS.get(name)
    whole = ""
    if method is not None:
        whole = f"{method if method.startswith('distview') else 'array.' + method} for the whole array, "
    raise TypeError(
        f"np.{name}: a DistView is distributed, and NumPy would see this process's section alone, padding "
        f"included; write {whole}{_CELLS}"
    )


def _name_of(function: Any) -> str:
    module = getattr(function, "__module__", None) or "numpy"
    prefix = module.removeprefix("numpy").lstrip(".")
    name = getattr(function, "__name__", repr(function))
    # Functions of these NumPy modules are called as np.<name>
    return name if not prefix or prefix.startswith(("_", "core", "lib")) else f"{prefix}.{name}"


def _array_ufunc(self: Any, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
    """Refuses ufuncs. Local."""
    _refuse_function(ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}")


def _array_function(self: Any, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
    """Supports np.transpose, np.shape, np.ndim and tests for shared memory; refuses other functions.

    np.transpose is collective, the others are local.
    """
    name = _name_of(function)
    if name == "transpose":
        return _transpose(*args, **kwargs)
    if name in ("shape", "ndim") and len(args) == 1 and not kwargs:
        return getattr(args[0], name)
    if name in ("shares_memory", "may_share_memory"):
        return function(*(np.asarray(a) if isinstance(a, type(self)) else a for a in args), **kwargs)
    _refuse_function(name)


def _number(name: str) -> Any:
    def refuse(self: Any) -> Any:
        raise TypeError(f"{name}: a DistView is not a number; write array.sum(), array.max(), or {_CELLS}")

    return refuse


def _truth(self: Any) -> bool:
    raise TypeError("a DistView is not true or false: write `is not None`, len(array), or array.max()")


def _transpose(a: Any, axes: Any = None) -> Any:
    return a.transpose() if axes is None else a.transpose(axes)


def _operator(symbol: str) -> Any:
    def refuse(self: Any, *operands: Any) -> Any:
        raise TypeError(f"{symbol}: a DistView has no arithmetic; write {_CELLS}")

    return refuse


def _comparison(symbol: str) -> Any:
    same = "; `is` tests whether two names are one array" if symbol in ("==", "!=") else ""

    def refuse(self: Any, other: Any) -> Any:
        raise TypeError(f"{symbol}: a DistView does not compare its elements; write {_CELLS}{same}")

    return refuse


def _assign(self: Any, key: Any, value: Any = None) -> None:
    raise TypeError(
        "array[...] = value: a DistView is distributed; write array.interior[...] = value for this process's cells, "
        "array[key].interior[...] = value for those of a slice, or array.scatter(values) from one rank"
    )


def without_arithmetic(cls: type[Class]) -> type[Class]:
    """Class decorator: NumPy's functions, operators, comparisons and assignments raise a TypeError that says what to
    write instead. Use ``is`` to compare objects; hashing stays by identity."""
    methods = {"array_ufunc": _array_ufunc, "array_function": _array_function, "bool": _truth}
    methods.update(setitem=_assign, delitem=_assign)
    methods["hash"] = object.__hash__
    methods.update({name: _number(f"{name}()") for name in ("int", "float", "complex")})
    for name, symbol in _SYMBOLS.items():
        methods[name] = methods["r" + name] = _operator(symbol)
        if name != "divmod":
            methods["i" + name] = _operator(f"{symbol}=")
    methods.update({name: _operator(symbol) for name, symbol in _UNARY.items()})
    methods.update({name: _comparison(symbol) for name, symbol in _COMPARISONS.items()})
    for name, method in methods.items():
        setattr(cls, f"__{name}__", method)
    return cls
