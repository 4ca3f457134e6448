# shellcheck shell=bash
# The product, compiled: dist/, which is what `bot-bottle` runs.

BUILD_STAMP=$ROOT/dist/.bot-bottle-stamp

# Changes with every source file and with what decides how they are compiled.
build_hash() {
  local inputs
  inputs=$(cd "$ROOT" && find src package.json package-lock.json tsconfig.json tsconfig.build.json -type f | LC_ALL=C sort)
  (cd "$ROOT" && xargs -d '\n' sha256sum <<<"$inputs") | sha256sum | cut -d' ' -f1
}

build_present() {
  [[ -f $BUILD_STAMP && -f $ROOT/dist/cli.js && $(<"$BUILD_STAMP") == "$(build_hash)" ]]
}

# Over what is there, of which an `up` may run that is restarted afterwards. A file whose source is gone must not stay.
build_bring() {
  # Empty, it is no build's; and what is not newer when that is done has no source.
  mkdir -p "$ROOT/dist"
  : >"$BUILD_STAMP"
  (cd "$ROOT" && logged build npm run --silent --loglevel=error build) || die "npm run build failed"
  find "$ROOT/dist" -type f ! -newer "$BUILD_STAMP" -delete
  find "$ROOT/dist" -type d -empty -delete
  # What package.json names as `bin`.
  chmod +x "$ROOT/dist/cli.js"
  build_hash >"$BUILD_STAMP"
}

bootstrap_build() { step "the product, compiled" build_present build_bring; }
