# shellcheck shell=bash
# Schemathesis, which fuzzes the HTTP API from its own document. Its packages and their sums are in
# schemathesis/requirements.txt: `uv pip compile --generate-hashes --universal --python-version 3.10`.

schemathesis_dir() { echo "$CACHE/schemathesis-$(sha256_of "$ROOT/script/lib/schemathesis/requirements.txt" | cut -c1-16)"; }

schemathesis_present() { [[ -d $(schemathesis_dir)/schemathesis ]] && record SCHEMATHESIS "$(schemathesis_dir)"; }

schemathesis_bring() {
  local part
  part=$(schemathesis_dir).part
  rm -rf "$part" "$(schemathesis_dir)"
  if ! python3 -m pip --version >/dev/null 2>&1; then
    apt_install "pip is missing" python3-pip >&2
  fi
  logged schemathesis python3 -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --only-binary=:all: --timeout "$CONNECT_TIMEOUT" --target "$part" \
    -r "$ROOT/script/lib/schemathesis/requirements.txt" || return 1
  mv "$part" "$(schemathesis_dir)"
}

bootstrap_schemathesis() { step "schemathesis" schemathesis_present schemathesis_bring; }
