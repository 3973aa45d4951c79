# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Communicators: converts the users' ``comm`` for the compiled part."""

from __future__ import annotations

import functools
import os
import sys
import warnings
import zlib
from collections.abc import Callable
from typing import Any, NoReturn, ParamSpec, TypeVar, cast

from . import _distview
from ._errors import Error, UsageError, named_after, short

Result = TypeVar("Result")
Parameters = ParamSpec("Parameters")


@functools.cache
def _check_same_mpi() -> None:
    """mpi4py and this module must use the same MPI library: handles of another library are garbage."""
    from mpi4py import MPI

    if MPI._sizeof(MPI.Comm) != _distview.mpi_comm_bytes or (
        MPI.Get_library_version().rstrip("\0 \n") != _distview.mpi_library_version().rstrip("\0 \n")
    ):
        raise UsageError(
            "distview: mpi4py is built with another MPI library "
            f"({MPI.Get_library_version().splitlines()[0]}) than this module "
            f"({_distview.mpi_library_version().splitlines()[0]}): rebuild one of them"
        )


_PACKAGE = os.path.dirname(__file__) + os.sep
_has_warned = False
#: Whether collective calls report their line of the program to other ranks; set once a deadline exists.
tells_sites = bool(os.environ.get("DISTVIEW_DEADLINE"))


def _warn_of_no_comm() -> None:
    """Warns once if several ranks run and this one makes an array without a communicator: often a mistake."""
    global _has_warned
    module = sys.modules.get("mpi4py.MPI")
    if _has_warned or module is None or not module.Is_initialized() or module.Is_finalized():
        return
    if (size := module.COMM_WORLD.size) == 1:
        return
    _has_warned = True
    warnings.warn(
        f"distview: comm is None, so each of the {size} ranks makes a separate array; pass comm for one "
        "array over all ranks, or MPI.COMM_SELF if separate arrays are intended",
        RuntimeWarning,
        skip_file_prefixes=(os.path.dirname(__file__),),
        stacklevel=2,
    )


def communicator(comm: Any) -> _distview.Communicator | None:
    """The library's communicator of an mpi4py communicator, of the int that its py2f() returns, or of None.

    Collective over comm at its first use.
    """
    if comm is None:
        _warn_of_no_comm()
    if comm is None or isinstance(comm, _distview.Communicator):
        return comm
    module = sys.modules.get("mpi4py.MPI")
    if module is not None and (type(comm) is int or isinstance(comm, module.Comm)):
        if not module.Is_initialized():
            raise UsageError("distview: MPI is not initialised; call mpi4py.MPI.Init() first")
        if module.Is_finalized():
            raise UsageError("distview: MPI is already finalised")
    if module is not None and type(comm) is int:
        # MPI libraries may convert any other number to something that looks like a communicator.
        if not -(2**31) <= comm < 2**31 or (found := _of_fortran(module, comm)) is None:
            raise UsageError(_expected_comm(f"{comm}, which py2f() does not return for any communicator"))
        comm = found
    if module is not None and isinstance(comm, module.Comm):
        if comm == module.COMM_NULL:
            raise UsageError(_expected_comm("MPI.COMM_NULL"))
        _check_same_mpi()
        return _distview.communicator_at(module._addressof(comm))
    raise UsageError(_expected_comm(short(comm) if type(comm) is int else type(comm).__name__))


def required(comm: Any, caller: str) -> _distview.Communicator:
    """communicator(), for calls that need one."""
    found = None if comm is None else communicator(comm)
    if found is None:
        raise UsageError(f"{caller}: expected comm to be an mpi4py communicator, got None")
    return found


def _of_fortran(module: Any, handle: int) -> Any:
    """mpi4py's communicator for a Fortran handle; None for other numbers."""
    try:
        found = module.Comm.f2py(handle)
        if found != module.COMM_NULL:
            found.Get_size()
        return found
    except module.Exception:
        return None


def _expected_comm(got: str) -> str:
    return f"distview: expected comm to be an mpi4py communicator (or the int of its py2f()) or None, got {got}"


def agreed(
    comm: _distview.Communicator | None,
    caller: str,
    action: Callable[[], Result],
    alike: Callable[[Result], dict[str, Any]] = lambda result: {},
) -> Result:
    """Returns the result of action() once it has returned on all ranks. If it raises on one rank, all ranks raise.

    ``alike(result)`` gives values by name that must be the same, as text, on all ranks; if ranks differ, the error
    shows the first value that differs. On ranks that failed, the error has their own exception as its
    ``__cause__``. The action must not communicate. Collective over comm.
    """
    if comm is None:
        return action()

    def step() -> tuple[Result, int, dict[str, Any]]:
        result = action()
        values = alike(result)
        # The text of a layout is long: its fingerprint stands for it.
        texts = [str(getattr(value, "fingerprint", value)) for value in values.values()]
        return result, zlib.crc32(repr(texts).encode()), values

    return cast(Result, comm.agree_on(caller, step))


def _call_site(
    communicator_of: Callable[..., _distview.Communicator | None], args: Any, kwargs: Any
) -> _distview.CallSite | None:
    """Reports the program's line of the following call to other ranks, as long as the result lives."""
    frame = sys._getframe(2)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    site = f"{frame.f_code.co_filename.rpartition(os.sep)[2]}:{frame.f_lineno}"
    try:
        comm = communicator_of(*args, **kwargs)
        return None if comm is None else _distview.CallSite(comm, site)
    except Exception:  # the arguments are wrong: the call itself refuses them
        return None


def collective(
    caller: str, communicator_of: Callable[..., _distview.Communicator | None], *inner: str
) -> Callable[[Callable[Parameters, Result]], Callable[Parameters, Result]]:
    """Decorator of a collective function. If Python itself refuses arguments on one rank, such as unknown keywords, all
    ranks raise a UsageError. Texts of errors begin as named_after() says.

    communicator_of: takes the function's arguments and returns the communicator on which the other ranks wait.
    """

    def decorate(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
        @functools.wraps(function)
        def call(*args: Parameters.args, **kwargs: Parameters.kwargs) -> Result:
            site = _call_site(communicator_of, args, kwargs) if tells_sites else None
            try:
                return function(*args, **kwargs)
            except Error as error:
                named_after(error, caller, inner)
                raise
            except TypeError as error:
                # The traceback ends here only if the call itself failed.
                if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                    raise
                # "DistView.gather() got ..."
                text = f"{caller}: {str(error).partition('() ')[2] or error}"
            finally:
                del site  # a traceback would keep it

            def refuse() -> NoReturn:
                raise UsageError(text)

            try:
                return agreed(communicator_of(*args, **kwargs), caller, refuse)
            except Error as error:
                named_after(error, caller, inner)
                raise

        return call

    return decorate


def of_comm(position: int) -> Callable[..., _distview.Communicator | None]:
    """For collective(): the argument ``comm``, which also has a position."""

    def take(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
        # The keyword first: if both are given, the positional argument was meant for another parameter.
        given = kwargs.get("comm")
        if given is None and len(args) > position:
            given = args[position]
        return None if given is None else communicator(given)  # a call without comm warns, if it should

    return take


def of_array(*args: Any, **kwargs: Any) -> _distview.Communicator | None:
    """For collective(): the communicator of the first argument that has one."""
    for argument in (*args, *kwargs.values()):
        found = getattr(argument, "_communicator", None)
        if found is not None:
            return found
    return None
