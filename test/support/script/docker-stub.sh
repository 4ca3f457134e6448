#!/bin/bash
# An engine without an engine: it knows images by name, with the hash that they were built with. Files of $ROOT/engine say
# what it is like: `down`, `buildx`, `context` with an address, an image in each other one.
echo "docker $*" >>"$CALLS"
there() { [[ -f $ROOT/engine/$1 ]]; }
file() { echo "$ROOT/engine/${1//\//%}"; }

case "$1 ${2-}" in
  'buildx version') there buildx && exit ;;
  'context inspect') ! there context || cat "$ROOT/engine/context"; exit 0 ;;
esac
! there down || exit 1
case "$1 ${2-}" in
  'image inspect')
    [[ -f $(file "${!#}") ]] || exit 1
    case $* in
      *content-hash*) cat "$(file "${!#}")" ;;
      *.Id*) echo sha256:0123456789abcdef ;;
    esac
    ;;
  tag\ *) cp "$(file "$2")" "$(file "$3")" ;;
  build\ * | 'buildx build')
    echo "DOCKER_BUILDKIT=${DOCKER_BUILDKIT-} BUILDX_BUILDER=${BUILDX_BUILDER-}" >>"$ROOT/build-env"
    names=()
    while (($# > 0)); do
      case $1 in
        bot-bottle.content-hash=*) hash=${1#*=} ;;
        -t) names+=("$2") ;;
      esac
      shift
    done
    for name in "${names[@]}"; do echo "$hash" >"$(file "$name")"; done
    ;;
  version\ *) echo 20.10 ;;
  *) exit 1 ;;
esac
