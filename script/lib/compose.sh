# shellcheck shell=bash
# Docker Compose, for the tests of docker-compose.yml: $BIN/docker-compose, which does what `docker compose` does.

COMPOSE_HOME=$CACHE/compose-$COMPOSE_VERSION

# compose_will_do <program>: the generation that `docker compose` is; 1 was another program.
compose_will_do() { [[ -x $1 && $("$1" version --short 2>/dev/null) =~ ^v?([2-9]|[1-9][0-9])\. ]]; }

compose_present() { compose_will_do "$BIN/docker-compose"; }

# Each way leaves a program that COMPOSE_FOUND names, or fails.
compose_of_machine() {
  have docker || return 1
  COMPOSE_FOUND=$(docker info --format '{{range .ClientInfo.Plugins}}{{if eq .Name "compose"}}{{.Path}}{{end}}{{end}}' 2>/dev/null)
  compose_will_do "$COMPOSE_FOUND" || return 1
  say "$COMPOSE_FOUND is $("$COMPOSE_FOUND" version --short)"
}

compose_official() {
  local name file
  name=docker-compose-linux-$(uname -m)
  file=$DOWNLOADS/$name-$COMPOSE_VERSION
  fetch_published "https://github.com/docker/compose/releases/download/v$COMPOSE_VERSION/$name" "$file" \
    "$(pinned COMPOSE_BINARY_SHA256)" || return 1
  compose_keep "$file"
}

compose_module() {
  local src=$BUILD/compose-src module=github.com/docker/compose/v2
  go_source "$module" "$COMPOSE_VERSION" "$COMPOSE_MODULE_SUM" "$src" || return 1
  say "compiling Docker Compose, one to three minutes"
  go_compile compose-build "$src" "$BUILD/docker-compose" ./cmd "${GO_UNOPTIMIZED[@]}" \
    -ldflags "-s -w -X $module/internal.Version=v$COMPOSE_VERSION" || return 1
  rm -rf "$src"
  compose_keep "$BUILD/docker-compose" || return 1
  rm -f "$BUILD/docker-compose"
}

compose_keep() {
  mkdir -p "$COMPOSE_HOME"
  COMPOSE_FOUND=$COMPOSE_HOME/docker-compose
  install -m 0755 "$1" "$COMPOSE_FOUND"
}

compose_bring() {
  COMPOSE_FOUND=''
  compose_of_machine || compose_official || compose_module ||
    die "no Docker Compose $COMPOSE_VERSION to be had" "install it from https://docs.docker.com/compose/install/ and run this again"
  ln -sfn "$COMPOSE_FOUND" "$BIN/docker-compose"
}

bootstrap_compose() { step "docker compose" compose_present compose_bring; }
