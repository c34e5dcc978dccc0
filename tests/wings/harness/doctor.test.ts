import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HARNESS_IDS, type HarnessId } from '../../../src/generated/harnesses.js';
import { renderMatcher } from '../../../src/wings/harness/adapter.js';
import { judgeTrial, listHookLines } from '../../../src/wings/harness/doctor/guard.js';
import {
  findUnheardTools,
  isWritten,
  judgeFiles,
  readFormFaults,
} from '../../../src/wings/harness/doctor/installed.js';
import { renderPayload } from '../../../src/wings/harness/doctor/playground.js';
import type { ProgramEnd } from '../../../src/wings/harness/doctor/probes.js';
import {
  type CallingSessionFacts,
  findCallingHarness,
  judgeCallingSession,
} from '../../../src/wings/harness/doctor/session.js';
import { judgeShell, listShells } from '../../../src/wings/harness/doctor/shells.js';
import { lookForSilence } from '../../../src/wings/harness/doctor/silence.js';
import {
  judgeIdentity,
  judgeIgnored,
  judgeListening,
  judgeWriting,
} from '../../../src/wings/harness/doctor/surroundings.js';
import { compareVersions, judgeGit, judgeManifest, judgeNode } from '../../../src/wings/harness/doctor/versions.js';
import { listCallWrites } from '../../../src/wings/harness/guard/writes.js';
import { HARNESSES } from '../../../src/wings/harness/harness.js';
import { readPayload } from '../../../src/wings/harness/hooks/payload.js';

// harness.md, Doctor: how each check judges its facts. Whether the facts are gathered correctly is tested through the
// binary.

const exit = (code: number, stdout = '', stderr = ''): ProgramEnd => ({ end: 'exit', code, stdout, stderr });
const hung: ProgramEnd = { end: 'time', seconds: 5, stdout: '', stderr: '' };
const killed: ProgramEnd = { end: 'signal', signal: 'SIGSEGV', stdout: '', stderr: '' };
const absent: ProgramEnd = { end: 'unstarted', code: 'ENOENT', stdout: '', stderr: '' };
const REFUSED = exit(2, '{"decision":"block","reason":"no"}\n', 'no');

