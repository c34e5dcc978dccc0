# dev-cli completion for bash
# installed-by: dev-cli
_dev_cli() {
  local line word words=() texts=() at width=0
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\t'* ]]; then _dev_cli_files; return; fi
    word=${line%%$'\t'*}
    words+=("$word") texts+=("${line#*$'\t'}")
    ((${#word} > width)) && width=${#word}
  done < <(dev-cli completion --complete bash -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  # A description is shown in a list, and never becomes part of the line: 63, 33 and 64 are lists.
  if ((${#words[@]} < 2)) || [[ $COMP_TYPE != 63 && $COMP_TYPE != 33 && $COMP_TYPE != 64 ]]; then
    COMPREPLY=("${words[@]}")
    return
  fi
  for at in "${!words[@]}"; do
    printf -v line '%-*s  %s' "$width" "${words[at]}" "${texts[at]}"
    COMPREPLY+=("${line:0:${COLUMNS:-80}-1}")
  done
}
_dev_cli_files() {
  local path word=${COMP_WORDS[COMP_CWORD]} begin=
  compopt -o default 2>/dev/null
  [[ ${COMP_LINE:0:COMP_POINT} =~ @([^[:space:]=@]*)$ ]] || return
  # To bash a word that begins so is no file.
  compopt -o nospace 2>/dev/null
  while IFS= read -r path; do
    [[ -d $path ]] && path+=/
    # Behind a quote a word is whole, and not escaped.
    if [[ $word == [\'\"]* ]]; then begin=${word%%@*} begin=${begin:1}; else printf -v path '%q' "$path"; fi
    COMPREPLY+=("$begin@$path")
  done < <(compgen -f -- "${BASH_REMATCH[1]}")
}
complete -F _dev_cli dev-cli
