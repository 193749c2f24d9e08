# Completion of opscope and rlxc for bash. What there is to complete is asked of the program itself
# (--print-options): lines of fields by tabs,
#   command NAME SUMMARY      option COMMAND NAME WORDS      flag COMMAND NAME

_opscope_complete() {
  local program=$1 current=$2 command=- value_of='' kind of name words i
  local -a commands=() names=() values=()
  COMPREPLY=()

  # `--format=json` comes as three words where `=` breaks words, as it does by default.
  local previous=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  [[ $previous == -* ]] && value_of=$previous

  local table
  table=$("$program" --print-options 2>/dev/null) || return
  while IFS=$'\t' read -r kind of name words; do
    [[ $kind == command ]] && commands+=("$of")
  done <<<"$table"
  for ((i = 1; i < COMP_CWORD && ${#commands[@]} > 0; ++i)); do
    [[ ${COMP_WORDS[i]} == -* ]] && continue
    [[ " ${commands[*]} " == *" ${COMP_WORDS[i]} "* ]] && command=${COMP_WORDS[i]}
    break
  done
  while IFS=$'\t' read -r kind of name words; do
    [[ $kind == command || $of != "$command" ]] && continue
    names+=("$name")
    if [[ $kind == option && $name == "$value_of" ]]; then
      [[ $words == FILE ]] && return  # bash's own completion of files
      # In capitals stands what nobody can list.
      [[ $words =~ [a-z] ]] && IFS='|' read -ra values <<<"$words"
      compopt +o default 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -W "${values[*]}" -- "$current")
      [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
      return
    fi
  done <<<"$table"
  if [[ $command == - && ${#commands[@]} -gt 0 ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${commands[*]} ${names[*]}" -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "${names[*]}" -- "$current")
  fi
}

complete -o default -F _opscope_complete opscope rlxc