describe('the guard', () => {
  it.each<[string, ProgramEnd, ProgramEnd, 'ok' | 'problem', RegExp]>([
    ['fires', REFUSED, exit(0), 'ok', /fires/],
    ['passes', exit(0), exit(0), 'problem', /does not fire.*lets it pass/],
    ['refuses with another exit code', exit(0, REFUSED.stdout), exit(0), 'problem', /does not fire/],
    ['fails with 1, which harnesses let pass', exit(1, '', 'boom'), exit(0), 'problem', /exit code 1.*boom/],
    ['hangs', hung, exit(0), 'problem', /no answer in 5 s/],
    ['dies', killed, exit(0), 'problem', /SIGSEGV/],
    ['cannot be started', absent, absent, 'problem', /ENOENT/],
    ['blocks unjudged', exit(2, '', 'not found'), exit(0), 'problem', /without judging.*not found/],
    ['blocks with another answer', exit(2, '[]'), exit(0), 'problem', /without judging/],
    ['blocks where dev-cli is not used', REFUSED, REFUSED, 'problem', /not used.*blocks a write/],
    ['hangs where dev-cli is not used', REFUSED, hung, 'problem', /not used.*no answer/],
    ['fails where dev-cli is not used', REFUSED, exit(1), 'problem', /not used.*exit code 1/],
  ])('%s', (_what, guarded, unguarded, severity, message) => {
    const finding = judgeTrial({ check: 'guard', harness: 'claude' }, { guarded, unguarded });
    expect(finding).toMatchObject({ severity, message: expect.stringMatching(message) });
    expect(finding.fix !== undefined).toBe(severity === 'problem');
  });

  it.each(HARNESS_IDS)('is tried on what %s sends for a write of a source', (harness) => {
    const source = { event: 'pre-tool-use', harness, cwd: '/elsewhere', unattended: false } as const;
    const event = readPayload(renderPayload(harness, '/p'), source);
    if (event?.on !== 'pre-tool-use') throw new Error('no event');
    expect(event.cwd).toBe('/p');
    expect(listCallWrites(event.tool, event.input)?.paths.map((path) => path.replace(/^\/p\//, ''))).toEqual([
      'src/doctor.txt',
    ]);
    expect(renderMatcher(HARNESSES[harness], 'pre-tool-use')?.split('|')).toContain(event.tool);
  });

  it.each<[unknown, string[]]>([
    [undefined, []],
    ['', []],
    ['*', []],
    ['.*', []],
    ['apply_patch|Bash|More', []],
    ['Bash', ['apply_patch']],
    ['bash', ['apply_patch', 'Bash']],
    ['(', ['apply_patch', 'Bash']],
    [7, ['apply_patch', 'Bash']],
  ])('is called for tools by the matcher %j', (matcher, unheard) => {
    const hook = { line: '', ...(matcher === undefined ? {} : { matcher }) };
    expect(findUnheardTools(hook, 'codex')).toEqual(unheard);
  });

  it('whatever stands in settings, the lines of an event are found or passed over', () => {
    const hook = fc.oneof(fc.jsonValue(), fc.record({ command: fc.string() }));
    const group = fc.oneof(fc.jsonValue(), fc.record({ hooks: fc.oneof(fc.jsonValue(), fc.array(hook)) }));
    const hooks = fc.oneof(fc.jsonValue(), fc.record({ PreToolUse: fc.oneof(fc.jsonValue(), fc.array(group)) }));
    fc.assert(
      fc.property(hooks, (value) => {
        for (const { line } of listHookLines({ hooks: value }, 'PreToolUse')) expect(typeof line).toBe('string');
        for (const harness of HARNESS_IDS)
          readFormFaults(harness, JSON.stringify({ hooks: value, permissions: value, env: value }));
      }),
    );
  });
});

describe('the session', () => {
  const facts: CallingSessionFacts = {
    harness: 'claude',
    session: 's1',
    mark: { run: null, heard: true },
    leavesTrace: true,
    below: null,
  };
  const bound = { run: 'add-x', heard: false };
  const below = { root: '/p', cwd: '/p/src' };
  it.each<[string, Partial<CallingSessionFacts>, string, RegExp]>([
    ['a mark without a run', {}, 'ok', /reported this session/],
    ['a mark with a run', { mark: { ...bound, heard: true } }, 'ok', /in "add-x"/],
    ['a mark with a run, below the root', { mark: { ...bound, heard: true }, below }, 'ok', /in "add-x"/],
    ['a binding, which init makes, too', { mark: bound }, 'note', /unknown/],
    ['a binding, below the root', { mark: bound, below }, 'problem', /reads \/p\/\.claude only if/],
    ['no mark', { mark: null }, 'problem', /No hook has reported/],
    [
      'no mark, below the root',
      { mark: null, below },
      'problem',
      /only if it is started there, but this session is in \/p\/src/,
    ],
    [
      'no mark, below the root, in another harness',
      { mark: null, below, harness: 'codex' },
      'problem',
      /session of Codex/,
    ],
    ['the mark of a session that ended', { mark: { run: null, heard: false } }, 'problem', /No hook has/],
    ['no mark, where hooks leave none', { mark: null, leavesTrace: false }, 'note', /no runs/],
    ['no id', { session: null, harness: 'gemini', mark: null }, 'note', /does not tell/],
    ['no harness', { session: null, harness: null, mark: null }, 'note', /Not called/],
    ['an unknown harness without a mark', { harness: null, mark: null }, 'problem', /No hook has reported/],
  ])('%s', (_what, change, severity, message) => {
    const finding = judgeCallingSession({ ...facts, ...change });
    expect(finding).toMatchObject({ severity, message: expect.stringMatching(message) });
  });

  it.each([
    ['codex', /trusted/],
    ['gemini', /enabled/],
    ['claude', /\/hooks/],
  ] as const)('says why %s may be silent', (harness, fix) => {
    expect(judgeCallingSession({ ...facts, harness, mark: null }).fix).toMatch(fix);
  });

  it.each([
    [{}, null],
    [{ CLAUDECODE: '1' }, 'claude'],
    [{ CLAUDECODE: '' }, null],
    [{ CODEX_CI: '1', CLAUDECODE: '1' }, 'codex'],
    [{ GEMINI_CLI: '1' }, 'gemini'],
    [{ DEV_CLI_HARNESS: 'codex', CLAUDECODE: '1' }, 'codex'],
    [{ DEV_CLI_HARNESS: 'other' }, null],
  ])('%j is called by %s', (env, harness) => {
    expect(findCallingHarness(env)).toBe(harness);
  });
});

describe('silence', () => {
  const silenceOf = (
    harness: 'claude' | 'codex' | 'gemini',
    files: Record<string, string>,
    {
      scopes = ['project'],
      cwd = '/w/p',
      env = {},
    }: { scopes?: ('project' | 'user')[]; cwd?: string; env?: Record<string, string> } = {},
  ) =>
    lookForSilence({
      harness,
      directories: ['/w/p', '/w/main'],
      cwd,
      scopes,
      home: '/h',
      env,
      read: (path) => files[path] ?? null,
    }).map(({ message }) => message);
  const codex = (text: string, more?: Parameters<typeof silenceOf>[2]) =>
    silenceOf('codex', { '/h/.codex/config.toml': text, '/c/config.toml': text }, more);

  it('Codex CLI: the project has to be trusted', () => {
    expect(codex('')).toEqual([expect.stringContaining('does not trust')]);
    expect(codex('[projects."/w/p"]\ntrust_level = "untrusted"')).toHaveLength(1);
    expect(codex('[projects."/w"]\ntrust_level = "trusted"')).toHaveLength(1);
    expect(codex('[projects."/w/p"]\ntrust_level = "trusted"')).toEqual([]);
    expect(codex('projects."/w/main" = { trust_level = "trusted" }')).toEqual([]);
    expect(codex('[projects."/w/p"]\ntrust_level = "trusted"', { env: { CODEX_HOME: '/c' } })).toEqual([]);
    expect(codex('', { scopes: ['user'] })).toEqual([]);
  });

  it('Codex CLI: hooks are not switched off, and its settings are TOML', () => {
    expect(codex('[features]\nhooks = false', { scopes: ['user'] })).toEqual([expect.stringContaining('switched off')]);
    expect(codex('[features', { scopes: ['user'] })).toEqual([expect.stringContaining('not valid TOML')]);
    expect(codex('projects = 3')).toHaveLength(1);
  });

  it('Gemini CLI: hooks are on, and the folder is trusted', () => {
    const own = '/h/.gemini/settings.json';
    const trusted = '/h/.gemini/trustedFolders.json';
    const asksNever = '{ "security": { "folderTrust": { "enabled": false } } } // mine';
    const trusts = { [trusted]: '{"/w/p":"TRUST_FOLDER"} // mine' };
    const byEnv = (env: Record<string, string>) => silenceOf('gemini', trusts, { env });
    expect(silenceOf('gemini', trusts)).toEqual([]);
    expect(
      silenceOf('gemini', { ...trusts, '/w/p/.gemini/settings.json': '{"hooksConfig":{"enabled":false}}' }),
    ).toHaveLength(1);
    expect(silenceOf('gemini', { ...trusts, [own]: '{"tools":{"enableHooks":false}}' })).toHaveLength(1);
    expect(silenceOf('gemini', {})).toEqual([expect.stringContaining('not yet been told')]);
    expect(silenceOf('gemini', { [own]: '{}' })).toEqual([expect.stringContaining('not yet been told')]);
    expect(silenceOf('gemini', { [own]: asksNever })).toEqual([]);
    expect(silenceOf('gemini', {}, { env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } })).toEqual([]);
    expect(byEnv({ GEMINI_CLI_TRUST_WORKSPACE: 'false' })).toEqual([expect.stringContaining('The environment tells')]);
    expect(byEnv({ GEMINI_RESTRICTED_MODE: 'true' })).toEqual([expect.stringContaining('The environment tells')]);
    expect(silenceOf('gemini', { [trusted]: '{"/w":"TRUST_FOLDER"}' })).toEqual([]);
    expect(silenceOf('gemini', { [trusted]: '{"/w/x":"TRUST_PARENT"}' })).toEqual([]);
    expect(silenceOf('gemini', { [trusted]: '{"/w/pp":"TRUST_FOLDER"}' })).toHaveLength(1);
    expect(silenceOf('gemini', { [trusted]: '{"/w/p":"YES"}' })).toHaveLength(1);
    expect(silenceOf('gemini', { [trusted]: '{"/":"TRUST_FOLDER","/w/p":"DO_NOT_TRUST"}' })).toHaveLength(1);
    expect(silenceOf('gemini', { [trusted]: '{"/w/p":"DO_NOT_TRUST"}' }, { scopes: ['user'] })).toEqual([]);
  });

  it('Gemini CLI: where hooks stand for the user, too, mistrust of the folder is no problem', () => {
    const asked = {
      harness: 'gemini',
      directories: ['/w/p'],
      cwd: '/w/p',
      home: '/h',
      env: {},
      read: () => null,
    } as const;
    expect(lookForSilence({ ...asked, scopes: ['project'] }).map(({ severity }) => severity)).toEqual(['problem']);
    expect(lookForSilence({ ...asked, scopes: ['project', 'user'] }).map(({ severity }) => severity)).toEqual(['note']);
  });

  it.each(['claude', 'gemini'] as const)('%s reads a project only where it is started', (harness) => {
    const files = { '/h/.gemini/trustedFolders.json': '{"/w/p":"TRUST_FOLDER"}' };
    const started = [expect.stringContaining('only if it is started')];
    expect(silenceOf(harness, files)).toEqual([]);
    expect(silenceOf(harness, files, { cwd: '/w/p/src' })).toEqual(started);
    expect(silenceOf(harness, files, { cwd: '/w/p/src', scopes: ['project', 'user'] })).toEqual([]);
    expect(codex('[projects."/w/p"]\ntrust_level = "trusted"', { cwd: '/w/p/src' })).toEqual([]);
  });

  it('a harness that reads another directory than the one in the home directory', () => {
    const env = { CODEX_HOME: '/c', CLAUDE_CONFIG_DIR: '/h/.claude/' };
    expect(codex('', { scopes: ['user'], env })).toEqual([expect.stringContaining('reads /c (CODEX_HOME)')]);
    expect(silenceOf('claude', {}, { scopes: ['user'], env })).toEqual([]);
    expect(silenceOf('claude', {}, { env: { CLAUDE_CONFIG_DIR: '/c' } })).toEqual([]);
  });

  it('Claude Code: hooks are not disabled, in any of its settings', () => {
    expect(silenceOf('claude', { '/h/.claude/settings.json': '{}' })).toEqual([]);
    for (const path of ['/h/.claude/settings.json', '/w/p/.claude/settings.local.json']) {
      expect(silenceOf('claude', { [path]: '{"disableAllHooks": true}' })).toEqual([expect.stringContaining(path)]);
    }
  });
});

