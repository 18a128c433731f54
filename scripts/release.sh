#!/bin/bash
# Builds a release below dist/: static programs for five platforms, archives with man
# pages and completions, deb and rpm, the bill of materials, the image's file system and
# checksums. Equal sources give equal programs.
set -euo pipefail
cd "$(dirname "$0")/.."
export CGO_ENABLED=0
version=$(cat VERSION)
# The files of packages get the time of the newest commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 0)}
export SOURCE_DATE_EPOCH
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64}
nfpm=${NFPM:-github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.43.4}
license=MIT

rm -rf dist
mkdir -p dist/stage/completion
host=dist/stage/host
go build -trimpath -ldflags "-s -w -X membench/cli.release=$version" -o $host ./cmd/membench
go run -C tools ./clidocs -man ../dist/stage/man
gzip -9n dist/stage/man/*.1
for shell in bash zsh fish powershell; do $host completion $shell > dist/stage/completion/membench.$shell; done

for p in $platforms; do
  os=${p%/*} arch=${p#*/}
  name=membench-$version-$os-$arch
  mkdir -p dist/$name
  ext=; [ $os != windows ] || ext=.exe
  echo "dist/$name" >&2
  GOOS=$os GOARCH=$arch go build -trimpath -ldflags "-s -w -X membench/cli.release=$version" -o dist/$name/membench$ext ./cmd/membench
  cp -R dist/stage/man dist/stage/completion LICENSE CHANGELOG.md README.md dist/$name/
  if [ $os = windows ]; then
    (cd dist && python3 -m zipfile -c $name.zip $name)
  else
    tar -C dist --sort=name --owner=0 --group=0 --mtime=@"$SOURCE_DATE_EPOCH" -czf dist/$name.tar.gz $name
  fi
  if [ $os = linux ]; then
    for form in deb rpm; do
      cp dist/$name/membench dist/stage/membench
      ARCH=$arch VERSION=$version LICENSE=$license go run $nfpm package --config packaging/nfpm.yaml --packager $form --target dist/ >&2
    done
  fi
done
go run -C tools ./sbom "../$host" "$version" > dist/membench-$version.cdx.json

mkdir -p dist/rootfs/etc/ssl/certs dist/rootfs/data dist/rootfs/tmp
chmod 1777 dist/rootfs/tmp dist/rootfs/data
cp $host dist/rootfs/membench
certs=/etc/ssl/certs/ca-certificates.crt
[ ! -f $certs ] || cp $certs dist/rootfs/etc/ssl/certs/
rm -rf dist/stage
(cd dist && find . -maxdepth 1 -type f ! -name SHA256SUMS -printf "%f\n" | sort | xargs sha256sum -- > SHA256SUMS)
cat dist/SHA256SUMS
