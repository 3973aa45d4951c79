#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_pkg_config.sh LIBDIR COMPILER SOURCE PROGRAM COMMAND...: compiles a program against an installed package with the
# options of its pkg-config file, and runs the command. Exit status 77: pkg-config is missing.
set -eu
libdir=$1 compiler=$2 source=$3 program=$4
shift 4
command -v pkg-config > /dev/null || exit 77
PKG_CONFIG_PATH=$libdir/pkgconfig
export PKG_CONFIG_PATH
pkg-config --exists 'distview-c >= 0.1'
# shellcheck disable=SC2046
"$compiler" -std=c11 -Wall -Werror $(pkg-config --cflags distview-c) "$source" -o "$program" $(pkg-config --libs distview-c)
exec "$@"