describe('what a harness cannot use', () => {
  const hook = { type: 'command', command: 'x', timeout: 3 };
  const formOf = (harness: HarnessId, settings: object | string) =>
    readFormFaults(harness, typeof settings === 'string' ? settings : JSON.stringify(settings));
  const whats = (...given: Parameters<typeof formOf>) => formOf(...given).map(({ what }) => what);

  it('is nothing in what is well formed, or what nobody knows', () => {
    const hooks = { Stop: [{ matcher: 'x', hooks: [hook] }], Other: [] };
    expect(
      whats('claude', { hooks, other: 1, env: { A: 'b' }, permissions: { defaultMode: 'plan', allow: ['a'] } }),
    ).toEqual([]);
    expect(whats('codex', { hooks: { ...hooks, Other: 7 }, description: 'mine' })).toEqual([]);
    expect(whats('gemini', { hooks: 7, general: 7, other: 1 })).toEqual([]);
    for (const harness of HARNESS_IDS) for (const text of ['', '{', '[]']) expect(whats(harness, text)).toEqual([]);
  });

  it('is a comment or a last comma, by harness', () => {
    const [comment, comma] = ['{ "hooks": {} } // mine', '{ "hooks": {}, }'];
    for (const harness of ['claude', 'codex'] as const)
      for (const text of [comment, comma])
        expect(formOf(harness, text)).toEqual([{ what: 'comments or a trailing comma' }]);
    expect(whats('gemini', comment)).toEqual([]);
    expect(whats('gemini', comma)).toEqual(['a trailing comma']);
  });

  it('has Claude Code drop the file, or, by its version, pass over the entry', () => {
    expect(
      formOf('claude', {
        env: 7,
        model: 7,
        disableAllHooks: 'true',
        permissions: { allow: 'x', defaultMode: 'nonsense', additionalDirectories: [7] },
      }).map(({ what, borneSince }) => [what.replace(/:.*/, ''), borneSince]),
    ).toEqual([
      ['disableAllHooks', undefined],
      ['env', undefined],
      ['model', undefined],
      ['permissions.defaultMode', undefined],
      ['permissions.additionalDirectories', undefined],
      ['permissions.allow', undefined],
    ]);
    const entries = formOf('claude', {
      env: { A: 1 },
      permissions: { allow: ['a', 3] },
      hooks: { Stop: [{ hooks: [hook, { type: 'command' }] }, hook], Other: {} },
    });
    expect(entries.map(({ what }) => what)).toEqual([
      'permissions.allow[1]: not a string',
      'hooks.Stop[0].hooks[1].command: not a string',
      'hooks.Stop[1].hooks: not a list',
      'hooks.Other: not a list',
    ]);
    for (const { borneSince } of entries) expect(borneSince).toMatch(/^2\.1\.\d+$/);
  });

  it('has Codex CLI drop the file', () => {
    expect(
      formOf('codex', {
        env: { A: 1 },
        hooks: {
          Stop: [{ hooks: [{ ...hook, timeout: 1.5 }, { ...hook, type: 'nope' }, {}] }, {}, 'x'],
          PreToolUse: 7,
        },
      }),
    ).toEqual(
      [
        'env: not known',
        'hooks.Stop[0].hooks[0].timeout: not a number of seconds',
        'hooks.Stop[0].hooks[1].type: not known',
        'hooks.Stop[0].hooks[2].type: not a string',
        'hooks.Stop[2]: not an object',
        'hooks.PreToolUse: not a list',
      ].map((what) => ({ what })),
    );
  });
});

