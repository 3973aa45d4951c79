# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Private Debian roots: a folder with a complete small system. debootstrap makes the root; enter.sh enters it. The
# script builds it as root.partial in a separate mount namespace and renames it at the end, so a folder
# `root` is always complete, and a killed run leaves no mount.

root_packages_common=(
    g++ cmake ninja-build make libopenmpi-dev openmpi-bin libgtest-dev libgmock-dev
    libbenchmark-dev nlohmann-json3-dev libcli11-dev libstb-dev git python3 iproute2
)

# choose_root ordinary|trilinos: selects the root for all functions here and in toolchain.sh. Trilinos includes its own
# Kokkos, with the same paths as Debian's Kokkos, so it has a separate root below the prefix.
choose_root() {
    root_choice=$1
    root_prefix=$distview_prefix
    if [[ $root_choice == trilinos ]]; then
        root_prefix+=/trilinos
        root_title="Debian root with Trilinos"
        root_suite=sid
        root_need_mib=4000
        root_takes="2 minutes, 2 GB"
        # All parts of Trilinos: a part's CMake files name files of other parts on which its package does not depend.
        root_packages=("${root_packages_common[@]}" trilinos-all-dev libptscotch-dev)
    else
        root_title="Debian 13 root"
        root_suite=trixie
        root_need_mib=2500
        root_takes="2 minutes, 1.5 GB"
        root_packages=(
            "${root_packages_common[@]}"
            libopenblas-dev libscalapack-openmpi-dev libfftw3-mpi-dev libfftw3-dev
            gfortran libhdf5-openmpi-dev libxxhash-dev
        )
    fi
    root_dir=$root_prefix/root
    root_log=$root_prefix/provision.log
    # Increase the number whenever the steps below change; a change of the packages needs no new number.
    root_recipe="1 $root_suite ${root_packages[*]}"
}
choose_root ordinary

root_ready() {
    [[ -e $root_dir/.distview-root && $(<"$root_dir/.distview-root") == "$root_recipe" ]]
}

# root_impossible: prints why a private root cannot be made here; nothing if it can.
root_impossible() {
    if [[ $(uname -s) != Linux ]]; then
        echo "it needs Linux"
    elif ((EUID != 0)); then
        echo "it needs root (chroot and mount): run the same command with sudo"
    elif ! unshare --mount --propagation private true 2>/dev/null; then
        echo "it needs the right to mount (in a container: --cap-add SYS_ADMIN)"
    elif ! command -v debootstrap >/dev/null && ! command -v apt-get >/dev/null; then
        echo "it needs debootstrap, and no apt-get was found to install it"
    fi
}

# root_mount_point: prints the folder on which root.partial is mounted in the namespaces below. debootstrap accepts no
# path with spaces, and the path of a checkout may have spaces.
root_mount_point() {
    local place
    for place in /mnt /media /srv; do
        if [[ -d $place && $root_prefix/ != "$place"/* ]]; then
            printf '%s' "$place"
            return
        fi
    done
}

# root_namespace COMMAND...: runs a command with root.partial mounted there, without the nodev or noexec of
# its file system. Mounts inside disappear when the command ends.
root_namespace() {
    # shellcheck disable=SC2016
    unshare --mount --propagation private -- bash -c '
        mount --bind "$1" "$2" && mount -o remount,bind,dev,exec,suid "$2" && cd / && shift 2 &&
        exec env -u TMPDIR LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' \
        provision "$root_dir.partial" "$(root_mount_point)" "$@"
}

# root_chroot COMMAND...: runs a command in root.partial.
root_chroot() {
    # shellcheck disable=SC2016
    root_namespace bash -c '
        for d in proc sys dev; do mount --rbind "/$d" "$1/$d" || exit; done
        exec chroot "$1" /usr/bin/env PATH=/usr/sbin:/usr/bin:/sbin:/bin "${@:2}"' \
        chroot "$(root_mount_point)" "$@"
}

root_failed() {
    show_log "$root_log" 12
    if (($(free_mib "$root_prefix") < 50)); then
        die "the disk is full: $root_prefix needs $root_need_mib MiB" \
            "free some space, or set DISTVIEW_PREFIX to a folder on another disk; then run again"
    fi
    die "$1" "the whole log: $root_log" "run the same command again to start afresh"
}

free_mib() { df -Pk -- "$1" | awk 'NR == 2 { print int($4 / 1024) }'; }

# host_apt_setting NAME: prints a value of the host's apt configuration, or nothing.
host_apt_setting() {
    local value=
    eval "$(apt-config shell value "$1" 2>/dev/null || true)"
    printf '%s' "$value"
}

# host_mirrors: prints the Debian archives that the host's package sources name, in their order. They include the mirror
# of a host that reaches the network only through a mirror.
host_mirrors() {
    local files=(/etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources)
    local release
    release=$(. /etc/os-release 2>/dev/null && [[ ${ID:-} == debian ]] &&
        printf '%s' "${VERSION_CODENAME:-}") || return 0
    cat_existing "${files[@]}" | awk -v release="$release" '
        function emit(uris, suites, components,   n, i, u) {
            if ((" " suites " ") !~ (" (" release "|stable|testing|sid|unstable) ")) return
            if ((" " components " ") !~ / main /) return
            n = split(uris, u, " ")
            for (i = 1; i <= n; i++) {
                sub(/\/+$/, "", u[i])
                if (u[i] ~ /^(https?|file):/ && !seen[u[i]]++) print u[i]
            }
        }
        function flush() { if (uris != "") emit(uris, suites, components); uris = "" }
        /^[ \t]*#/ { next }
        /^deb[ \t]/ {
            flush(); line = $0
            sub(/^deb[ \t]+/, "", line); sub(/^\[[^]]*\][ \t]*/, "", line)
            n = split(line, word, /[ \t]+/); rest = ""
            for (i = 3; i <= n; i++) rest = rest " " word[i]
            emit(word[1], word[2], rest); next
        }
        /^[ \t]*$/ { flush(); next }
        /^[A-Za-z-]+:/ {
            key = tolower($1); value = $0; sub(/^[^:]*:[ \t]*/, "", value)
            if (key == "types:" && value !~ /(^| )deb( |$)/) value = ""
            if (key == "uris:") { uris = value }
            if (key == "suites:") suites = value
            if (key == "components:") components = value
        }
        END { flush() }'
}

