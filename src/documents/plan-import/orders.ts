import { type ShellCommand, splitShell } from './split-shell.js';

/**
 * Tells commands that do something from those that check something: repeated at each judgement, an order would be carried out
 * again and again (plans-from-elsewhere.md, What becomes of what). An order in another dress stays one.
 */

/** Why a command is no check. */
export type OrderProblem =
  | 'a command that changes the repository judges nothing'
  | 'it does the work or does not end, so that it checks nothing: it stays a statement'
  | 'nobody can tell which program it starts: it stays a statement';

const GIT: OrderProblem = 'a command that changes the repository judges nothing';
const WORK: OrderProblem = 'it does the work or does not end, so that it checks nothing: it stays a statement';
const UNKNOWN: OrderProblem = 'nobody can tell which program it starts: it stays a statement';

/**
 * Says why a line is an order, or null.
 * @param line as it is typed into a shell
 */
export function findOrder(line: string): OrderProblem | null {
  return firstProblem(splitShell(line).map((command) => judgeCommand(command)));
}

function firstProblem(all: readonly (OrderProblem | null)[]): OrderProblem | null {
  return all.find((problem) => problem !== null) ?? null;
}

function judgeCommand({ words, writes, body }: ShellCommand): OrderProblem | null {
  return writes ? WORK : (judgeWords(words, body) ?? null);
}

/** Programs that start another one, which is what counts. */
const STARTERS =
  /^(?:env|command|builtin|exec|nohup|time|nice|ionice|stdbuf|timeout|gtimeout|setsid|chronic|xvfb-run|unbuffer|caffeinate|cross-env|dotenv|direnv|mise|npx|bunx|pnpx|uvx|pipx|xargs|parallel|find|fd|busybox|entr|flock|strace|script|winpty|nix|nix-shell|devbox|docker|podman|docker-compose|kubectl)$/;
/** Words by which other programs start one. */
const STARTING = /^(?:exec|dlx|run|x|-m)$/;
const SHELL = /^(?:ba|da|z|k|a)?sh$|^fish$/;
/** Programs that are given a script in a word. */
const INTERPRETER = /^(?:node|deno|bun|tsx|python[\d.]*|ruby|perl|php|osascript)$/;

function judgeWords(given: readonly string[], body = ''): OrderProblem | null {
  const words = given.slice(given.findIndex((word) => !/^\w+\+?=/.test(word)));
  const [path = '', ...rest] = words;
  if (path === '' || /^\w+=/.test(path)) return null;
  if (path.includes('$')) return UNKNOWN;
  if (/^\/[\w:-]+$/.test(path)) return WORK;
  const program = getBase(path);
  if (SHELL.test(program)) return judgeShell(rest, body);
  if (program === 'eval') return findOrder(rest.join(' '));
  if (program === 'alias') return UNKNOWN;
  if (INTERPRETER.test(program)) {
    const code = [...rest, body].join('\n');
    if (GIT_IN_TEXT.test(code)) return GIT;
    if (WRITES_IN_TEXT.test(code)) return WORK;
  }
  const own = judgeProgram(program, rest);
  if (own !== null) return own;
  const isStarter = STARTERS.test(program) || rest.slice(0, 2).some((word) => STARTING.test(word));
  return isStarter ? judgeStarted(rest) : judgeScript(path, rest);
}

