#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# enter_root.sh ROOT FOLDERS COUNT VARIABLE=VALUE... COMMAND...
# Runs in a separate mount namespace: mounts folders, then becomes the command inside ROOT. FOLDERS, one per
# line, are available inside even if they lie in a system folder.
set -euo pipefail

root=$1
mapfile -t folders <<<"$2"
variables=("${@:4:$3}")
shift $((3 + $3))
working_folder=$(pwd -P)

fail() {
    printf 'distview: error: the private root cannot be entered: %s\n' "$1" >&2
    exit 1
}

bind() {
    if [[ -d $1 ]]; then
        mkdir -p -- "$root$1"
    elif [[ ! -e $root$1 ]]; then
        : >"$root$1"
    fi
    mount --rbind -- "$1" "$root$1" || fail "mounting $1 failed"
}

# A checkout may lie on a file system without device files or programs.
mount --bind -- "$root" "$root" && mount -o remount,bind,dev,exec,suid "$root" ||
    fail "mounting $root failed"

for folder in /*; do
    if [[ ! -d $folder ]]; then continue; fi
    case ${folder#/} in
    bin | sbin | lib | lib32 | lib64 | libx32 | libexec | usr | etc | var | boot | lost+found) ;;
    *) bind "$folder" ;;
    esac
done
# Folders in system folders where users keep files. The package databases stay the root's own, and so does
# /usr/local: programs there are built for the host's libraries.
for folder in /usr/src /var/*; do
    if [[ -L $folder || ! -d $folder ]]; then continue; fi
    case $folder in
    /var/lib | /var/cache | /var/run | /var/lock) ;;
    *) bind "$folder" ;;
    esac
done
for folder in "${folders[@]}" "$working_folder"; do
    case $folder in
    /usr/src/*) ;;
    /usr/* | /etc/* | /boot/* | /var/lib/* | /var/cache/*) bind "$folder" ;;
    esac
done

# The certificates include an organisation's own: downloads (pip) that work outside also work inside.
for file in resolv.conf hosts hostname passwd group nsswitch.conf localtime \
    ssl/certs/ca-certificates.crt; do
    if [[ -e /etc/$file && -f /etc/$file && ! -L $root/etc/$file ]]; then
        [[ -e $root/etc/$file ]] || : >"$root/etc/$file"
        # Read-only: a package that is installed inside must not add users to the host.
        mount -o bind,ro -- "$(readlink -f "/etc/$file")" "$root/etc/$file" || true
    fi
done

exec chroot "$root" /usr/bin/env -i -C "$working_folder" "${variables[@]}" "$@"
