#!/bin/bash
# Holds a release for this platform to what it promises: the deb installs into a root of
# its own and is removed without a trace, the image's file system runs by itself as nobody,
# the checksums hold. Needs root (chroot) and dpkg.
set -euo pipefail
cd "$(dirname "$0")/.."
PLATFORMS=linux/$(go env GOARCH) scripts/release.sh > /dev/null
(cd dist && sha256sum --quiet -c SHA256SUMS)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root
mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
touch "$root/var/lib/dpkg/status"
dpkg --root="$root" --force-script-chrootless --log=/dev/null -i dist/*.deb > /dev/null
"$root/usr/bin/membench" --version
[ -f "$root/usr/share/man/man1/membench-eval-run.1.gz" ]
[ -f "$root/usr/share/bash-completion/completions/membench" ]
dpkg --root="$root" --force-script-chrootless --log=/dev/null -r membench > /dev/null
left=$(find "$root/usr" -type f 2>/dev/null || true)
[ -z "$left" ] || { echo "release-check: removing left $left" >&2; exit 1; }
cp -a dist/rootfs "$work/image"
chroot --userspec=65534:65534 "$work/image" /membench --version
chroot --userspec=65534:65534 "$work/image" /membench demo -o /data/demo -q > /dev/null
[ -s "$work/image/data/demo/graph/nodes.jsonl" ]
echo "release-check: deb, image and checksums hold"
