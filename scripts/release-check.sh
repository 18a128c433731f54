#!/bin/bash
# Holds a release to what it promises. Programs of every platform: their form, processor
# and libraries (tools/relcheck), the checksums. Of this machine: the deb installs into a
# root of its own and is removed without a trace, the image's file system runs by itself
# as nobody. Of linux/arm64: the deb is unpacked and its program makes the demo in a root
# of its own under qemu, to the same bytes. Needs root (chroot) and dpkg; qemu-aarch64-static
# (apt-get install qemu-user-static, or QEMU=PATH) for the last.
#
#   PLATFORMS="linux/amd64 linux/arm64" scripts/release-check.sh
#   DIST=FOLDER scripts/release-check.sh       what was built before
set -euo pipefail
cd "$(dirname "$0")/.."
host=linux-$(go env GOARCH)
if [ -z "${DIST:-}" ]; then
  PLATFORMS=${PLATFORMS:-linux/$(go env GOARCH)} scripts/release.sh > /dev/null
  DIST=dist
fi
DIST=$(realpath "$DIST")
[ ! -f "$DIST/SHA256SUMS" ] || (cd "$DIST" && sha256sum --quiet -c SHA256SUMS)
go run -C tools ./relcheck "$DIST"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-script-chrootless --log=/dev/null -i "$DIST"/*_"${host#linux-}".deb > /dev/null
"$root/usr/bin/membench" --version
[ -f "$root/usr/share/man/man1/membench-eval-run.1.gz" ]
[ -f "$root/usr/share/bash-completion/completions/membench" ]
# The demo of this machine's program, for the image's and the other processor's to equal.
(cd "$work" && "$root/usr/bin/membench" demo -o demo -q > /dev/null)
dpkg --root="$root" --force-script-chrootless --log=/dev/null -r membench > /dev/null
left=$(find "$root/usr" -type f 2>/dev/null || true)
[ -z "$left" ] || { echo "release-check: removing left $left" >&2; exit 1; }

if [ -d "$DIST/rootfs" ]; then
  cp -a "$DIST/rootfs" "$work/image"
  chroot --userspec=65534:65534 "$work/image" /membench --version
  chroot --userspec=65534:65534 "$work/image" /membench demo -o /data/demo -q > /dev/null
  diff -r "$work/demo/graph" "$work/image/data/demo/graph"
fi

qemu=${QEMU:-$(command -v qemu-aarch64-static || true)}
deb=$(find "$DIST" -maxdepth 1 -name '*_arm64.deb')
if [ "$host" != linux-arm64 ] && [ -n "$deb" ]; then
  if [ -z "$qemu" ]; then
    echo "release-check: qemu-aarch64-static is not installed: the program for linux/arm64 was not run" >&2
  else
    other=$work/arm64
    dpkg-deb -x "$deb" "$other"
    mkdir -p "$other/tmp"
    cp "$qemu" "$other/qemu"
    chroot "$other" /qemu /usr/bin/membench --version
    chroot "$other" /qemu /usr/bin/membench demo -o /tmp/demo -q > /dev/null
    diff -r "$work/demo/graph" "$other/tmp/demo/graph"
    diff -r "$work/demo/cypher" "$other/tmp/demo/cypher"
    echo "release-check: linux/arm64 makes the bytes of $host"
  fi
fi
echo "release-check: the programs, deb, image and checksums hold"
