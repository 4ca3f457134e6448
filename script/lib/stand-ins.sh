# shellcheck shell=bash
# Images that stand in for those of others which docker-compose.yml names, so that a test can start it where no image
# registry answers. They hold the same programs, or Debian's; a user never runs them.

image_stand_ins() {
  "$ROOT/script/bootstrap" --quiet --only temporal,temporal-server,gitea || die "what the stand-ins hold can't be had"
  # shellcheck source=script/lib/temporal-server.sh
  source "$ROOT/script/lib/temporal-server.sh"

  stand_in_stage postgres
  stand_in default

  stand_in_stage temporal-server
  stand_in_files "$TEMPORAL_SERVER_HOME"/{temporal-server,entrypoint.sh}
  stand_in default

  stand_in_stage temporal-admin-tools
  stand_in_files "$TEMPORAL_SERVER_HOME/temporal-sql-tool" "$BIN/temporal"
  cp -r "$TEMPORAL_SERVER_HOME/schema" "$STAGE/schema"
  stand_in default

  stand_in_stage temporal-ui
  stand_in_files "$TEMPORAL_SERVER_HOME/ui-server" "$TEMPORAL_SERVER_HOME"/ui/{start-ui-server.sh,docker.yaml}
  stand_in none

  stand_in_stage gitea
  stand_in_files "$BIN/gitea"
  mkdir "$STAGE/static"
  # The publisher's program holds them itself.
  [[ ! -d $CACHE/gitea-$GITEA_VERSION/static ]] || cp -r "$CACHE/gitea-$GITEA_VERSION/static/." "$STAGE/static"
  stand_in none
}

# stand_in_stage <name>: STAGE with what images/stand-ins has of it.
stand_in_stage() {
  STAND_IN=$1
  new_stage "stand-in-$1"
  cp "$ROOT/images/stand-ins/$1/"* "$STAGE/"
}

stand_in_files() {
  local file
  for file in "$@"; do cp -L "$file" "$STAGE/"; done
}

# stand_in <network>: builds it from STAGE, which has hundreds of megabytes.
stand_in() {
  local file
  chmod -R u=rwX,go=rX "$STAGE"
  # A module's archive keeps no modes.
  for file in "$STAGE"/entrypoint "$STAGE"/*.sh; do [[ ! -f $file ]] || chmod 0755 "$file"; done
  build_image "bot-bottle/stand-in-$STAND_IN:dev" "stand-in-$STAND_IN" "$1" "$(content_hash "$BASE_HASH")" --build-arg "FROM=$BASE_IMAGE"
  rm -rf "$STAGE"
}
