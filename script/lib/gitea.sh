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
  local name url
  name=gitea-$GITEA_VERSION-linux-$(arch_go)
  url=https://dl.gitea.com/gitea/$GITEA_VERSION/$name
  fetch_published "$url" "$DOWNLOADS/$name" "$(pinned GITEA_BINARY_SHA256)" || return 1
  cp "$DOWNLOADS/$name" "$1/gitea"
}

gitea_module() {
  local dir=$1 src=$BUILD/gitea-src
  have gcc || apt_install "Gitea's SQLite is C" gcc libc6-dev
  go_source code.gitea.io/gitea "$GITEA_VERSION" "$GITEA_MODULE_SUM" "$src" || return 1
  say "compiling the Go module, two to five minutes"
  CGO_ENABLED=1 go_compile gitea-build "$src" "$dir/gitea" . -v -tags "$GITEA_TAGS" \
    -ldflags "-s -w -X \"main.Version=$GITEA_VERSION\" -X \"main.Tags=$GITEA_TAGS\"" || return 1
  mkdir -p "$dir/static"
  mv "$src/options" "$src/templates" "$src/public" "$dir/static/" || return 1
  rm -rf "$src"
}

gitea_bring() {
  local dir=$BUILD/gitea way found=0
  for way in gitea_of_machine gitea_official gitea_module; do
    rm -rf "$dir"
    mkdir -p "$dir"
    if "$way" "$dir"; then found=1 && break; fi
  done
  ((found)) || die "no Gitea $GITEA_VERSION to be had"
  chmod 0755 "$dir/gitea"
  [[ $(gitea_says "$dir/gitea") == "gitea version $GITEA_VERSION "* ]] || die "it isn't Gitea $GITEA_VERSION: $(gitea_says "$dir/gitea")"
  touch "$dir/complete"
  rm -rf "$GITEA_HOME"
  mv "$dir" "$GITEA_HOME"
  ln -sfn "$GITEA_HOME/gitea" "$BIN/gitea"
}

bootstrap_gitea() { step "gitea $GITEA_VERSION" gitea_present gitea_bring; }
