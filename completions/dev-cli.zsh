#compdef dev-cli
# installed-by: dev-cli
_dev_cli() {
  local line word
  local -a found
  while IFS= read -r line; do
    word=${line%%$'\t'*}
    if [[ -z $word ]]; then
      compset -P '--[a-z-]##='
      compset -P '@'
      _files
      return
    fi
    line=${line#*$'\t'}
    found+=("${word//:/\\:}${line:+:$line}")
  done < <(dev-cli completion --complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)
  _describe 'dev-cli' found
}
if [[ ${funcstack[1]} == _dev-cli ]]; then _dev_cli "$@"; else compdef _dev_cli dev-cli; fi
