# shellcheck shell=bash
# What the test of the forge's client reads of Forgejo: the document of its API, the structs of its deliveries, some words.

FORGEJO_HOME=$CACHE/forgejo-$FORGEJO_VERSION
FORGEJO_READ=(templates/swagger/v1_json.tmpl modules/structs modules/webhook models/issues/comment.go
  routers/api/v1/utils/hook.go services/webhook/shared/payloader.go)

forgejo_present() {
  [[ -f $FORGEJO_HOME/complete ]] || return 1
  record FORGEJO_SOURCE "$FORGEJO_HOME"
}

forgejo_bring() {
  local dir=$BUILD/forgejo src=$BUILD/forgejo-src
  go_source codeberg.org/forgejo/forgejo "$FORGEJO_VERSION" "$FORGEJO_MODULE_SUM" "$src" ||
    die "no source of Forgejo $FORGEJO_VERSION to be had"
  rm -rf "$dir"
  mkdir -p "$dir"
  (cd "$src" && cp -r --parents "${FORGEJO_READ[@]}" "$dir") || die "Forgejo $FORGEJO_VERSION has not the files that are read"
  rm -rf "$src"
  touch "$dir/complete"
  rm -rf "$FORGEJO_HOME"
  mv "$dir" "$FORGEJO_HOME"
}

# Only a test reads it, and is skipped without it.
bootstrap_forgejo() {
  (step "source of forgejo $FORGEJO_VERSION" forgejo_present forgejo_bring) ||
    warn "the source of Forgejo can't be had here; the test that reads it is skipped"
}
