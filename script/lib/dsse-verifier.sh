# shellcheck shell=bash
# A library of others that verifies what the record's seals are made of.

dsse_verifier_dir() { echo "$CACHE/securesystemslib-$SECURESYSTEMSLIB_VERSION"; }

dsse_verifier_present() {
  [[ -f $(dsse_verifier_dir)/securesystemslib/dsse.py ]] && record SECURESYSTEMSLIB "$(dsse_verifier_dir)"
}

dsse_verifier_bring() {
  local file part
  file=$(wheel securesystemslib "$SECURESYSTEMSLIB_VERSION" "$SECURESYSTEMSLIB_WHEEL_SHA256") || return 1
  part=$(dsse_verifier_dir).part
  rm -rf "$part" "$(dsse_verifier_dir)"
  python3 -m zipfile -e "$file" "$part"
  mv "$part" "$(dsse_verifier_dir)"
}

bootstrap_dsse_verifier() { step "securesystemslib $SECURESYSTEMSLIB_VERSION" dsse_verifier_present dsse_verifier_bring; }
