# shellcheck shell=bash
# The images of the agents: the scripted one, and one for each coding CLI.

image_agent_base() {
  new_stage agent-base
  cp "$ROOT/images/agent/Dockerfile" "$ROOT/images/agent/entrypoint" "$ROOT/images/agent/mcp-stdio.mjs" "$STAGE/"
  chmod 0755 "$STAGE/entrypoint"
  chmod 0644 "$STAGE"/*.mjs
  AGENT_BASE_HASH=$(content_hash "$BASE_HASH")
  build_image "$AGENT_BASE_IMAGE" agent-base none "$AGENT_BASE_HASH" --build-arg "FROM=$BASE_IMAGE"
}

image_agent() {
  new_stage agent-scripted
  cp "$ROOT/images/agent/scripted/Dockerfile" "$ROOT/images/agent/scripted/agent.mjs" "$STAGE/"
  chmod 0644 "$STAGE"/*.mjs
  build_agent scripted "$(content_hash "$AGENT_BASE_HASH")"
}

# build_agent <name> <hash>: from STAGE.
build_agent() { build_image "bot-bottle/agent-$1:dev" "agent-$1" none "$2" --build-arg "FROM=$AGENT_BASE_IMAGE"; }

# A CLI that is one native program. Its package is known by its sum, and is only unpacked when the image is to be made.
# native_cli <name> <package> <version> <sum> <program in the package…>
native_cli() {
  local name=$1 package=$2 version=$3 sum=$4 hash
  shift 4
  new_stage "agent-$name"
  cp "$ROOT/images/agent/cli/Dockerfile" "$STAGE/"
  hash=$(content_hash "$AGENT_BASE_HASH" "$sum" "$(pinned RIPGREP_SHA256)" "$@")
  if ! is_built "bot-bottle/agent-$name:dev" "$hash"; then
    local QUIET=0
    npm_package "$package" "$version" "$sum"
    programs_of "$TARBALL" "$@"
    ripgrep_for_agent
  fi
  build_agent "$name" "$hash"
  # It has hundreds of megabytes.
  rm -rf "$STAGE"
}

# programs_of <tarball> <program in the package…>: into bin/ of STAGE.
programs_of() {
  local tarball=$1 program
  shift
  mkdir -p "$STAGE/bin" "$STAGE/package"
  tar -xzf "$tarball" -C "$STAGE/package" --strip-components=1 "${@/#/package/}"
  for program in "$@"; do mv "$STAGE/package/$program" "$STAGE/bin/"; done
  rm -rf "$STAGE/package"
  chmod 0755 "$STAGE"/bin/*
}

# What the CLIs search files with; two of them would download it when they first want it.
ripgrep_for_agent() {
  npm_package "@vscode/ripgrep-linux-$(arch_node)" "$RIPGREP_VERSION" "$(pinned RIPGREP_SHA256)"
  programs_of "$TARBALL" bin/rg
}

image_agent_claude() {
  native_cli claude "@anthropic-ai/claude-code-linux-$(arch_node)" "$CLAUDE_VERSION" "$(pinned CLAUDE_SHA256)" claude
}

# Its newer models call tools from scripts, for which it starts the host beside it: without that no tool works. Its sandbox and
# its voice stay behind: the bottle is the sandbox, and the other is for people.
image_agent_codex() {
  native_cli codex @openai/codex "$CODEX_VERSION-linux-$(arch_node)" "$(pinned CODEX_SHA256)" \
    "vendor/$(uname -m)-unknown-linux-musl/bin/codex" \
    "vendor/$(uname -m)-unknown-linux-musl/bin/codex-code-mode-host"
}

image_agent_opencode() {
  native_cli opencode "opencode-linux-$(arch_node)" "$OPENCODE_VERSION" "$(pinned OPENCODE_SHA256)" bin/opencode
}

# The lock file stands for the modules that it names with their sums.
image_agent_pi() {
  local hash
  new_stage agent-pi
  cp "$ROOT"/images/agent/pi/{Dockerfile,extension.mjs,package.json,package-lock.json} "$STAGE/"
  chmod 0644 "$STAGE"/*
  hash=$(content_hash "$AGENT_BASE_HASH" "$(pinned RIPGREP_SHA256)")
  if ! is_built bot-bottle/agent-pi:dev "$hash"; then
    local QUIET=0
    npm_locked "$STAGE" npm-pi --omit=dev --ignore-scripts || die "pi's modules can't be installed"
    ripgrep_for_agent
    ln -s "/opt/pi/node_modules/$PI_PROGRAM" "$STAGE/bin/pi"
    chmod -R u=rwX,go=rX "$STAGE/node_modules"
  fi
  build_agent pi "$hash"
  rm -rf "$STAGE"
}
