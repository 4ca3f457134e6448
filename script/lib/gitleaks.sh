# shellcheck shell=bash
# gitleaks: what the publish gate looks for secrets with.

GITLEAKS_HOME=$CACHE/gitleaks-$GITLEAKS_VERSION

gitleaks_present() {
  [[ -x $GITLEAKS_HOME/gitleaks && $BIN/gitleaks -ef $GITLEAKS_HOME/gitleaks ]] || return 1
  record GITLEAKS_BIN "$BIN/gitleaks"
}

gitleaks_says() { "$1" version 2>/dev/null || true; }

# Each way leaves $BUILD/gitleaks, or fails.
gitleaks_of_machine() {
  local found
  found=$(command -v gitleaks) || return 1
  [[ $(gitleaks_says "$found") == "$GITLEAKS_VERSION" ]] || return 1
  say "copying $found, which is $GITLEAKS_VERSION"
  cp -L "$found" "$BUILD/gitleaks"
}

gitleaks_official() {
  local tarball
  tarball=$DOWNLOADS/gitleaks_${GITLEAKS_VERSION}_linux_$(arch_node).tar.gz
  fetch_checked "https://github.com/gitleaks/gitleaks/releases/download/v$GITLEAKS_VERSION/${tarball##*/}" \
    "$tarball" "$(pinned GITLEAKS_TARBALL_SHA256)" || return 1
  tar -xzf "$tarball" -C "$BUILD" gitleaks
}

gitleaks_module() {
  local module=github.com/zricethezav/gitleaks/v8 src=$BUILD/gitleaks-src
  go_source "$module" "$GITLEAKS_VERSION" "$GITLEAKS_MODULE_SUM" "$src" || return 1
  say "compiling the Go module, one to three minutes"
  go_compile gitleaks-build "$src" "$BUILD/gitleaks" . -v \
    -ldflags "-s -w -X $module/version.Version=$GITLEAKS_VERSION" || return 1
  rm -rf "$src"
}

gitleaks_bring() {
  rm -f "$BUILD/gitleaks"
  gitleaks_of_machine || gitleaks_official || gitleaks_module ||
    die "no gitleaks $GITLEAKS_VERSION to be had" "install it from https://github.com/gitleaks/gitleaks and run this again"
  chmod 0755 "$BUILD/gitleaks"
  [[ $(gitleaks_says "$BUILD/gitleaks") == "$GITLEAKS_VERSION" ]] ||
    die "expected gitleaks $GITLEAKS_VERSION, it says: $(gitleaks_says "$BUILD/gitleaks")"
  mkdir -p "$GITLEAKS_HOME"
  mv -f "$BUILD/gitleaks" "$GITLEAKS_HOME/gitleaks"
  ln -sfn "$GITLEAKS_HOME/gitleaks" "$BIN/gitleaks"
}

bootstrap_gitleaks() { step "gitleaks $GITLEAKS_VERSION" gitleaks_present gitleaks_bring; }
