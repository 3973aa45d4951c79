# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A consumer of distributed arrays: it accepts any object with __distarray__(), whatever its origin."""

import distview


def second_difference_quotient(array, comm):
    """Returns <u, Lu> / <u, u> for a distributed array of two axes, where L is the second difference along axis 0.

    Collective over comm: every process passes its own section. The section is not copied; its
    padding is filled from the neighbours.
    """
    u = distview.from_distarray(array, comm)  # checks every rule of the protocol, on all processes
    u.exchange_padding()  # fetches rows of the neighbours, and of the other end of the array

    low, high = u.padding[0]
    if low < 1 or high < 1:
        raise ValueError("second_difference_quotient: expected padding along axis 0")
    rows = u.view  # this process's section, a NumPy array
    centre = rows[low : len(rows) - high]
    above = rows[low - 1 : len(rows) - high - 1]
    below = rows[low + 1 : len(rows) - high + 1]

    difference = distview.zeros_like(u)  # with the same layout
    difference.interior[...] = 2 * centre - above - below
    return u.dot(difference) / u.dot(u)  # over the whole array; the same on all processes
