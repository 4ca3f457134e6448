# shellcheck shell=bash
# Temporal's server, its tool for databases and its pages, as docker-compose.yml runs them. The publisher has them as
# images only, so they are compiled. What stands in for those images in a test is made of it: script/images stand-ins.

TEMPORAL_SERVER_HOME=$CACHE/temporal-server-$TEMPORAL_SERVER_VERSION-ui-$TEMPORAL_UI_VERSION

temporal_server_present() { [[ -f $TEMPORAL_SERVER_HOME/complete ]]; }

temporal_server_bring() {
  local dir=$BUILD/temporal-server src=$BUILD/temporal-src
  local options=("${GO_UNOPTIMIZED[@]}" -ldflags '-s -w')
  rm -rf "$dir"
  mkdir -p "$dir"
  go_source go.temporal.io/server "$TEMPORAL_SERVER_VERSION" "$TEMPORAL_SERVER_MODULE_SUM" "$src" ||
    die "no Temporal server $TEMPORAL_SERVER_VERSION to be had"
  say "compiling Temporal's server, three to six minutes"
  go_compile temporal-server-build "$src" "$dir/temporal-server" ./cmd/server -tags disable_grpc_modules "${options[@]}" ||
    die "Temporal's server can't be compiled"
  say "compiling its tool for databases"
  go_compile temporal-sql-tool-build "$src" "$dir/temporal-sql-tool" ./cmd/tools/sql -tags disable_grpc_modules "${options[@]}" ||
    die "Temporal's tool for databases can't be compiled"
  mkdir -p "$dir/schema/postgresql"
  cp -r "$src/schema/postgresql/v12" "$dir/schema/postgresql/"
  cp "$src/docker/scripts/sh/entrypoint.sh" "$dir/"
  go_source github.com/temporalio/ui-server/v2 "$TEMPORAL_UI_VERSION" "$TEMPORAL_UI_MODULE_SUM" "$src" ||
    die "no Temporal UI $TEMPORAL_UI_VERSION to be had"
  say "compiling Temporal's pages, less than a minute"
  go_compile temporal-ui-build "$src" "$dir/ui-server" ./cmd/server "${options[@]}" || die "Temporal's pages can't be compiled"
  mkdir -p "$dir/ui"
  cp "$src/config/docker.yaml" "$src/docker/start-ui-server.sh" "$dir/ui/"
  rm -rf "$src"
  chmod -R u=rwX,go=rX "$dir"
  touch "$dir/complete"
  rm -rf "$TEMPORAL_SERVER_HOME"
  mv "$dir" "$TEMPORAL_SERVER_HOME"
}

bootstrap_temporal_server() { step "temporal server $TEMPORAL_SERVER_VERSION" temporal_server_present temporal_server_bring; }