describe('what is installed', () => {
  it('is run only as this version writes it', () => {
    const line = 'sh .claude/dev-cli/hook.sh';
    const additions = [
      { path: ['hooks', 'PreToolUse'], value: { hooks: [{ type: 'command', command: line }] } },
      { path: ['hooks', 'Stop'], value: { hooks: [{ type: 'command', command: 'stops' }] } },
    ];
    const pieces = [{ kind: 'settings', path: '.claude/settings.json', additions, what: '' }] as const;
    const lines = [line, `${line} `, `true; ${line}`, 'stops', ''];
    expect(lines.filter((one) => isWritten(one, { harness: 'claude', pieces }))).toEqual([line]);
  });

  const subject = { check: 'installed', harness: 'codex', scope: 'user' } as const;
  it('is missing, of another version, or edited', () => {
    const findings = judgeFiles(subject, [
      { path: 'a', what: '', does: 'created' },
      { path: 'b', what: '', does: 'updated' },
      { path: 'c', what: '', does: 'kept', why: 'it was edited since it was installed' },
      { path: 'd', what: '', does: 'unchanged' },
    ]);
    expect(findings.map(({ severity, message }) => [severity, message])).toEqual([
      ['problem', 'Missing: a.'],
      ['problem', 'Outdated: b.'],
      ['note', expect.stringContaining('edited')],
    ]);
    expect(findings[0]?.fix).toEqual({ command: 'install', input: { harness: ['codex'], user: true } });
  });

  it.each([
    ['0.2.0', []],
    ['0.1.9', [/are from version 0\.1\.9; this is 0\.2\.0/]],
    ['0.10.0', [/older 0\.2\.0/]],
    [undefined, [/which version wrote them/]],
  ])('was installed by %s', (installed, messages) => {
    expect(judgeManifest('project', installed, '0.2.0').map(({ message }) => message)).toEqual(
      messages.map((message) => expect.stringMatching(message)),
    );
  });

  it('versions are in an order, number by number', () => {
    const part = fc.nat(30);
    fc.assert(
      fc.property(fc.tuple(part, part, part), fc.tuple(part, part, part), (one, other) => {
        const at = one.findIndex((value, index) => value !== other[index]);
        const expected = at < 0 ? 0 : Math.sign((one[at] ?? 0) - (other[at] ?? 0));
        expect(Math.sign(compareVersions(one.join('.'), other.join('.')))).toBe(expected);
      }),
    );
  });
});

