import { dirname, join, resolve } from 'node:path';
import { parse } from 'smol-toml';
import { DevCliError } from '../../../base/errors.js';
import { isRecord } from '../../../base/json.js';
import { HARNESSES, type HarnessId } from '../harness.js';
import { GEMINI_HOOK_NAME, type Scope } from '../install/pieces.js';
import { parseSettings, readAtPath } from '../install/settings.js';
import { type Finding, note, problem, type Subject } from './finding.js';
import type { Environment } from './probes.js';

/** Why a harness may skip hooks that are installed, without a word (harness.md, Doctor). Nothing here changes what it trusts. */

/** Where a harness is asked. */
export interface Asked {
  harness: HarnessId;
  /** Absolute; the directories whose trust counts for the project, the root first. */
  directories: readonly string[];
  /** Absolute directory of the call. */
  cwd: string;
  /** Where something is installed for it. */
  scopes: readonly Scope[];
  home: string;
  env: Environment;
  /** @throws DevCliError `IO` */
  read: (path: string) => string | null;
}

/** Finds what keeps a harness from running its hooks. @throws DevCliError `IO`, `DATA_MALFORMED` for settings that do not parse */
export function findSilence(asked: Asked): Finding[] {
  return [...findMoved(asked), ...findOwnSilence(asked), ...findBelow(asked)];
}

/** The harnesses that read a project's settings only in the directory that they are started in. */
const FROM_ROOT: readonly HarnessId[] = ['claude', 'gemini'];

function findBelow({ harness, directories: [root = ''], cwd, scopes }: Asked): Finding[] {
  if (!FROM_ROOT.includes(harness) || scopes.join() !== 'project' || cwd === root) return [];
  const { title, directory } = HARNESSES[harness];
  const fix = { command: 'install', input: { harness: [harness], user: true } };
  return [
    note(
      subjectOf(harness),
      `${title} reads ${root}/${directory} only where it is started there, and this is ${cwd}.`,
      fix,
    ),
  ];
}

function findOwnSilence(asked: Asked): Finding[] {
  switch (asked.harness) {
    case 'claude':
      return findClaudeSilence(asked);
    case 'codex':
      return findCodexSilence(asked);
    case 'gemini':
      return findGeminiSilence(asked);
  }
}

const subjectOf = (harness: HarnessId): Subject => ({ check: 'silence', harness });

/** Reads JSON settings; an empty object where there are none. @throws DevCliError `IO`, `DATA_MALFORMED` */
function readSettings({ read }: Asked, path: string): Record<string, unknown> {
  return parseSettings(read(path) ?? '', path);
}

/** The same for settings that `install` writes: those that cannot be used are found where hooks are looked for. */
function readShared(asked: Asked, path: string): Record<string, unknown> {
  try {
    return readSettings(asked, path);
  } catch (error) {
    if (error instanceof DevCliError) return {};
    throw error;
  }
}

/** The variables by which a harness is told another directory than the one in the home directory, which `install` writes to. */
const MOVED: Partial<Record<HarnessId, string>> = { claude: 'CLAUDE_CONFIG_DIR', codex: 'CODEX_HOME' };

/** The user's directory of a harness. */
function findOwnDirectory({ harness, home, env }: Asked): string {
  const variable = MOVED[harness];
  return (variable === undefined ? undefined : env[variable]) || join(home, HARNESSES[harness].directory);
}

function findMoved(asked: Asked): Finding[] {
  const { harness, home, scopes } = asked;
  const [own, usual] = [findOwnDirectory(asked), join(home, HARNESSES[harness].directory)];
  if (!scopes.includes('user') || resolve(own) === usual) return [];
  const { title } = HARNESSES[harness];
  return [
    problem(
      subjectOf(harness),
      `${title} reads ${own} (${MOVED[harness]}), and what is installed for this user stands in ${usual}.`,
      ['Install into the project: ', { command: 'install', input: { harness: [harness] } }, '.'],
    ),
  ];
}

function findClaudeSilence(asked: Asked): Finding[] {
  const [root = ''] = asked.directories;
  const local = join(root, '.claude', 'settings.local.json');
  const shared = [join(findOwnDirectory(asked), 'settings.json'), join(root, '.claude', 'settings.json')];
  const all = [
    ...shared.map((path) => ({ path, settings: readShared(asked, path) })),
    { path: local, settings: readSettings(asked, local) },
  ];
  const silent = all
    .filter(({ settings }) => settings['disableAllHooks'] === true)
    .map(({ path }) =>
      problem(
        subjectOf('claude'),
        `Claude Code runs no hooks: disableAllHooks is set in ${path}.`,
        'Remove it there; `/hooks` in a new session lists what runs.',
      ),
    );
  return [...silent, ...all.flatMap((one) => findDenials('claude', one, ['permissions', 'deny']))];
}

/** A rule for commands that holds for dev-cli as a whole, or for what every run needs of it. */
const DENIES_US =
  /^(?:Bash|run_shell_command|ShellTool)(?:\((?:\*|:\*|dev-cli(?: (?:init|next|step)\b.*?)?(?::\*| ?\*)?)\))?$/;

/** Finds what denies an agent dev-cli itself: such a rule outweighs the permission that `install` writes. */
function findDenials(
  harness: HarnessId,
  { path, settings }: { path: string; settings: Record<string, unknown> },
  key: string[],
): Finding[] {
  const subject: Subject = { check: 'settings', harness };
  return listStrings(settings, key)
    .filter((rule) => DENIES_US.test(rule))
    .map((rule) =>
      problem(
        subject,
        `${HARNESSES[harness].title} denies its agent dev-cli: ${rule} stands in ${path}, below ${key.join('.')}.`,
        'Remove it there.',
      ),
    );
}

