import type { Answer } from '../base/answer.js';
import { DevCliError } from '../base/errors.js';
import { type CandidateSource, type CompletionPoint, listCompletionPoints } from './completion-points.js';

/**
 * `completion`: the completion script of a shell (protocol.md §5). It holds all words and options, and asks dev-cli
 * only for names of runs, recipes and sections.
 * @throws DevCliError `USAGE` for an unknown shell
 */
export function answerCompletion(shell: string): Answer {
  const script = SCRIPTS[shell];
  if (!script) throw new DevCliError('USAGE', `There is no completion for ${JSON.stringify(shell)}.`);
  const text = script(listCompletionPoints());
  return { json: { ok: true, shell, script: text }, exit: 0, text: () => text };
}

const SCRIPTS: Readonly<Record<string, (places: CompletionPoint[]) => string>> = {
  bash: renderBashScript,
  zsh: renderZshScript,
  fish: renderFishScript,
};

/** Candidates are compared as text, because `compgen -W` would execute what a file name holds. */
function renderBashScript(places: CompletionPoint[]): string {
  return `# dev-cli completion for bash
_dev_cli_words() {
  local word
  for word in "$@"; do
    if [[ $word == "$cur"* ]]; then COMPREPLY+=("$word"); fi
  done
}
_dev_cli_candidates() {
  local word
  while IFS= read -r word; do
    _dev_cli_words "$word"
  done < <(dev-cli completion --candidates "$1" 2>/dev/null)
}
_dev_cli_files() { compopt -o default 2>/dev/null; }
_dev_cli() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} at='' i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "\${at:+$at }\${COMP_WORDS[i]}" in
      (${renderKnownPaths(places)}) at="\${at:+$at }\${COMP_WORDS[i]}" ;;
    esac
  done
  if [[ $prev == '@' ]]; then _dev_cli_files; return; fi
${renderPosixCases(places)}
}
complete -F _dev_cli dev-cli
`;
}

function renderZshScript(places: CompletionPoint[]): string {
  return `#compdef dev-cli
# dev-cli completion for zsh
_dev_cli_words() { compadd -- "$@" }
_dev_cli_candidates() {
  local -a found
  found=("\${(@f)$(dev-cli completion --candidates "$1" 2>/dev/null)}")
  compadd -- $found
}
_dev_cli_files() { compset -P '@'; _files }
_dev_cli() {
  local cur=\${words[CURRENT]} prev=\${words[CURRENT-1]} at='' i
  for ((i = 2; i < CURRENT; i++)); do
    case "\${at:+$at }\${words[i]}" in
      (${renderKnownPaths(places)}) at="\${at:+$at }\${words[i]}" ;;
    esac
  done
${renderPosixCases(places)}
}
if [[ \${funcstack[1]} == _dev-cli ]]; then _dev_cli "$@"; else compdef _dev_cli dev-cli; fi
`;
}

function renderKnownPaths(places: CompletionPoint[]): string {
  return places.flatMap(({ path }) => (path === '' ? [] : `'${path}'`)).join('|');
}

/** The cases that bash and zsh share: first the value of an option, then what else may follow. */
function renderPosixCases(places: CompletionPoint[]): string {
  const values = places.flatMap(({ path, flags }) =>
    flags.flatMap(({ flag, value }) =>
      value ? [`    ('${path}|--${flag}') ${renderPosixOffer(value)}; return ;;`] : [],
    ),
  );
  const heres = places.map(({ path, words, flags, positional }) => {
    const offered = positional
      ? renderPosixOffer(positional)
      : `_dev_cli_words ${words.map(({ word }) => word).join(' ')}`;
    const options = flags.map(({ flag }) => `--${flag}`).join(' ');
    return `    ('${path}') if [[ $cur == -* ]]; then _dev_cli_words ${options}; else ${offered}; fi ;;`;
  });
  return ['  case "$at|$prev" in', ...values, '  esac', '  case "$at" in', ...heres, '  esac'].join('\n');
}

function renderPosixOffer(source: CandidateSource): string {
  switch (source.kind) {
    case 'words':
      return `_dev_cli_words ${source.words.join(' ')}`;
    case 'candidates':
      return `_dev_cli_candidates ${source.of}`;
    case 'files':
      return '_dev_cli_files';
    case 'none':
      return ':';
  }
}

function renderFishScript(places: CompletionPoint[]): string {
  const paths = places.flatMap(({ path }) => (path === '' ? [] : `' ${path}'`)).join(' ');
  const lines = places.flatMap(({ path, words, flags, positional }) => {
    const here = `complete -c dev-cli -n '__dev_cli_at "${path}"'`;
    return [
      ...words.map(({ word, summary }) => `${here} -a ${word} -d ${quoteForFish(summary)}`),
      ...flags.map(
        ({ flag, summary, value }) =>
          `${here} -l ${flag}${value ? renderFishValue(value) : ''} -d ${quoteForFish(summary)}`,
      ),
      ...(positional ? [`${here}${renderFishPositional(positional)}`] : []),
    ];
  });
  return `# dev-cli completion for fish
function __dev_cli_at
    set -l at ''
    for word in (commandline -opc)
        switch "$at $word"
            case ${paths}
                set at "$at $word"
        end
    end
    test "$at" = "$argv[1]" -o "$at" = " $argv[1]"
end
function __dev_cli_at_files
    set -l token (commandline -ct)
    string match -q '@*' -- $token
    and __fish_complete_path (string sub -s 2 -- $token) | string replace -r '^' '@'
end
complete -c dev-cli -f
${lines.join('\n')}
`;
}

function renderFishValue(source: CandidateSource): string {
  return source.kind === 'files' ? " -r -F -a '(__dev_cli_at_files)'" : ` -x${renderFishOffer(source)}`;
}

function renderFishPositional(source: CandidateSource): string {
  return source.kind === 'files' ? ' -F' : renderFishOffer(source);
}

function renderFishOffer(source: CandidateSource): string {
  switch (source.kind) {
    case 'words':
      return ` -a ${quoteForFish(source.words.join(' '))}`;
    case 'candidates':
      return ` -a '(dev-cli completion --candidates ${source.of} 2>/dev/null)'`;
    case 'files':
    case 'none':
      return '';
  }
}

function quoteForFish(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}
