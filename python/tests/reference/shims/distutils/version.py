# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""StrictVersion, as the validator uses it: a version is two or three numbers, then aN or bN."""

import re

_FORM = re.compile(r"^(\d+)\.(\d+)(\.(\d+))?([ab](\d+))?$", re.ASCII)


class StrictVersion:
    """`.version` is a tuple of three numbers; ValueError for text of any other form."""

    def __init__(self, text=None):
        # Like the original: an empty text or None is not parsed, and raises nothing.
        if text:
            self.parse(text)

    def parse(self, text):
        found = _FORM.match(text)
        if not found:
            raise ValueError(f"invalid version number '{text}'")
        major, minor, _, patch, prerelease, number = found.groups()
        self.version = (int(major), int(minor), int(patch or 0))
        self.prerelease = (prerelease[0], int(number)) if prerelease else None