/** Commands of git in a script of another language. */
const GIT_IN_TEXT =
  /\bgit\b["',\s[\]]+(?:-[\w-]+["',\s]+)*(?:add|am|checkout|clean|commit|merge|mv|pull|push|rebase|reset|restore|revert|rm|stash|switch|tag)\b/;

/** What scripts of other languages change. */
const WRITES_IN_TEXT =
  /\.write_(?:text|bytes)\(|\bwriteFile(?:Sync)?\(|\bopen\([^)]*,\s*['"][wax]|\bunlink(?:Sync)?\(|\brm(?:Sync|tree|dir)\(|\bmkdir(?:s|Sync)?\(|\bos\.(?:remove|system|rename|replace)\(|\bsubprocess\.|\bchild_process\b|\bexec(?:Sync|File)?\(['"]/;

function judgeShell(rest: readonly string[], body = ''): OrderProblem | null {
  if (body !== '') return findOrder(body);
  const at = rest.findIndex((word) => /^[-+][a-zA-Z]*c$/.test(word));
  if (at >= 0) return findOrder(rest.slice(at + 1).find((word) => !word.startsWith('-')) ?? '');
  const script = rest.findIndex((word) => !/^[-+]/.test(word));
  // What a shell reads from its input, nobody has seen.
  return script < 0 ? UNKNOWN : judgeScript(rest[script] ?? '', rest.slice(script + 1));
}

/** Which word begins what is started, nobody knows without all options of all programs: any may. */
function judgeStarted(rest: readonly string[]): OrderProblem | null {
  const starts = rest.flatMap((word, index) => (/^[-+]|^\d+[smh]?$/.test(word) ? [] : [index]));
  return firstProblem(
    starts.map((index) => {
      const [path = '', ...more] = rest.slice(index);
      // A word that is a program only by chance is judged by what is surely one.
      return index === starts[0] ? judgeWords(rest.slice(index)) : judgeSure(path, more);
    }),
  );
}

function judgeSure(path: string, rest: readonly string[]): OrderProblem | null {
  const program = getBase(path);
  if (/\s/.test(path)) return findOrder(path);
  if (SHELL.test(program) && rest.some((word) => /^-[a-zA-Z]*c$/.test(word))) return judgeShell(rest);
  // `.` is a directory as well as a command.
  return (program !== '.' && DOERS.test(program)) || program in CAREFUL ? judgeProgram(program, rest) : null;
}

/** Programs of which nothing but what is listed here leaves everything as it was. */
const CAREFUL: Readonly<Record<string, RegExp>> = {
  git: /^(?:status|diff|log|show|grep|ls-files|ls-tree|ls-remote|rev-parse|rev-list|cat-file|check-ignore|check-attr|blame|describe|merge-base|merge-tree|shortlog|for-each-ref|show-ref|diff-tree|diff-index|diff-files|verify-commit|verify-tag|fsck|name-rev|whatchanged|count-objects|var|version|help|branch(?:$| (?:--?(?:show-current|list|contains|all|remotes|verbose|a|r|v{1,2})\b))|tag(?:$| (?:-l|--list|--contains|--points-at)\b)|remote(?:$| (?:-v|show|get-url)\b)|stash (?:list|show)\b|worktree list\b|submodule status\b|config (?:--get|--list|-l|get|list)\b|notes (?:list|show)\b|reflog(?:$| show\b)|lfs (?:ls-files|status)\b)(?!.* --output\b)/,
  gh: /^(?!.*--web\b)(?:\w+ (?:view|list|status|diff|checks)\b|status\b|search\b|api (?!.*(?:-X|--method|-f|-F|--field|--raw-field|--input)\b))/,
  glab: /^\w+ (?:view|list|status|diff)\b/,
  kubectl:
    /^(?:get|describe|explain|logs|top|version|diff|api-resources|api-versions|cluster-info|auth can-i|config (?:view|current-context|get-contexts)|rollout status|wait|kustomize)\b|^(?:apply|create) .*--dry-run/,
  oc: /^(?:get|describe|explain|logs|status|version|whoami|diff)\b/,
  helm: /^(?:lint|template|list|status|show|version|test)\b/,
  docker:
    /^(?:ps|images|inspect|version|info|logs|build|buildx build|port|top|stats --no-stream|compose (?:config|ps|build|logs)|image (?:ls|inspect))\b|^(?:run|exec|compose (?:run|exec)) /,
  podman: /^(?:ps|images|inspect|version|info|logs|build)\b|^(?:run|exec) /,
  'docker-compose': /^(?:config|ps|build|logs)\b|^(?:run|exec) /,
  terraform: /^(?:validate|fmt .*-check|plan|show|output|version|graph|providers)\b/,
  tofu: /^(?:validate|fmt .*-check|plan|show|output|version)\b/,
  pulumi: /^(?:preview|about|version|stack (?:ls|output))\b/,
  aws: /^[\w-]+ (?:describe|list|get|head|ls|wait)\b/,
  gcloud: /(?:^| )(?:list|describe|get-[\w-]+)\b/,
  az: /(?:^| )(?:list|show)\b/,
  wrangler: /^(?:whoami|types|d1 (?:list|info)|tail|deployments list|\S+ .*--dry-run|deploy .*--dry-run)\b/,
  vercel: /^(?:ls|list|inspect|whoami|build)\b/,
  netlify: /^(?:status|build)\b/,
  fly: /^(?:status|logs|version|config validate)\b/,
  flyctl: /^(?:status|logs|version|config validate)\b/,
  heroku: /^(?:ps|logs|config$|releases$|status)/,
  railway: /^(?:status|logs|whoami)\b/,
  firebase: /^(?:projects:list|use$)/,
  supabase: /^(?:status|db (?:lint|diff)|migration list|test)\b/,
  prisma: /^(?:validate|format .*--check|migrate (?:status|diff)|version)\b/,
  cargo:
    /^(?:\+\S+ )?(?:build|b|check|c|test|t|clippy|bench|doc|tree|metadata|nextest|run|r|audit|deny|miri|llvm-cov|machete|hack|udeps|semver-checks|outdated|fmt .*--check|tarpaulin|verify-project|pkgid|package .*--list|publish .*--dry-run|insta test|expand|locate-project|search|version)\b|^-V|^--version|^fmt -- --check/,
  go: /^(?:build|test|vet|list|env|version|run|doc|tool|mod (?:verify|graph|why)|fix -n)\b/,
  pip: /^(?:check|list|show|freeze|--version|index)\b/,
  uv: /^(?:run|pip (?:check|list|show|freeze)|lock .*--check|tree|version|tool run|build|--version)\b/,
  poetry: /^(?:run|check|show|build|version|env info|--version|lock .*--check)\b/,
  claude: /^--version\b/,
  codex: /^--version\b/,
  gemini: /^--version\b/,
  psql: /(?:^| )(?:-c|--command|-f|--file|-l|--version)\b/,
  bundle: /^(?:exec|check|list|show|info|audit|outdated|--version)\b/,
};
const ALIASES: Readonly<Record<string, string>> = { pip3: 'pip', hub: 'gh' };

/** Programs that change something or go on until somebody stops them, whatever their arguments are. */
const DOERS =
  /^(?:sudo|doas|su|rm|rmdir|mv|cp|mkdir|mktemp|touch|ln|chmod|chown|chgrp|truncate|dd|install|rsync|scp|sftp|ssh|wget|kill|pkill|killall|open|xdg-open|start|code|cursor|vim?|nvim|nano|emacs|tee|patch|unzip|source|\.|crontab|systemctl|service|launchctl|brew|apt|apt-get|dnf|yum|apk|pacman|choco|winget|scoop|snap|asdf|nvm|rustup|watch|tmux|screen|reboot|shutdown|createdb|dropdb|tsx-watch|nodemon|live-server|http-server|json-server|serve|uvicorn|gunicorn|hypercorn|daphne|nginx|caddy|redis-server|mongod|postgres|electron|degit|ngrok|ansible(?:-playbook)?|cdk|sam|sls|serverless|eb|cap|dokku|degit|tiged)$/;

/** Programs that only read, whatever words follow them. */
const READERS =
  /^(?:grep|egrep|fgrep|rg|ag|ack|test|\[|\[\[|cat|head|tail|less|more|ls|ll|diff|cmp|wc|stat|file|tree|which|type|jq|tsc|pytest|py\.test|jest|mocha|ava|mypy|pyright|echo|printf|true|false|cd|pwd|exit|set|unset|export|sleep|date|sort|uniq|cut|tr|awk|column|seq|basename|dirname|realpath|readlink|shellcheck|hadolint|actionlint|yamllint|markdownlint|xmllint|sha\d*sum|md5sum|shasum|du|df|ps|id|whoami|uname|hostname|printenv|for|case|select|function|return|break|continue|local|declare|read|shift|trap|wait)$/;

function judgeProgram(named: string, rest: readonly string[]): OrderProblem | null {
  const program = ALIASES[named] ?? named;
  const asked = /^(?:--version|--help|-h|help)$/.test(rest[0] ?? '');
  const careful = CAREFUL[program];
  if (careful !== undefined) {
    if (asked || careful.test(skipGlobal(program, rest).join(' '))) return null;
    return program === 'git' ? GIT : WORK;
  }
  if (DOERS.test(program)) return asked ? null : WORK;
  const orders = ORDERS[/^python[\d.]*$/.test(program) ? 'python' : program]?.(rest) ?? ordersByWords(program, rest);
  return orders ? WORK : null;
}

function ordersByWords(program: string, rest: readonly string[]): boolean {
  return !READERS.test(program) && (WRITING_OPTION.test(` ${rest.join(' ')} `) || ordersByVerb(program, rest));
}

const editsInPlace = (rest: readonly string[]): boolean => rest.some((word) => /^-[a-zA-Z]*i|^--in-place/.test(word));

/** Programs that do work by some of their options; what is not said to be work is judged by its words. */
const ORDERS: Readonly<Record<string, (rest: readonly string[]) => boolean | undefined>> = {
  find: (rest) => rest.includes('-delete'),
  sed: editsInPlace,
  perl: editsInPlace,
  curl: (rest) => CURL_CHANGES.test(rest.join(' ')),
  tar: (rest) => /^-?[a-z]*[cxru]/.test(rest[0] ?? ''),
  vite: (rest) => rest[0] !== 'build',
  parcel: (rest) => rest[0] !== 'build',
  php: (rest) => rest[0] === '-S' || undefined,
  python: ([option, module = '', ...more]) => {
    if (option !== '-m') return undefined;
    if (module === 'pip') return judgeProgram('pip', more) !== null;
    return /^(?:http\.server|uvicorn|gunicorn|venv|virtualenv|flask|ensurepip)$/.test(module) || undefined;
  },
};

const CURL_CHANGES =
  /(?:^|\s)(?:-X\s*(?!GET\b|HEAD\b)\w+|--request\s+(?!GET\b|HEAD\b)|-d\b|--data|-F\b|--form|-T\b|--upload-file|-O\b|-o\s+(?!\/dev\/null))/;
const WRITING_OPTION =
  /\s(?:--watch|--fix|--write|--in-place|--updateSnapshot|--update-snapshots?|--remote|--watchAll)(?:=true)?\s|\s(?:-o|--out(?:put)?(?:-?(?:file|dir))?)[\s=](?!\/dev\/)\S/;

/** Options before the subcommand, with what belongs to them. */
function skipGlobal(program: string, rest: readonly string[]): readonly string[] {
  const at = rest.findIndex((word) => /^-/.test(word));
  if (at !== 0) return rest;
  const takesNext =
    program === 'git'
      ? /^(?:-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--config-env)$/
      : /^(?:-n|--namespace|--context|--profile|--region|--project|-R|--repo|--chdir|-C|--directory|-f|--config|-p)$/;
  const option = rest[0] ?? '';
  if (/^--?(?:version|help|V|c|command|l|file)$/.test(option) && program !== 'git') return rest;
  return skipGlobal(program, rest.slice(takesNext.test(option) ? 2 : 1));
}

/** Words that say what a script, a target or a subcommand does. */
const VERBS = new Set(
  'i ci install add remove uninstall update upgrade publish deploy release init create new generate gen migrate migration seed push apply up down link start dev serve server runserver preview fix format fmt clean reset destroy drop sync bootstrap setup provision bump login logout rollback scaffold upload startapp startproject s'.split(
    ' ',
  ),
);
/** Words that say that it only looks. */
const LOOKS =
  /^(?:test|tests|spec|specs|check|checks|lint|verify|validate|validation|dry|status|list|ls|smoke|e2e|audit|diff|show|report)$/;

/** Options of managers of packages that have a value of their own. */
const VALUED = /^(?:--prefix|-w|--workspace|-C|--dir|--filter|-F|--cwd|--directory|--package|-p)$/;

/** Whether one of the first words behind a program orders work. */
function ordersByVerb(program: string, rest: readonly string[]): boolean {
  const words = rest
    .filter((word, index) => !word.startsWith('-') && !VALUED.test(rest[index - 1] ?? ''))
    .slice(0, isManager(program) ? 2 : 3);
  if (rest.some((word) => /^--(?:check|dry-run|list|help|version|verify|validate|no-write|list-different)$/.test(word)))
    return false;
  // What is run by its path or its name is judged by the word that names it; behind it stand arguments.
  const until = words.findIndex((word) => LOOKS.test(word) || /[./]/.test(word));
  const named = until < 0 ? words : words.slice(0, /\.(?:py|php|rb)$/.test(words[until] ?? '') ? until + 2 : until);
  return named.some((word) => nameOrders(word, isManager(program)));
}

const isManager = (program: string): boolean =>
  /^(?:np[mx]|pnpm|yarn|bun|deno|make|just|task|rake|mix|composer|gradlew?|mvnw?|invoke|nox|tox|lerna|nx|turbo)$/.test(
    program,
  );

/** Whether a name says that it does something: `db:migrate`, `deploy-prod`; not `format:check`. */
function nameOrders(name: string, isTarget: boolean): boolean {
  const tokens = name.toLowerCase().split(/[^a-z\d]+/);
  if (tokens.some((token) => LOOKS.test(token))) return false;
  return tokens.some(
    (token, index) => VERBS.has(token) && (token.length > 1 || (index === 0 && !isTarget && tokens.length === 1)),
  );
}

/** A script is judged by its name. */
function judgeScript(path: string, rest: readonly string[]): OrderProblem | null {
  if (path.includes('$')) return UNKNOWN;
  const name = INTERPRETER.test(getBase(path)) ? (rest.find((word) => !word.startsWith('-')) ?? '') : path;
  if (READERS.test(getBase(path)) || rest.some((word) => /^--(?:check|dry-run|help|version|test)$/.test(word)))
    return null;
  const base = getBase(name).replace(/\.\w+$/, '');
  return nameOrders(base, true) ? WORK : null;
}

function getBase(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.exe$/, '');
}
