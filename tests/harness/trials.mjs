// Compares doctor's findings about planted settings with how the real programs treat the settings: each is started,
// without a model, in a project with dev-cli installed. A file in .dev/sessions shows that the session's hooks ran.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { BINARY, createProject } from '../support/project.mjs';
import { runDevCli } from './stage.mjs';

/** Seconds after which a program is ended, because it would try forever to reach its model. */
const SECONDS = 40;

const FILES = { claude: '.claude/settings.json', codex: '.codex/hooks.json', gemini: '.gemini/settings.json' };
const STOP = { claude: 'Stop', codex: 'Stop', gemini: 'AfterAgent' };

const HOOK = { type: 'command', command: 'true' };
const withStop = (group) => (it, harness) => {
  const { hooks } = it;
  return { ...it, hooks: { ...hooks, [STOP[harness]]: [...hooks[STOP[harness]], group] } };
};
const withHook = (hook) => withStop({ hooks: [hook] });
const withPermission = (key, value) => (it) => ({ ...it, permissions: { ...it.permissions, [key]: value } });
const withText = (change) => (it) => change(JSON.stringify(it));

/** The planted settings, by harness. */
const PLANTED = {
  claude: {
    nothing: (it) => it,
    'a bad defaultMode': withPermission('defaultMode', 'nonsense'),
    'a good defaultMode': withPermission('defaultMode', 'plan'),
    'env that is a number': (it) => ({ ...it, env: 7 }),
    'a number in env': (it) => ({ ...it, env: { A: 1 } }),
    'rules that are no list': withPermission('deny', 'x'),
    'a rule that is a number': withPermission('deny', [7]),
    'a model that is a number': (it) => ({ ...it, model: 7 }),
    'an unknown key': (it) => ({ ...it, whatever: 7 }),
    'a hook without a type': withHook({ command: 'true' }),
    'a timeout that is a text': withHook({ ...HOOK, timeout: '9' }),
    'a group that is a text': withStop('x'),
    'an unknown event': (it) => ({ ...it, hooks: { ...it.hooks, Whatever: 7 } }),
    'a comment': withText((text) => `${text} // mine`),
    'a last comma': withText((text) => text.replace(/}$/, ',}')),
  },
  codex: {
    nothing: (it) => it,
    'an unknown key': (it) => ({ ...it, env: { A: 1 } }),
    'an unknown event': (it) => ({ ...it, hooks: { ...it.hooks, Whatever: 7 } }),
    'a group without hooks': withStop({ matcher: 'x' }),
    'a hook without a type': withHook({ command: 'true' }),
    'a hook of an unknown type': withHook({ ...HOOK, type: 'whatever' }),
    'a timeout that is a text': withHook({ ...HOOK, timeout: '9' }),
    'a comment': withText((text) => `${text} // mine`),
    'a last comma': withText((text) => text.replace(/}$/, ',}')),
  },
  gemini: {
    nothing: (it) => it,
    'a key of another kind': (it) => ({ ...it, ui: 7 }),
    'a hook without a type': withHook({ command: 'true' }),
    'a group that is a text': withStop('x'),
    'a comment': withText((text) => `${text} // mine`),
    'a last comma': withText((text) => text.replace(/}$/, ',}')),
  },
};

/** By harness, ways to start a session other than at the root of a trusted project. */
const PLACES = {
  claude: { 'a subdirectory': { below: true } },
  codex: {},
  gemini: {
    'a folder of which nothing was said': { trust: null },
    'a folder without trust': { trust: 'DO_NOT_TRUST' },
  },
};

/** Tries all planted settings and places of a harness. @returns for each its title, and why it failed, or null */
export function tryAll(rig, harness) {
  const program = join(rig, harness, 'node_modules', '.bin', harness);
  const planted = Object.entries(PLANTED[harness]).map(([title, change]) => ({ title, change }));
  const places = Object.entries(PLACES[harness]).map(([title, place]) => ({ title, ...place }));
  return [...planted, ...places].map((trial) => ({ title: trial.title, why: tryOne({ program, harness, ...trial }) }));
}

