# shellcheck shell=bash
# The terminal in which the tests use the dashboard.

tmux_present() { have tmux; }

tmux_bring() { apt_install "tmux is missing, in which the tests use the dashboard" tmux; }

bootstrap_tmux() { step "tmux" tmux_present tmux_bring; }
