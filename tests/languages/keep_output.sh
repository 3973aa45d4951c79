#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# keep_output.sh FILE COMMAND ARGUMENTS...: runs a program that prints a line for each cell of the table of languages, and
# keeps the output for table.py. Fails if the status is not 0 or a line reports a failure.
file=$1
shift
rm -f "$file"
mkdir -p "$(dirname "$file")" || exit
"$@" >"$file.part" 2>&1
status=$?
grep -v "^languages .* ok$" "$file.part"
echo "$(grep -c "^languages .* ok$" "$file.part") cells are right"
if [ $status -ne 0 ] || ! grep -q "^languages .* ok$" "$file.part" || grep -q "^languages .* failed$" "$file.part"; then
    echo DISTVIEW-TEST-FAILED
    exit 1
fi
mv "$file.part" "$file"
echo DISTVIEW-TEST-PASSED
