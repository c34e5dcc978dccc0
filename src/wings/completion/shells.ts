import { DevCliError } from '../../base/errors.js';
import { childProcess } from '../../work/processes.js';

/**
 * The shells for which dev-cli has completion: how to query each one, and where its script goes (view.md, Completion).
 */
export type ShellId = 'bash' | 'zsh' | 'fish' | 'powershell';

interface Shell {
  program: string;
  /** Options that start an interactive shell, with the user's startup files, and run the script that follows. */
  options: readonly string[];
  /** The script's name in completions/ of the package; `file` is its name once installed. */
  script: string;
  file: string;
  /**
   * Shell code that prints `directory`, where the script belongs; `startup`, the user's startup file; and `looks` if
   * the shell finds a script in that directory by itself.
   */
  probe: string;
  /** Shell code that prints `offers`: the words with which it completes `dev-cli statu`. */
  ask: string;
  /** Returns the code with which a startup file loads a script. */
  load: (path: string) => string;
}

const quote = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`;

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: these are of the shells
export const SHELLS: Readonly<Record<ShellId, Shell>> = {
  bash: {
    ...{ program: 'bash', options: ['-ic'], script: 'dev-cli.bash', file: 'dev-cli' },
    probe: `d=\${BASH_COMPLETION_USER_DIR:-\${XDG_DATA_HOME:-$HOME/.local/share}/bash-completion}
printf '\\n@%s\\n' "directory=\${d%%:*}/completions" "startup=$HOME/.bashrc"
declare -F _comp_load >/dev/null || declare -F __load_completion >/dev/null && echo @looks=yes`,
    ask: `_comp_load dev-cli 2>/dev/null || __load_completion dev-cli 2>/dev/null
COMP_WORDS=(dev-cli statu) COMP_CWORD=1; _dev_cli; printf '\\n@offers=%s\\n' "\${COMPREPLY[0]}"`,
    load: (path) => `[ ! -r ${quote(path)} ] || . ${quote(path)}`,
  },
  zsh: {
    ...{ program: 'zsh', options: ['-ic'], script: 'dev-cli.zsh', file: '_dev-cli' },
    probe: `for d in $fpath; do [[ $d == $HOME/* && ( -w $d || ! -e $d ) ]] && break; d=; done
(( $+functions[compdef] )) && [[ -n $d ]] && print -r "
@looks=yes"
print -r "
@directory=\${d:-\${XDG_DATA_HOME:-$HOME/.local/share}/dev-cli}
@startup=\${ZDOTDIR:-$HOME}/.zshrc"`,
    ask: `print -r "
@offers=\${_comps[dev-cli]+$(dev-cli completion --complete zsh -- statu)}"`,
    load: (path) => `(( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i }
[ ! -r ${quote(path)} ] || . ${quote(path)}`,
  },
  fish: {
    ...{ program: 'fish', options: ['-ic'], script: 'dev-cli.fish', file: 'dev-cli.fish' },
    probe: `printf '\\n@%s\\n' "directory=$__fish_config_dir/completions" startup= looks=yes`,
    ask: `printf '\\n@offers=%s\\n' (complete -C 'dev-cli statu')`,
    load: () => '',
  },
  powershell: {
    ...{ program: 'pwsh', options: ['-NoLogo', '-Command'], script: 'dev-cli.ps1', file: 'dev-cli.completion.ps1' },
    probe: `"@directory=$(Split-Path $PROFILE)"; "@startup=$PROFILE"`,
    ask: `"@offers=$((TabExpansion2 'dev-cli statu' 13).CompletionMatches[0].CompletionText)"`,
    load: (path) => `if (Test-Path '${path.replaceAll("'", "''")}') { . '${path.replaceAll("'", "''")}' }`,
  },
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: these are of the shells

/** The directory and environment in which a shell is started. */
export interface ShellEnvironment {
  cwd: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
}

/** Maximum milliseconds that a shell may take, including its startup files. */
const PATIENCE = 20_000;

/**
 * Starts a shell and returns the values that it printed, by name; ignores other output of startup files. The shell gets
 * its own session, because an interactive shell would otherwise take the terminal away from this process.
 * @throws DevCliError `USAGE` for a missing shell; `INTERRUPTED`
 */
export function queryShell(
  id: ShellId,
  question: 'probe' | 'ask',
  around: ShellEnvironment,
): Promise<Record<string, string>> {
  const { program, options, [question]: script } = SHELLS[id];
  return new Promise((resolve, reject) => {
    const child = childProcess().spawn(program, [...options, script], {
      ...around,
      detached: true,
      timeout: PATIENCE,
      killSignal: 'SIGKILL',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text = (text + part).slice(-100_000);
    });
    child.on('error', (cause) => {
      reject(
        around.signal.aborted
          ? new DevCliError('INTERRUPTED', 'Interrupted.', { cause })
          : new DevCliError('USAGE', `${program} cannot be started.`, {
              fix: 'Name a shell that is installed.',
              cause,
            }),
      );
    });
    // Not `close`: a process that a startup file has left running may keep the pipe open.
    child.on('exit', () => {
      setImmediate(() => {
        child.stdout.destroy();
        resolve(Object.fromEntries([...text.matchAll(/^@([a-z]+)=(.*?)\r?$/gm)].map(([, key, value]) => [key, value])));
      });
    });
  });
}
