# shellcheck shell=bash
# Builds images that are known by the hash of what went into them, so that nothing unchanged is rebuilt.

NODE_HOME=$CACHE/node-$IMAGE_NODE_VERSION
ROOTFS_TAR=$CACHE/debian-$DEBIAN_SUITE.tar

BASE_IMAGE=bot-bottle/base:bookworm
AGENT_BASE_IMAGE=bot-bottle/agent-base:dev
MODULES_IMAGE=bot-bottle/orchestrator-modules:dev
DEBIAN_IMPORT=bot-bottle/debian:$DEBIAN_SUITE

# --- npm packages, and Node for the images ---------------------------------------------------------

# npm_package <package> <version> <sum>: downloads what the registry has of it; its path in TARBALL.
npm_package() {
  local name=${1#@} version=$2 sum=$3 dir
  name=${name//\//-}-$version.tgz
  TARBALL=$DOWNLOADS/$name
  [[ -n $sum ]] || die "no sum is known for the npm package $1 on this processor"
  [[ -f $TARBALL && $(sha256_of "$TARBALL") == "$sum" ]] && return 0
  say "the npm package $1@$version"
  dir=$(mktemp -d "$BUILD/npm.XXXXXX")
  logged npm-pack npm pack --silent --pack-destination "$dir" "$1@$version" || die "npm pack $1@$version failed"
  check_sha256 "$dir/$name" "$sum" || die "the npm package $1@$version isn't what it should be"
  mv "$dir/$name" "$TARBALL"
  rm -rf "$dir"
}

# node_for_images: $NODE_HOME/bin/node and $NODE_HOME/include/node.
node_for_images() {
  local dir
  [[ -x $NODE_HOME/bin/node ]] && return 0
  local QUIET=0
  npm_package "node-linux-$(arch_node)" "$IMAGE_NODE_VERSION" "$(pinned IMAGE_NODE_SHA256)"
  dir=$(mktemp -d "$BUILD/node.XXXXXX")
  tar -xzf "$TARBALL" -C "$dir" package/bin/node package/include/node
  chmod 0755 "$dir/package/bin/node"
  rm -rf "$NODE_HOME"
  mv "$dir/package" "$NODE_HOME"
  rm -rf "$dir"
}

# --- Debian for the images ------------------------------------------------------------------------

# Prints the name of an image with Debian in it: the pinned one of a registry, else one that is made here.
debian_image() {
  if image_exists "$DEBIAN_IMAGE"; then echo "$DEBIAN_IMAGE"; return 0; fi
  if image_exists "$DEBIAN_IMPORT"; then echo "$DEBIAN_IMPORT"; return 0; fi
  if logged docker-pull timeout 300 docker pull -q "$DEBIAN_IMAGE" 2>/dev/null; then echo "$DEBIAN_IMAGE"; return 0; fi
  say "no image registry answers: making Debian $DEBIAN_SUITE from its packages" >&2
  [[ -f $ROOTFS_TAR ]] || make_rootfs >&2
  docker import "$ROOTFS_TAR" "$DEBIAN_IMPORT" >/dev/null || die "the engine doesn't take the Debian in $ROOTFS_TAR"
  echo "$DEBIAN_IMPORT"
}

# debootstrap is only unpacked, not installed; it checks Debian's signatures with the machine's keyring.
make_rootfs() {
  local dir=$BUILD/rootfs tool=$BUILD/debootstrap mirror
  { is_root && is_debian; } || die "an image registry, or root on Debian, is needed to make the base image"
  if [[ ! -f $tool/usr/sbin/debootstrap ]]; then
    rm -f "$BUILD"/debootstrap_*.deb
    if ! (cd "$BUILD" && apt-get download debootstrap >"$LOGS/apt-download.log" 2>&1); then
      logged apt-update apt-get update || die "the package lists can't be brought up to date"
      (cd "$BUILD" && logged apt-download apt-get download debootstrap) || die "debootstrap can't be downloaded"
    fi
    rm -rf "$tool.part"
    dpkg -x "$(echo "$BUILD"/debootstrap_*.deb)" "$tool.part" || die "debootstrap can't be unpacked"
    rm -rf "$tool"
    mv "$tool.part" "$tool" || die "debootstrap can't be put into $tool"
    rm -f "$BUILD"/debootstrap_*.deb
  fi
  # shellcheck disable=SC2016  # apt fills these in
  mirror=$(apt-get indextargets --format '$(CODENAME) $(COMPONENT) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
    awk -v suite="$DEBIAN_SUITE" '$1 == suite && $2 == "main" { print $3; exit }')
  rm -rf "$dir"
  say "debootstrap, about half a minute"
  # shellcheck disable=SC2086  # without a mirror it takes Debian's own
  logged debootstrap env DEBOOTSTRAP_DIR="$tool/usr/share/debootstrap" sh "$tool/usr/sbin/debootstrap" \
    --variant=minbase "--include=${DEBIAN_PACKAGES// /,}" "$DEBIAN_SUITE" "$dir" $mirror || die "debootstrap failed"
  tar -C "$dir" --numeric-owner -cf "$ROOTFS_TAR.part" \
    --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/info/*' \
    --exclude='./usr/share/locale/*' --exclude='./var/lib/apt/lists/*' --exclude='./var/cache/apt/*' \
    --exclude='./var/log/*' --exclude='./dev/*' --exclude='./proc/*' --exclude='./sys/*' . ||
    die "Debian can't be packed into $ROOTFS_TAR"
  mv "$ROOTFS_TAR.part" "$ROOTFS_TAR" || die "Debian can't be put into $ROOTFS_TAR"
  rm -rf "$dir"
}

# --- building -------------------------------------------------------------------------------------

image_exists() { docker image inspect "$1" >/dev/null 2>&1; }
image_id() { docker image inspect --format '{{.Id}}' "$1" 2>/dev/null; }
image_hash() { docker image inspect --format '{{index .Config.Labels "bot-bottle.content-hash"}}' "$1" 2>/dev/null; }

# new_stage <name>: an empty directory to be the build context; its path in STAGE.
new_stage() {
  STAGE=$BUILD/stage-$1
  rm -rf "$STAGE"
  mkdir -p "$STAGE"
}

# Contents, names and modes of everything in the context, and the words given. A file `node` there is that of $NODE_HOME.
content_hash() {
  {
    printf '%s\n' "$@"
    (cd "$STAGE" && find . -printf '%P %y %m %l\n' | sort &&
      find . -type f ! -path ./node -print0 | sort -z | xargs -0 -r sha256sum &&
      if [[ -f node ]]; then printf '%s  ./node\n' "$(node_sum)"; fi)
  } | sha256sum | cut -c1-16
}

# Kept for as long as it is the same file: each call of this script asks, and 120 MB take longer than all the rest of it.
node_sum() {
  local file=$NODE_HOME/bin/node known=$NODE_HOME/node.sum of
  of=$(stat -c '%i %s %y' "$file")
  if [[ ! -f $known || $(<"$known") != "$of "* ]]; then
    printf '%s %s\n' "$of" "$(sha256_of "$file")" >"$known.part"
    mv "$known.part" "$known"
  fi
  of=$(<"$known")
  printf '%s' "${of##* }"
}

# Whether build_image would find the image made already.
is_built() { [[ $(image_hash "$1") == "$2" ]] || image_exists "${1%:*}:$2"; }

# build_image <image:tag> <title> <network> <hash> [option…]: from STAGE, unless that image has that hash.
build_image() {
  local image=$1 title=$2 network=$3 hash=$4 t0 how=()
  shift 4
  t0=$(now_ms)
  if [[ $(image_hash "$image") == "$hash" ]]; then
    report "$image" "unchanged" "$t0"
    return 0
  fi
  if image_exists "${image%:*}:$hash"; then
    docker tag "${image%:*}:$hash" "$image"
    report "$image" "tagged again" "$t0"
    return 0
  fi
  local QUIET=0
  say "building $image"
  [[ $network == none ]] && how+=(--network none)
  logged "image-$title" builder_env docker build ${how[@]+"${how[@]}"} "$@" \
    --label "org.opencontainers.image.title=bot-bottle $title" \
    --label "org.opencontainers.image.version=$hash" \
    --label "org.opencontainers.image.revision=$(git -C "$ROOT" rev-parse -q --verify HEAD 2>/dev/null || echo none)" \
    --label "bot-bottle.content-hash=$hash" \
    -t "$image" -t "${image%:*}:$hash" "$STAGE" || die "building $image failed"
  report "$image" "built" "$t0"
}

report() { headline "$(printf '%-36s %-12s %s … %s' "$1" "$2" "$(image_id "$1" | cut -c1-19)" "$(seconds_since "$3")")"; }

# Writes which images there are now, so that a run's image id can be told from its inputs later.
# record_images <file>
record_images() {
  local image separator=''
  {
    printf '['
    for image in "$BASE_IMAGE" "$AGENT_BASE_IMAGE" bot-bottle/agent-{scripted,claude,codex,pi,opencode}:dev \
      bot-bottle/bundle:dev "$MODULES_IMAGE" bot-bottle/orchestrator:dev; do
      image_exists "$image" || continue
      printf '%s\n  {"name": "%s", "id": "%s", "inputs": "%s"}' "$separator" "$image" "$(image_id "$image")" "$(image_hash "$image")"
      separator=,
    done
    printf '\n]\n'
  } >"$1.part"
  mv "$1.part" "$1"
}

have_buildx() { [[ ${DOCKER_BUILDKIT:-1} != 0 ]] && docker buildx version >/dev/null 2>&1; }

# The engine of a distribution's package has no buildx; its classic builder does these files as well. With buildx it is the
# engine's own builder, also where somebody selected another: one in a container has none of the images that ours stand on.
builder_env() {
  if have_buildx; then env -u BUILDX_BUILDER DOCKER_BUILDKIT=1 "$@"; else DOCKER_BUILDKIT=0 "$@"; fi
}

# --- the images -----------------------------------------------------------------------------------

image_base() {
  local from network=default hash
  node_for_images
  new_stage base
  cp "$ROOT/images/base/Dockerfile" "$STAGE/"
  ln "$NODE_HOME/bin/node" "$STAGE/node" 2>/dev/null || cp "$NODE_HOME/bin/node" "$STAGE/node"
  # Not of the Debian underneath: an image made at another time or place would otherwise never be found again.
  hash=$(content_hash "$DEBIAN_IMAGE" "$DEBIAN_PACKAGES")
  BASE_HASH=$hash
  if [[ $(image_hash "$BASE_IMAGE") == "$hash" ]]; then
    from=$BASE_IMAGE
  else
    from=$(QUIET=0 && debian_image)
  fi
  [[ $from == "$DEBIAN_IMPORT" ]] && network=none
  # It is only built where there is none, as after its removal for Debian's updates: a step of before would bring the old ones.
  build_image "$BASE_IMAGE" base "$network" "$hash" --no-cache --build-arg "FROM=$from" --build-arg "PACKAGES=$DEBIAN_PACKAGES"
}

# dist/ as the sources are now. The lock is inherited.
compiled_product() {
  "$ROOT/script/bootstrap" --quiet --only node,build || die "the product can't be compiled, so there is nothing to put into $1"
}

image_bundle() {
  compiled_product bot-bottle/bundle
  new_stage bundle
  cp "$ROOT/images/bundle/Dockerfile" "$ROOT"/dist/bundle/*.mjs "$STAGE/"
  chmod 0644 "$STAGE"/*.mjs
  build_image bot-bottle/bundle:dev bundle none "$(content_hash "$BASE_HASH")" --build-arg "FROM=$BASE_IMAGE"
}

# Two images, so that a change of the product costs a second and not the compiling of its modules.
image_orchestrator() {
  compiled_product bot-bottle/orchestrator
  image_orchestrator_modules
  "$ROOT/script/bootstrap" --quiet --only gitleaks || die "without gitleaks the service can't scan what it publishes"
  new_stage orchestrator
  cp "$ROOT/images/orchestrator/Dockerfile" "$ROOT/package.json" "$STAGE/"
  cp -L "$BIN/gitleaks" "$STAGE/gitleaks"
  cp -r "$ROOT/dist" "$STAGE/dist"
  cp -r "$ROOT/manifests" "$STAGE/manifests"
  rm "$STAGE/dist/${BUILD_STAMP##*/}"
  chmod -R u=rwX,go=rX "$STAGE"
  build_image bot-bottle/orchestrator:dev orchestrator none "$(content_hash "$MODULES_HASH")" --build-arg "FROM=$MODULES_IMAGE"
}

image_orchestrator_modules() {
  new_stage orchestrator-modules
  cp "$ROOT/images/orchestrator/modules.Dockerfile" "$STAGE/Dockerfile"
  cp "$ROOT/package-lock.json" "$STAGE/"
  chmod 0644 "$STAGE"/*
  # The lock file stands for what production_modules adds.
  MODULES_HASH=$(content_hash "$BASE_HASH")
  if ! is_built "$MODULES_IMAGE" "$MODULES_HASH"; then
    local QUIET=0
    say "the service's modules, once for each lock file: two or three minutes"
    production_modules
  fi
  build_image "$MODULES_IMAGE" orchestrator-modules default "$MODULES_HASH" --build-arg "FROM=$BASE_IMAGE"
}

# Of the npm that runs: the global modules are elsewhere where somebody has set a prefix.
npm_directory() {
  local program
  # shellcheck disable=SC2016  # npm's own variable, for what it starts
  program=$(npm exec --offline --loglevel=error -c 'printf %s "$npm_execpath"') || return 1
  dirname "$(dirname "$program")"
}

# Adds to STAGE what the modules' Dockerfile compiles with. No package's script runs on this machine.
production_modules() {
  local release npm
  cp "$ROOT/package.json" "$STAGE/"
  npm_locked "$STAGE" npm-production --omit=dev --ignore-scripts || die "the production modules can't be installed"
  # The SDK carries its native part for every system; the image has use for one.
  for release in "$STAGE"/node_modules/@temporalio/core-bridge/releases/*; do
    [[ ${release##*/} == "$(uname -m)"-*linux-gnu ]] || rm -rf "$release"
  done
  mkdir -p "$STAGE/tools/node/include"
  cp -r "$NODE_HOME/include/node" "$STAGE/tools/node/include/node"
  npm=$(npm_directory)
  [[ -f $npm/node_modules/node-gyp/bin/node-gyp.js ]] || die "the npm in ${npm:-?} has no node-gyp of its own, as Debian's" \
    "install npm's own, with https://nodejs.org/en/download or: npm install --global npm"
  cp -r "$npm" "$STAGE/tools/npm"
  chmod -R u=rwX,go=rX "$STAGE"
}
