#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# by_pkg_config.sh LIBDIR COMPILER SOURCE PROGRAM COMMAND...: compiles a program against an installed package as its
# pkg-config file says, and runs the command. 77: there is no pkg-config.
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
