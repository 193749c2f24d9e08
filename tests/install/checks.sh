#!/bin/bash
# One claim about the installed product a call: checks.sh CLAIM. Run by ctest, which sets
#   BUILD SOURCE DATA STAGE LIBDIR GENERATOR CC CXX CFLAGS CXXFLAGS
# The first claim makes the staging prefix STAGE; the others stand on it.
set -euo pipefail
unset RLX_PLUGINS RLX_PLUGIN_PATH "${!OPSCOPE_@}"
graph=$DATA/golden/llama32_1b_decode_kv2048/mir.json
work=$STAGE.work/$1

die() {
  printf 'not so: %s\n' "$*" >&2
  exit 1
}
# contains FILE TEXT
contains() {
  grep -qF -- "$2" "$1" || {
    cat "$1" >&2
    die "'$2' is in $1"
  }
}

stages() {
  rm -rf "$STAGE" "$STAGE.work"
  cmake --install "$BUILD" --prefix "$STAGE" >/dev/null
  local file
  for file in bin/rlxc bin/opscope include/rlx/plugin.h include/rlx/host.h include/rlx/view.hpp \
    include/opscope/cost.hpp include/opscope/ledger.hpp "$LIBDIR/librlx_host.so" \
    "$LIBDIR/rlx/plugins/libopscope.so" "$LIBDIR/pkgconfig/opscope.pc" \
    share/bash-completion/completions/opscope share/bash-completion/completions/rlxc \
    share/zsh/site-functions/_opscope; do
    [ -f "$STAGE/$file" ] || die "$file is installed"
  done
}

headers_stand_alone() {
  local header
  for header in rlx/plugin.h rlx/host.h; do
    echo "#include <$header>" | $CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$STAGE/include" \
      -x c -fsyntax-only - || die "$header compiles alone as C11"
  done
  local count=0
  while read -r header; do
    echo "#include <$header>" | $CXX -std=c++20 -Wall -Wextra -Wpedantic -Werror \
      -I "$STAGE/include" -x c++ -fsyntax-only - || die "$header compiles alone as C++20"
    count=$((count + 1))
  done < <(cd "$STAGE/include" && find rlx opscope -name '*.h' -o -name '*.hpp')
  [ "$count" -ge 6 ] || die "at least six headers are installed, not $count"
}

# Another project: the sample plugin, a driver, a user of the cost models.
builds_by_find_package() {
  cmake -S "$SOURCE/tests/install/consumer" -B . -G "$GENERATOR" -DCMAKE_PREFIX_PATH="$STAGE" \
    -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" -DCMAKE_C_FLAGS="$CFLAGS" \
    -DCMAKE_CXX_FLAGS="$CXXFLAGS" -DPLUGIN_SOURCE="$SOURCE/tests/plugins/print_names.c" >log 2>&1 &&
    cmake --build . >>log 2>&1 || { cat log >&2 && die "a project builds on the CMake package"; }
  [ "$(cat plugins_dir)" = "$STAGE/$LIBDIR/rlx/plugins" ] || die "opscope_PLUGINS_DIR is right"
  RLX_PLUGINS=libopscope.so ./driver >out || die "a driver on the installed host runs"
  contains out opscope
  ./cost >out || die "a user of opscope::core runs"
  contains out "0 nodes"
}

fires_beside_opscope() {
  export PKG_CONFIG_PATH=$STAGE/$LIBDIR/pkgconfig
  local cflags plugins
  cflags=$(pkg-config --cflags opscope) || die "pkg-config knows opscope"
  plugins=$(pkg-config --variable=pluginsdir opscope)
  [ "$(realpath "$plugins")" = "$(realpath "$STAGE/$LIBDIR/rlx/plugins")" ] ||
    die "pluginsdir is right: $plugins"
  # shellcheck disable=SC2086
  $CC $CFLAGS -std=c11 -Wall -Wextra -Werror -shared -fPIC $cflags \
    "$SOURCE/tests/plugins/print_names.c" -o "$plugins/print_names.so" ||
    die "the sample plugin builds on pkg-config"
  # By bare names, in a folder where files of these names lie that are no plugins.
  echo planted >libopscope.so
  echo planted >print_names.so
  RLX_PLUGINS=print_names.so:libopscope.so OPSCOPE_LEDGER=$PWD/ledger.jsonl \
    "$STAGE/bin/rlxc" --pipeline none "$graph" >out 2>err || {
    cat err >&2
    die "the installed rlxc takes two plugins by bare name"
  }
  contains err 'print_names: '
  contains err 'opscope: '
  contains err llama32_1b
  [ "$(wc -l <ledger.jsonl)" = 1 ] || die "the ledger holds one record"
  "$STAGE/bin/opscope" list ledger.jsonl >out || die "the installed opscope reads it"
  contains out llama32_1b
}

prefix_can_be_moved() {
  rm -rf moved
  cp -r "$STAGE" moved
  RLX_PLUGINS=libopscope.so moved/bin/rlxc --list-plugins >out || die "a moved rlxc runs"
  contains out "$PWD/moved/$LIBDIR/rlx/plugins/libopscope.so"
}

mkdir -p "$work"
cd "$work"
"$1"
