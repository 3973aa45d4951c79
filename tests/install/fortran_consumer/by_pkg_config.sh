#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_pkg_config.sh LIBDIR FORTRAN C SOURCE FOLDER COMMAND...: compiles a program against an installed package with the
# options of its pkg-config file, then again with all package sources, as needed for another compiler, and runs the
# command with both programs. Exit status 77: pkg-config is missing.
set -eu
libdir=$1 fortran=$2 c=$3 source=$4 folder=$5
shift 5
command -v pkg-config > /dev/null || exit 77
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
pkg-config --exists 'distview-fortran >= 0.1'
rm -rf "$folder"
mkdir -p "$folder/anew"
cd "$folder"
# shellcheck disable=SC2046
"$fortran" -std=f2018 -Wall -Werror $(pkg-config --cflags distview-fortran) "$source" -o use_fortran \
    $(pkg-config --libs distview-fortran)
"$@"
cd anew
# shellcheck disable=SC2046
"$c" -c $(pkg-config --cflags distview-c) "$(pkg-config --variable=sourcesdir distview-fortran)/distview_descriptors.c"
# shellcheck disable=SC2046
"$fortran" -std=f2018 $(pkg-config --variable=sources distview-fortran) "$source" distview_descriptors.o -o ../use_fortran \
    $(pkg-config --libs distview-c)
exec "$@"
