#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# unpack_kokkos.sh PREFIX [MIRROR]
# Downloads Debian's Kokkos package from unstable, which has a usable version, and unpacks it below PREFIX
# (/ or a folder of the scripts). It installs no package and changes no package source of the system.
set -euo pipefail

prefix=${1%/}
mirror=${2:-}
if [[ -z $mirror ]]; then
    mirror=$(awk '$1 == "deb" { print $2; exit }' /etc/apt/sources.list)
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
# apt downloads as user _apt, which must be able to write here.
chmod 755 "$scratch"

keyring=
for file in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    if [[ -e $file ]]; then keyring=" signed-by=$file"; fi
done
# On a frozen mirror, the index of unstable may be past its Valid-Until date; apt still checks its
# signature.
mkdir -p "$scratch/lists/partial" "$scratch/cache/archives/partial" "$scratch/empty"
printf 'deb [check-valid-until=no%s] %s sid main\n' "$keyring" "$mirror" >"$scratch/sources.list"
# apt reads this configuration before all others, so that no hook of the host's apt runs.
cat >"$scratch/apt.conf" <<CONF
Dir::Etc::sourcelist "$scratch/sources.list";
Dir::Etc::sourceparts "$scratch/empty";
Dir::Etc::preferencesparts "$scratch/empty";
Dir::State::lists "$scratch/lists";
Dir::Cache "$scratch/cache";
Acquire::Languages "none";
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
CONF
get() { timeout --foreground 300 apt-get -c "$scratch/apt.conf" "$@"; }
cd "$scratch"
get update
get download libkokkos-dev
runtime=$(dpkg-deb -f libkokkos-dev_*.deb Depends | grep -oE 'libkokkos[0-9][0-9.]*' | sed -n 1p)
get download "$runtime"
mkdir -p "$prefix/"
for package in libkokkos-dev_*.deb "$runtime"_*.deb; do
    dpkg -x "$package" "$prefix/"
done

libraries=$prefix/usr/lib/$(gcc -print-multiarch 2>/dev/null || dpkg-architecture -qDEB_HOST_MULTIARCH)
# The CMake files name archives of two header-only components, which the package does not contain.
for name in kokkosalgorithms kokkossimd; do
    if [[ ! -e $libraries/lib$name.a ]]; then ar crs "$libraries/lib$name.a"; fi
done
if [[ -n $prefix ]]; then
    # The CMake files name paths below /usr, but the package was unpacked elsewhere.
    grep -rlF '"/usr/' "$libraries/cmake/Kokkos" | xargs -r sed -i "s|\"/usr/|\"$prefix/usr/|g"
else
    ldconfig
fi
if ldd "$libraries/libkokkoscore.so" | grep -E 'not found'; then
    echo "$runtime needs libraries that this system lacks" >&2
    exit 1
fi