describe('the surroundings', () => {
  it.each([
    ['20.17.0', 'ok'],
    ['20.9.0', 'problem'],
    ['18.20.1', 'problem'],
    ['22.0.0', 'ok'],
  ])('Node %s', (version, severity) => {
    expect(judgeNode(version).severity).toBe(severity);
  });

  it('git', () => {
    expect(judgeGit(exit(0, 'git version 2.39.5\n'))).toMatchObject({ severity: 'ok', message: 'git 2.39.5.' });
    expect(judgeGit(absent)).toMatchObject({ severity: 'problem', message: expect.stringContaining('PATH') });
    expect(judgeGit(hung).severity).toBe('problem');
  });

  it('who commits, by dev-cli and by this shell', () => {
    const [first, second] = [exit(0, 'A <a@x> 1 +0000\n'), exit(0, 'A <a@x> 2 +0000\n')];
    expect(judgeIdentity({ here: first, own: second })).toMatchObject({
      severity: 'ok',
      message: 'Commits are made as A <a@x>.',
    });
    expect(judgeIdentity({ here: exit(128), own: first }).severity).toBe('note');
    expect(judgeIdentity({ here: exit(0, 'B <b@x> 1 +0000'), own: first }).severity).toBe('note');
    expect(judgeIdentity({ here: first, own: exit(128) }).severity).toBe('problem');
  });

  it('what may be written, listened on, and seen', () => {
    expect(judgeWriting(null, null).severity).toBe('ok');
    expect(judgeWriting({ place: '/p/.git', code: 'EROFS' }, 'codex')).toMatchObject({
      severity: 'problem',
      message: expect.stringContaining('EROFS'),
      fix: expect.stringContaining('Codex'),
    });
    expect(judgeListening(null).severity).toBe('ok');
    expect(judgeListening('EPERM').severity).toBe('problem');
    expect(judgeIgnored(exit(0)).severity).toBe('ok');
    expect(judgeIgnored(exit(1)).severity).toBe('problem');
  });

  it('shells: this one, and the user’s as a login shell', () => {
    const titles = (env: Record<string, string>) => listShells(env).map(({ title }) => title);
    expect(titles({})).toEqual(['this shell', 'sh -lc']);
    expect(titles({ SHELL: '/bin/sh' })).toEqual(['this shell', 'sh -lc']);
    expect(titles({ SHELL: '/usr/bin/zsh' })).toEqual(['this shell', 'zsh -lc']);
  });

  it.each<[string, ProgramEnd, string, RegExp]>([
    ['finds it', exit(0, 'hello\ndev-cli-doctor:\n/b/dev-cli\n0.2.0\n'), 'ok', /finds dev-cli 0\.2\.0: \/b/],
    ['finds another', exit(0, 'dev-cli-doctor:\n/b/dev-cli\n0.1.0\n'), 'problem', /0\.1\.0.*0\.2\.0/],
    ['finds none', exit(127, 'dev-cli-doctor:\n'), 'problem', /not on the PATH/],
    ['finds one that fails', exit(127, 'dev-cli-doctor:\n/b/dev-cli\n', 'no node'), 'problem', /does not run/],
    ['hangs', hung, 'problem', /no answer/],
    ['hangs after it answered', { ...hung, stdout: 'dev-cli-doctor:\n' }, 'problem', /no answer/],
    [
      'finds the one of npx',
      exit(0, 'dev-cli-doctor:\n/home/u/.npm/_npx/1a/node_modules/.bin/dev-cli\n0.2.0\n'),
      'problem',
      /only where npm put it/,
    ],
    ['takes no -lc', exit(1), 'note', /could not be asked/],
    ['is not there', absent, 'note', /ENOENT/],
  ])('a shell that %s', (_what, ran, severity, message) => {
    const finding = judgeShell({ title: 'zsh -lc', program: 'zsh', option: '-lc' }, ran, '0.2.0');
    expect(finding).toMatchObject({ severity, message: expect.stringMatching(message) });
  });
});
