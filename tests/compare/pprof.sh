#!/bin/bash
# Opens exported profiles with the real pprof, alone and with a diff base.
# Usage: pprof.sh BIN GOLDEN PLACE   (the build tree's bin, the vectors, a folder to work in)
# Exit status 77 where there is no pprof, and no Go that has one.
set -euo pipefail
bin=$1 golden=$2 place=$3
rm -rf "$place" && mkdir -p "$place" && cd "$place"
export PPROF_TMPDIR=$place GOTOOLCHAIN=local GOPROXY=off GO111MODULE=off
if command -v pprof >/dev/null; then
  pprof=(pprof)
elif command -v go >/dev/null && go tool pprof -h >/dev/null 2>&1; then
  pprof=(go tool pprof)
else
  echo "SKIPPED: neither pprof nor a Go with pprof is here; profiles were not opened"
  exit 77
fi

compile() { # LEDGER MODEL [OPTION...]
  local ledger=$1 model=$2
  shift 2
  RLX_PLUGINS=libopscope.so OPSCOPE_REPORT=off OPSCOPE_STAGES=all OPSCOPE_LEDGER=$ledger \
    "$bin/rlxc" "$@" "$golden/$model/mir.json" >/dev/null
}
expect() { # FILE PATTERN
  grep -Eq "$2" "$1" || { echo "no line of $1 is /$2/:" && cat "$1" && exit 1; }
}

compile l.jsonl llama32_1b_s1
"$bin/opscope" export --format pprof --output source.pb.gz 'l.jsonl#llama32_1b_s1@source'
"$bin/opscope" export --format pprof --output lowered.pb.gz 'l.jsonl#llama32_1b_s1@lowered'

top() { # FILE ARGUMENT...
  local to=$1
  shift
  "${pprof[@]}" -top -unit=B -nodecount=500 -nodefraction=0 "$@" >"$to" 2>err.txt ||
    { cat err.txt && exit 1; }
}

# The total is the record's.
top top.txt lowered.pb.gz
need=$("$bin/opscope" show --format json 'l.jsonl#llama32_1b_s1@lowered' |
  python3 -c 'import json,sys; t=json.load(sys.stdin)["totals"]["need"]; print(t["read"][0]+t["written"][0])')
expect top.txt '^Type: need$'
expect top.txt "accounting for ${need}B, 100% of ${need}B total"
top work.txt -sample_index=work lowered.pb.gz
expect work.txt '^Type: work$'
"${pprof[@]}" -traces -unit=B -sample_index=need lowered.pb.gz >traces.txt 2>err.txt
expect traces.txt '^ *lm_head$'
# Lowering made 32 Concats of weights, which move 2 550 136 832 bytes, and nothing else invariant.
top diff.txt -sample_index=invariant -diff_base source.pb.gz lowered.pb.gz
expect diff.txt '^ *2550136832B .* Concat$'
top none.txt -sample_index=need -diff_base lowered.pb.gz lowered.pb.gz
expect none.txt 'accounting for 0'
echo "opened by ${pprof[*]}"
