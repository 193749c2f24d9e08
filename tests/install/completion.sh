#!/bin/bash
# Completes command lines as bash would, with the function that is installed.
# Usage: completion.sh FILE BIN   (opscope.bash; the folder of the two commands)
set -uo pipefail
PATH=$2:$PATH
# shellcheck source=/dev/null
. "$1"
failed=0

# Completes after the words given, the last of which is the one at the cursor, and checks that the
# candidates are those on standard input, in any order.
expect() { # WORD...
  local wanted got
  wanted=$(tr -s ' \n' '\n' | sed '/^$/d' | sort)
  COMP_WORDS=("$@")
  COMP_CWORD=$(($# - 1))
  COMPREPLY=()
  _opscope_complete "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" || true
  got=$(printf '%s\n' "${COMPREPLY[@]}" | sed '/^$/d' | sort)
  [ "$got" = "$wanted" ] && return
  printf 'after "%s" wanted\n%s\nand got\n%s\n' "$*" "$wanted" "$got"
  failed=1
}

expect opscope d <<<diff
expect opscope --v <<<--version
expect opscope show --for <<<--format
expect opscope show --format '' <<<'text json csv'
expect opscope show --format c <<<csv
expect opscope show --format = j <<<json
expect opscope show --format = <<<'text json csv'
expect opscope show --by '' <<<'kind label node pass'
expect opscope diff --by '' <<<'node pass'
expect opscope diff --f <<<'--format --fail-over --fail-on-new --fail-on-missing'
expect opscope diff --sort rule. <<<'rule.bytes rule.weights rule.flops'
expect opscope diff --sort graph </dev/null # only figures that nodes have
expect opscope diff --fail-over graph <<<graph_io=
expect opscope check --metric memory.a <<<memory.arena_bytes
expect opscope show --graph '' </dev/null # names of graphs are not known
expect opscope show led </dev/null        # files are bash's own
expect opscope export --output '' </dev/null
expect opscope show -h <<<-h
expect opscope none --f </dev/null
expect rlxc --em <<<--emit
expect rlxc --target me <<<metal
expect rlxc --emit l <<<lir
expect rlxc -o '' </dev/null
expect rlxc --pipeline no <<<none
expect rlxc model.json --ver <<<'--verify --version'
expect no-such-program --f </dev/null

# Every option that a command takes is completed: as many as its --help names at least.
for command in check diff export history kinds list recost show; do
  for option in $(opscope $command --help | grep -o -- '--[a-z][a-z-]*' | sort -u); do
    case $option in --help | --color) continue ;; esac
    COMP_WORDS=(opscope "$command" "$option")
    COMP_CWORD=2
    COMPREPLY=()
    _opscope_complete opscope "$option" "$command"
    [[ " ${COMPREPLY[*]} " == *" $option "* ]] && continue
    echo "opscope $command $option is in --help and not completed"
    failed=1
  done
done

complete -p opscope rlxc | grep -c 'complete -o default -F _opscope_complete' | grep -qx 2 ||
  { echo "opscope and rlxc are not both completed" && failed=1; }
exit $failed
