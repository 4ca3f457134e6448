# shellcheck shell=bash
# The npm modules of this repository.

NODE_STAMP=$ROOT/node_modules/.bot-bottle-stamp

# Changes with the lock file, with package.json, and with Node's ABI (better-sqlite3 is compiled for one).
node_modules_hash() {
  { cat "$ROOT/package.json" "$ROOT/package-lock.json"; node -p 'process.versions.modules'; } | sha256sum | cut -d' ' -f1
}

node_present() {
  have node || return 1
  [[ -f $NODE_STAMP && $(<"$NODE_STAMP") == "$(node_modules_hash)" ]] && return 0
  node_modules_match || return 1
  node_modules_hash >"$NODE_STAMP"
}

# Modules that somebody installed by hand will do, if they are those of the lock file and better-sqlite3
# loads: npm notes in node_modules/.package-lock.json what it put there.
node_modules_match() {
  [[ -f $ROOT/node_modules/.package-lock.json ]] || return 1
  (cd "$ROOT" && node -e '
    const { readFileSync } = require("node:fs");
    const read = (file) => JSON.parse(readFileSync(file, "utf8")).packages;
    const wanted = read("package-lock.json");
    const there = read("node_modules/.package-lock.json");
    const root = wanted[""];
    const own = JSON.parse(readFileSync("package.json", "utf8"));
    const same = (a = {}, b = {}) => JSON.stringify(a) === JSON.stringify(b);
    if (!same(root.dependencies, own.dependencies) || !same(root.devDependencies, own.devDependencies)) process.exit(1);
    for (const [path, entry] of Object.entries(wanted)) {
      if (path === "" || (entry.optional && !there[path]) || (entry.peer && !there[path])) continue;
      if (there[path]?.version !== entry.version) process.exit(1);
    }
    for (const path of Object.keys(there)) if (!wanted[path]) process.exit(1);
  ') >/dev/null 2>&1 && sqlite_loads
}

node_bring() {
  { have node && have npm; } || die "Node 20.12 or newer and npm are needed: https://nodejs.org/en/download"
  local major minor
  IFS=. read -r major minor _ < <(node -p process.versions.node)
  ((major > 20 || (major == 20 && minor >= 12))) || die "Node $major.$minor is too old, 20.12 or newer is needed"
  say "npm ci: as package-lock.json says, and no script of a package but better-sqlite3's is run"
  # Also those that only the tests need, with NODE_ENV=production or omit=dev: without them node_modules is never right.
  npm_locked "$ROOT" npm --ignore-scripts --include=dev || die "the npm modules can't be installed"
  sqlite_bring
  node_modules_match || die "node_modules isn't what package-lock.json says" "remove node_modules and run this again"
  node_modules_hash >"$NODE_STAMP"
}

# The one module that has to be compiled, or brings a binary; kept for the next clone.
sqlite_bring() {
  local dir=$ROOT/node_modules/better-sqlite3 binary kept
  binary=$dir/build/Release/better_sqlite3.node
  kept=$BUILD/better-sqlite3-$(node -p "require('$dir/package.json').version + '-' + [process.platform, process.arch, process.versions.modules].join('-')").node
  if [[ -f $kept ]]; then
    # Renamed into place: what is loaded elsewhere must not change under a process.
    mkdir -p "${binary%/*}" && cp "$kept" "$binary.part" && mv "$binary.part" "$binary"
    sqlite_loads && return 0
  fi
  say "better-sqlite3: compiles for a minute or two where no prebuilt can be downloaded"
  (cd "$ROOT" && logged npm-sqlite npm rebuild --ignore-scripts=false --foreground-scripts --loglevel=error better-sqlite3) ||
    die "better-sqlite3 can't be installed"
  sqlite_loads || die "better-sqlite3 doesn't load: see $LOGS/npm-sqlite.log"
  mkdir -p "$BUILD" && cp "$binary" "$kept.part" && mv "$kept.part" "$kept"
}

sqlite_loads() {
  (cd "$ROOT" && node -e 'new (require("better-sqlite3"))(":memory:").close()') >/dev/null 2>&1
}

bootstrap_node() { step "node modules" node_present node_bring; }