function listStrings(settings: Record<string, unknown>, key: string[]): string[] {
  const list = readAtPath(settings, key);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}

function findCodexSilence(asked: Asked): Finding[] {
  const subject = subjectOf('codex');
  const path = join(findOwnDirectory(asked), 'config.toml');
  const config = parseToml(asked.read(path) ?? '');
  if (config === null) return [problem(subject, `${path} is no TOML.`, 'Repair that file: Codex CLI needs it, too.')];
  const features = isRecord(config['features']) ? config['features'] : {};
  const findings: Finding[] = [];
  if (features['hooks'] === false || features['codex_hooks'] === false) {
    findings.push(
      problem(
        subject,
        `Codex CLI runs no hooks: they are switched off in ${path}, below [features].`,
        'Remove it there.',
      ),
    );
  }
  if (!asked.scopes.includes('project')) return findings;
  const projects = isRecord(config['projects']) ? config['projects'] : {};
  const levels = asked.directories.flatMap((directory) => {
    const project = projects[directory];
    return isRecord(project) ? [project['trust_level']] : [];
  });
  if (levels[0] !== 'trusted') {
    const root = asked.directories[0] ?? '';
    findings.push(
      problem(
        subject,
        `Codex CLI does not trust this project, so it skips its hooks in silence (no trust_level = "trusted" for it in ${path}).`,
        `Start codex in ${root} and trust the project when it asks; then look at its hooks with /hooks.`,
      ),
    );
  }
  return findings;
}

function parseToml(text: string): Record<string, unknown> | null {
  try {
    return parse(text);
  } catch {
    return null;
  }
}

function findGeminiSilence(asked: Asked): Finding[] {
  const subject = subjectOf('gemini');
  const root = asked.directories[0] ?? '';
  const own = join(asked.home, HARNESSES.gemini.directory);
  const paths = [join(own, 'settings.json'), join(root, HARNESSES.gemini.directory, 'settings.json')];
  const findings: Finding[] = paths.flatMap((path) => {
    const settings = readShared(asked, path);
    const off = findGeminiSwitch(settings);
    return [
      ...(off === null ? [] : [problem(subject, `Gemini CLI runs no hooks: ${off} in ${path}.`, 'Remove it there.')]),
      ...findDenials('gemini', { path, settings }, ['tools', 'exclude']),
    ];
  });
  const why = asked.scopes.includes('project') ? findMistrust(asked, own, root) : null;
  if (why === null) return findings;
  // Hooks of the user run all the same.
  if (asked.scopes.includes('user')) return [...findings, note(subject, why)];
  return [...findings, problem(subject, why, `Start gemini in ${root} and trust the folder (/permissions).`)];
}

/** Why Gemini CLI leaves a folder's hooks alone; null where it trusts it. It asks unless it is told not to. */
function findMistrust(asked: Asked, own: string, root: string): string | null {
  const { GEMINI_CLI_TRUST_WORKSPACE: word, GEMINI_RESTRICTED_MODE: restricted } = asked.env;
  if (word === 'false' || restricted === 'true')
    return 'Gemini CLI trusts no folder here, by its environment, so it reads none of the hooks of this one.';
  if (word === 'true') return null;
  const settings = readShared(asked, join(own, 'settings.json'));
  if (readAtPath(settings, ['security', 'folderTrust', 'enabled']) === false) return null;
  const path = asked.env['GEMINI_CLI_TRUSTED_FOLDERS_PATH'] || join(own, 'trustedFolders.json');
  const rule = findFolderRule(readSettings(asked, path), root);
  if (rule === 'DO_NOT_TRUST') return `Gemini CLI does not trust this folder (${path}), so it reads none of its hooks.`;
  return rule === null ? 'Gemini CLI has not been told yet to trust this folder; its hooks wait.' : null;
}

/** The switches of hooks by the names that versions gave them. */
const GEMINI_SWITCHES = [
  ['hooksConfig', 'enabled'],
  ['hooks', 'enabled'],
  ['tools', 'enableHooks'],
];

/** The lists of hooks that `/hooks disable` switches off by their names. */
const GEMINI_DISABLED = [
  ['hooksConfig', 'disabled'],
  ['hooks', 'disabled'],
];

function findGeminiSwitch(settings: Record<string, unknown>): string | null {
  const off = GEMINI_SWITCHES.find((path) => readAtPath(settings, path) === false);
  if (off !== undefined) return `${off.join('.')} is false`;
  const list = GEMINI_DISABLED.find((path) => listStrings(settings, path).includes(GEMINI_HOOK_NAME));
  return list === undefined ? null : `${list.join('.')} names "${GEMINI_HOOK_NAME}"`;
}

/** The rule with the longest path whose folder holds a directory; `TRUST_PARENT` speaks for the folder above the one it stands at. */
function findFolderRule(rules: Record<string, unknown>, directory: string): string | null {
  const found = Object.entries(rules).flatMap(([folder, rule]) => {
    const held = rule === 'TRUST_PARENT' ? dirname(folder) : folder;
    const holds = directory === held || directory.startsWith(held.endsWith('/') ? held : `${held}/`);
    return holds && TRUST_RULES.some((one) => one === rule) ? [{ folder, rule: String(rule) }] : [];
  });
  return found.sort((one, other) => other.folder.length - one.folder.length)[0]?.rule ?? null;
}

const TRUST_RULES = ['TRUST_FOLDER', 'TRUST_PARENT', 'DO_NOT_TRUST'];
