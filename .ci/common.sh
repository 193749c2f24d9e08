# shellcheck shell=bash
# What the commands of this folder share. Sourced; leaves the working directory at the checkout's
# top.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

step() { printf '== %s\n' "$*" >&2; }
fail() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 2
}

# Configures and builds a preset; further arguments go to the build. Quiet unless it fails.
build() {
  local preset=$1 log started=$SECONDS
  shift
  step "building, preset $preset"
  mkdir -p build
  log=build/$preset.log
  if ! { cmake --preset "$preset" && cmake --build "build/$preset" "$@"; } >"$log" 2>&1; then
    tail -n 60 "$log" >&2
    fail "the build of preset $preset failed; the whole log is $log"
  fi
  step "built in $((SECONDS - started)) s"
}
