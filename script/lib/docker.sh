# shellcheck shell=bash
# The container engine. One that answers is used as it is. Only as root on Debian one is installed,
# and only where no systemd can run it, it is started by hand and its pid kept, for `bootstrap --stop`.

DOCKERD_PID_FILE=$CACHE/dockerd.pid
DOCKERD_LOG=$LOGS/dockerd.log
ENGINE_PID_FILE=/var/run/docker.pid
# Whoever needs the engine has a shared lock of it: use_engine.
ENGINE_USERS=$CACHE/engine-users

# is_dockerd <pid>
is_dockerd() { [[ $1 =~ ^[0-9]+$ && -r /proc/$1/comm && $(<"/proc/$1/comm") == dockerd ]]; }

# When a process began, in ticks since boot: with the pid it names a process for good.
started_at() {
  local fields
  # The second field is the name in brackets and may hold blanks; the 22nd is the start.
  fields=$(<"/proc/$1/stat") && read -ra fields <<<"${fields##*) }" && echo "${fields[19]}"
}

docker_bring() {
  if ! have dockerd; then
    if ! is_root || ! is_debian; then
      die "no Docker engine answers and none is installed. On Debian or Ubuntu:" \
        "sudo apt-get update && sudo apt-get install -y docker.io iptables" \
        "sudo systemctl start docker && sudo usermod -aG docker \$USER   # then log in again" \
        "or follow https://docs.docker.com/engine/install/"
    fi
    apt_install "no Docker engine answers and none is installed" docker.io iptables
  fi
  # Debian 13 has it apart, and the engine's package only recommends it.
  have docker || apt_install "the engine's client is a package of its own here" docker-cli
  docker_answers && return 0
  is_root || die "the Docker engine is installed but doesn't answer ${USER:-you}. Run one of:" \
    "sudo systemctl start docker" "sudo usermod -aG docker \$USER   # then log in again"
  if [[ -d /run/systemd/system ]]; then
    say "systemctl start docker"
    logged systemctl systemctl start docker || die "systemctl start docker failed"
    told 'waiting for the engine' '' wait_for_engine "" || die "the engine doesn't answer: journalctl -u docker"
  else
    start_dockerd
  fi
}

# A dockerd that was killed leaves its pid file; a new one refuses to start when that number lives again.
remove_stale_pid_file() {
  local pid
  [[ -f $ENGINE_PID_FILE ]] || return 0
  pid=$(<"$ENGINE_PID_FILE")
  if is_dockerd "$pid"; then
    say "dockerd $pid is there but doesn't answer yet"
    told 'waiting for the engine' '' wait_for_engine "$pid" || die "dockerd $pid runs but doesn't answer; its log may tell why"
    return 1
  fi
  say "removing the stale $ENGINE_PID_FILE (pid ${pid:-?} isn't a dockerd)"
  rm -f "$ENGINE_PID_FILE"
}

start_dockerd() {
  local pid
  remove_stale_pid_file || return 0
  say "no systemd here: starting dockerd by hand, log in $DOCKERD_LOG (stop it with script/bootstrap --stop)"
  setsid nohup dockerd >"$DOCKERD_LOG" 2>&1 </dev/null 6>&- 8>&- 9>&- &
  pid=$!
  disown "$pid"
  # At once: whoever is interrupted while he waits leaves an engine that can be stopped.
  record_dockerd "$pid"
  if ! told 'waiting for the engine' "$DOCKERD_LOG" wait_for_engine "$pid"; then
    tail -n 15 "$DOCKERD_LOG" >&2
    die "dockerd didn't come up, see $DOCKERD_LOG"
  fi
  # setsid forks when it leads a process group: the engine's own pid file knows better than $!.
  [[ ! -r $ENGINE_PID_FILE ]] || record_dockerd "$(<"$ENGINE_PID_FILE")"
}

# record_dockerd <pid>: for `bootstrap --stop`.
record_dockerd() {
  local start
  start=$(started_at "$1" 2>/dev/null) || return 0
  printf '%s\n%s\n' "$1" "$start" >"$DOCKERD_PID_FILE.part"
  mv "$DOCKERD_PID_FILE.part" "$DOCKERD_PID_FILE"
}

# wait_for_engine <pid or nothing>: up to 60 s; false at once when that process is gone.
wait_for_engine() {
  local i
  for ((i = 0; i < 300; i++)); do
    docker_answers && return 0
    [[ -z $1 ]] || [[ -d /proc/$1 ]] || return 1
    sleep 0.2
  done
  return 1
}

# use_engine: nobody's end stops the engine until this process has ended, and ENGINE_WAS_UP says whether it ran before. One that is
# being stopped is waited for. Descriptor 6 is what has the lock, and goes to what is started, but not to dockerd.
use_engine() {
  make_cache
  if have flock; then
    exec 6>>"$ENGINE_USERS"
    flock -s 6
  fi
  ENGINE_WAS_UP=0
  ! docker_answers || ENGINE_WAS_UP=1
}

# leave_engine: stops it if it did not run before use_engine.
leave_engine() {
  [[ ${BOT_BOTTLE_KEEP_ENGINE:-0} != 1 && ${ENGINE_WAS_UP:-0} == 0 ]] || return 0
  # The lock itself, whoever of those that were started has the descriptor still.
  flock -u 6 2>/dev/null || true
  "$ROOT/script/bootstrap" --quiet --stop
}

# Stops the dockerd that bootstrap started, and no other, unless somebody needs it.
stop_dockerd() {
  local pid start i
  [[ -f $DOCKERD_PID_FILE ]] || { headline "docker engine … not started by bootstrap, left alone"; return 0; }
  # Until the end, so that nobody begins with an engine that is being stopped.
  exec 6>>"$ENGINE_USERS"
  if have flock && ! flock -n 6; then
    QUIET=0 headline "docker engine … another demo, test or benchmark needs it, left running: script/bootstrap --stop later"
    return 0
  fi
  { read -r pid && read -r start; } <"$DOCKERD_PID_FILE" || true
  if ! is_dockerd "${pid:-}" || [[ $(started_at "$pid") != "${start:-}" ]]; then
    rm -f "$DOCKERD_PID_FILE"
    headline "docker engine … the one bootstrap started is gone already"
    return 0
  fi
  local t0
  t0=$(now_ms)
  kill -TERM "$pid"
  for ((i = 0; i < 300; i++)); do
    is_dockerd "$pid" || break
    sleep 0.1
  done
  is_dockerd "$pid" && die "dockerd $pid doesn't stop; it was asked to 30 s ago"
  rm -f "$DOCKERD_PID_FILE"
  headline "docker engine … stopped dockerd $pid ($(seconds_since "$t0"))"
}

bootstrap_docker() {
  step "docker engine" docker_answers docker_bring
  say "engine $(docker version --format '{{.Server.Version}}')"
}