function tryOne({ program, harness, change, below = false, trust = 'TRUST_FOLDER' }) {
  const project = createProject({ replay: false });
  try {
    const home = join(dirname(project.root), 'home of the user');
    const bin = join(dirname(project.root), 'programs');
    const cwd = below ? join(project.root, 'src') : project.root;
    for (const directory of [home, bin, cwd]) mkdirSync(directory, { recursive: true });
    symlinkSync(BINARY, join(bin, 'dev-cli'));
    symlinkSync(program, join(bin, harness));
    runDevCli(project, ['install', '--harness', harness, '--yes']);
    if (change !== undefined) {
      const path = join(project.root, FILES[harness]);
      const changed = change(JSON.parse(readFileSync(path, 'utf8')), harness);
      writeFileSync(path, typeof changed === 'string' ? changed : JSON.stringify(changed));
    }
    setUp(home, project.root, trust);
    const PATH = `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;
    const env = { PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8' };
    const ran = start(harness, { cwd, env });
    const sessions = join(project.root, '.dev', 'sessions');
    const isHeard = existsSync(sessions) && readdirSync(sessions).length > 0;
    const doubts = askDoctor(project, { harness, cwd, env });
    if (isHeard === (doubts.length === 0)) return null;
    return `its hooks ${isHeard ? 'ran' : 'did not run'}, and doctor says ${JSON.stringify(doubts)} ${ran}`;
  } finally {
    project.remove();
  }
}

/** Writes settings so that no harness asks anything, each knows its model's address, and the folder is trusted. */
function setUp(home, root, trust) {
  const write = (path, text) => {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  };
  const auth = { security: { auth: { selectedType: 'gemini-api-key' } }, general: { enableAutoUpdate: false } };
  write('.gemini/settings.json', JSON.stringify(auth));
  if (trust !== null) write('.gemini/trustedFolders.json', JSON.stringify({ [root]: trust }));
  write(
    '.codex/config.toml',
    [
      'model_provider = "none"',
      'check_for_update_on_startup = false',
      '[model_providers.none]\nname = "none"\nbase_url = "http://127.0.0.1:9/v1"\nwire_api = "responses"',
      'request_max_retries = 0\nstream_max_retries = 0',
      `[projects."${root}"]\ntrust_level = "trusted"\n`,
    ].join('\n'),
  );
}

const WORDS = {
  claude: ['-p', 'hi'],
  codex: ['exec', '--skip-git-repo-check', '--dangerously-bypass-hook-trust', '-s', 'danger-full-access', 'hi'],
  gemini: ['-p', 'hi'],
};

const AROUND = {
  claude: {
    ANTHROPIC_BASE_URL: 'http://127.0.0.1:9',
    ANTHROPIC_API_KEY: 'x',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  },
  codex: {},
  gemini: { GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:9', GEMINI_API_KEY: 'x', GEMINI_CLI_NO_RELAUNCH: 'true' },
};

/** Starts a harness without a network. @returns the end of its output */
function start(harness, { cwd, env }) {
  const line = `ip link set lo up; exec timeout ${SECONDS} "$@"`;
  const words = [process.getuid() === 0 ? '-n' : '-rn', 'sh', '-c', line, 'sh', harness, ...WORDS[harness]];
  const { stdout, stderr } = spawnSync('unshare', words, {
    cwd,
    env: { ...env, ...AROUND[harness] },
    encoding: 'utf8',
    input: '',
  });
  return `${stdout}${stderr}`.slice(-400);
}

/** Returns the messages in which doctor says that the project's hooks do not run. */
function askDoctor(project, { harness, cwd, env }) {
  const { stdout } = spawnSync(process.execPath, [BINARY, 'doctor', '--harness', harness, '--json'], {
    cwd,
    env: { ...project.env, ...env },
    encoding: 'utf8',
  });
  return JSON.parse(stdout)
    .findings.filter(
      ({ check, severity, message }) =>
        (severity === 'problem' && (check === 'silence' || check === 'settings')) ||
        /only if it is started/.test(message),
    )
    .map(({ message }) => message);
}