# cat_existing FILES...: prints the readable files, with an empty line after each, which ends a deb822 paragraph.
cat_existing() {
    local file
    for file in "$@"; do
        if [[ -r $file ]]; then
            cat -- "$file"
            echo
        fi
    done
}

# mirror_serves MIRROR SUITE: whether this archive can be reached and has the suite.
mirror_serves() {
    [[ $1 == file:* ]] && { [[ -e ${1#file:}/dists/$2/Release ]]; return; }
    timeout --foreground 20 wget -q --tries=1 --timeout=10 -O /dev/null "$1/dists/$2/Release" >>"$root_log" 2>&1
}

# choose_mirror: prints the archive to install from; nothing for debootstrap's default archive.
choose_mirror() {
    if [[ -n ${DISTVIEW_DEBIAN_MIRROR:-} ]]; then
        printf '%s' "${DISTVIEW_DEBIAN_MIRROR%/}"
        return
    fi
    local mirror
    while read -r mirror; do
        if mirror_serves "$mirror" "$root_suite"; then
            printf '%s' "$mirror"
            return
        fi
    done < <(host_mirrors)
}

ensure_debootstrap() {
    command -v debootstrap >/dev/null && return
    say "installing debootstrap (the only package that is added to this machine)"
    local install=(timeout --foreground 300 apt-get install -y --no-install-recommends debootstrap)
    DEBIAN_FRONTEND=noninteractive run_logged "$root_log" "${install[@]}" ||
        { run_logged "$root_log" timeout --foreground 120 apt-get update &&
            DEBIAN_FRONTEND=noninteractive run_logged "$root_log" "${install[@]}"; } ||
        root_failed "debootstrap could not be installed (is the package registry reachable?)"
}

# root_remove FOLDER: removes a folder. It fails if anything is mounted inside, and it never crosses to another disk.
root_remove() {
    [[ -e $1 || -L $1 ]] || return 0
    if grep -qF -- " $(readlink -f -- "$1")/" /proc/self/mountinfo; then
        die "something is mounted inside $1: unmount it first (see /proc/self/mountinfo)"
    fi
    rm -rf --one-file-system -- "$1"
}

# root_network_settings: prints the host's apt settings for proxies and checks, which apply inside as well.
root_network_settings() {
    apt-config dump 2>/dev/null |
        grep -E '^Acquire::(Check-|http|https|Retries|ForceIPv|Max-)' || true
}

# root_create: makes $root_dir, or ends with the reason. The caller holds the lock.
root_create() {
    local why partial=$root_dir.partial free mirror proxy began=$SECONDS steps=3
    if [[ $root_choice == trilinos ]]; then steps=2; fi
    why=$(root_impossible)
    [[ -z $why ]] || die "a private Debian root cannot be made: $why"
    root_remove "$partial"
    free=$(free_mib "$root_prefix")
    if [[ -d $root_dir ]]; then free=$((free + $(du -xsm -- "$root_dir" | cut -f 1))); fi
    if ((free < root_need_mib)); then
        die "not enough space in $root_prefix: at most $free MiB are free," \
            "a private $root_title needs $root_need_mib MiB" \
            "free some space, or set DISTVIEW_PREFIX to a folder on another disk; then run again"
    fi
    : >"$root_log"
    mkdir -p "$partial"
    ensure_debootstrap

    proxy=$(host_apt_setting Acquire::http::Proxy)
    if [[ -z ${http_proxy:-} && -n $proxy && $proxy != DIRECT ]]; then export http_proxy=$proxy; fi
    mirror=$(choose_mirror)
    if [[ -n $mirror ]] && ! mirror_serves "$mirror" "$root_suite"; then
        root_failed "$mirror cannot be reached, or has no $root_suite"
    fi

    # Otherwise debootstrap's downloads would wait many minutes for a silent network.
    printf 'tries = 3\ntimeout = 20\n' >"$root_prefix/wgetrc"
    export WGETRC=$root_prefix/wgetrc

    say "making a private $root_title in $root_prefix ($root_takes)"
    say "  1/$steps the base system${mirror:+ from $mirror}"
    # shellcheck disable=SC2086
    run_logged "$root_log" root_namespace timeout --foreground 900 debootstrap --force-check-gpg \
        --variant=minbase --include=ca-certificates "$root_suite" "$(root_mount_point)" $mirror ||
        root_failed "debootstrap failed (is the package registry reachable?)"
    # The old root is removed only now: the archive has answered, even if only debootstrap knows its address.
    root_remove "$root_dir"
    root_configure_apt "$partial" "$mirror"
    say "  2/$steps compilers, CMake, Open MPI, libraries"
    run_logged "$root_log" root_chroot timeout --foreground 900 apt-get update &&
        run_logged "$root_log" root_chroot timeout --foreground 1200 apt-get install -y \
            --no-install-recommends "${root_packages[@]}" ||
        root_failed "the packages of the private root could not be installed"
    if [[ $root_choice != trilinos ]]; then
        say "  $steps/$steps Kokkos"
        mkdir -p "$partial/tmp/distview"
        cp "$distview_lib/unpack_kokkos.sh" "$partial/tmp/distview/"
        run_logged "$root_log" root_chroot bash /tmp/distview/unpack_kokkos.sh / "$mirror" ||
            root_failed "Kokkos could not be unpacked"
    fi

    rm -rf "$partial/tmp/distview" "$partial"/var/cache/apt/archives/*.deb
    printf '%s' "$root_recipe" >"$partial/.distview-root"
    sync -f "$partial" 2>/dev/null || true
    mv -T "$partial" "$root_dir"
    say "the private root is ready ($(duration $((SECONDS - began))))"
}

root_configure_apt() {
    local partial=$1 mirror=$2
    root_network_settings >"$partial/etc/apt/apt.conf.d/90host"
    # dpkg need not sync each of a thousand small files to disk, and manuals are not needed inside.
    printf 'force-unsafe-io\npath-exclude=/usr/share/%s/*\n' man >"$partial/etc/dpkg/dpkg.cfg.d/distview"
    printf 'path-exclude=/usr/share/%s/*\n' doc locale info >>"$partial/etc/dpkg/dpkg.cfg.d/distview"
    printf 'Acquire::Languages "none";\nAPT::Install-Recommends "false";\n' \
        >"$partial/etc/apt/apt.conf.d/80distview"
    # An archive behind the organisation's own certificate.
    if [[ $mirror == https:* && -r /etc/ssl/certs/ca-certificates.crt ]]; then
        cp /etc/ssl/certs/ca-certificates.crt "$partial/etc/ssl/certs/ca-certificates.crt"
    fi
}

# root_add PACKAGES...: adds packages that only one preset or script needs to the finished root.
# The index may be older than the archive. The file .distview-adding exists until all steps have succeeded: an
# interrupted dpkg would refuse everything.
root_add() {
    say "adding to the private root: ${*:-the packages that an earlier command began to add}"
    : >"$root_dir/.distview-adding"
    # shellcheck disable=SC2016
    run_logged "$root_log" unshare --mount --propagation private -- bash -c '
        mount --bind "$1" "$1" && mount -o remount,bind,dev,exec,suid "$1" || exit
        for d in proc sys dev; do mount --rbind "/$d" "$1/$d" || exit; done
        cp -L /etc/resolv.conf "$1/etc/resolv.conf"
        exec chroot "$1" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
            DEBIAN_FRONTEND=noninteractive http_proxy="${http_proxy:-}" \
            https_proxy="${https_proxy:-}" no_proxy="${no_proxy:-}" \
            timeout --foreground 1200 sh -c "
                dpkg --configure -a || apt-get install -y -f
                apt-get install -y --no-install-recommends \"\$@\" || {
                    apt-get update && apt-get install -y --no-install-recommends \"\$@\"; } &&
                    apt-get clean" install "${@:2}"' \
        add "$root_dir" "$@" || root_failed "${*:-packages} could not be installed"
    rm -f "$root_dir/.distview-adding"
}
