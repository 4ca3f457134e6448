# shellcheck shell=bash
# Programs compiled from Go modules, where nobody's binary can be had.

# go_source <module> <version> <sum> <directory>: the module's source, to be built as the main module, so that its own
# replace lines and go.sum are in force. Go checks what it downloads against its public log; the sum here pins it.
go_source() {
  local module=$1 version=$2 sum=$3 dir=$4 info found log=$LOGS/go-module.log
  go_for_gitea || return 1
  rm -rf "$dir"
  mkdir -p "$dir"
  info=$(cd "$dir" && go mod download -json "$module@v$version" 2>"$log") || { tail -n 5 "$log" >&2; return 1; }
  [[ $(json_field Sum <<<"$info") == "$sum" ]] || { warn "the sum of $module isn't the expected one"; return 1; }
  found=$(json_field Dir <<<"$info")
  cp -r "$found/." "$dir"
  chmod -R u+w "$dir"
}

# go_compile <log> <directory> <program> <package> [option…]: one static program.
go_compile() {
  local log=$1 dir=$2 program=$3 package=$4
  shift 4
  (cd "$dir" && CGO_ENABLED=0 logged "$log" go build -trimpath -buildvcs=false "$@" -o "$program" "$package")
}
