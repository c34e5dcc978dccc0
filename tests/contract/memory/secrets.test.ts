import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readGoals } from '../../../src/documents/goals.js';
import { devCli, writeProjectFile } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import { readTree } from '../../support/image.js';
import { BINARY, type Project } from '../../support/project.mjs';

// memory.md, Entries; documents.md, Foreign text: a text that looks like a secret gets into no entry, file or answer,
// whichever command it is passed to.

const letters = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF';
const AWS = ['AKIA', 'ASIA', 'AGPA', 'AIDA', 'AROA', 'ANPA'].map((prefix) => `${prefix}${'Z7Q2'.repeat(4)}`);
const GITHUB = ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'].map((prefix) => `${prefix}${letters}abcd`);
const GITLAB = ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glagent-'].map((prefix) => `${prefix}${letters.slice(0, 20)}`);
const OTHERS = [
  'github_pat_',
  'xoxb-',
  'xoxp-',
  'xapp-',
  'sk-',
  'sk-proj-',
  'sk-ant-api03-',
  'sk-svcacct-',
  'sk-admin-',
]
  .concat(['sk_live_', 'rk_live_'])
  .map((prefix) => `${prefix}${letters}`);
const ALONE = [...AWS, ...GITHUB, ...GITLAB, ...OTHERS, `AIza${letters}abc`, `npm_${letters}abcd`];
const TOKEN = `eyJ${letters}.eyJ${letters}.${letters}`;

/** Texts, each with the part that is secret. */
const SHAPES: readonly (readonly [text: string, secret: string])[] = [
  ...[...ALONE, TOKEN].map((secret) => [secret, secret] as const),
  ['postgres://app:pa55w0rd@db:5432/x', 'pa55w0rd'],
  ['https://me:hunter2hunter2@example.org', 'hunter2hunter2'],
  ['Authorization: Bearer abcdef1234567890', 'abcdef1234567890'],
  ['Authorization: Basic QWxhZGRpbjpvcGVu12', 'QWxhZGRpbjpvcGVu12'],
  ['DB_PASSWORD=s3cret!word', 's3cret!word'],
  ['{"token": "abc123def"}', 'abc123def'],
  ["apiKey: 'k3y-9f8e7d'", 'k3y-9f8e7d'],
  ['client_secret: Tr0ub4dor+3horse', 'Tr0ub4dor+3horse'],
  ['https://h/x?token=abc987def&y=1', 'abc987def'],
  [`-----BEGIN RSA PRIVATE KEY-----\n${letters}${letters}\n-----END RSA PRIVATE KEY-----`, letters],
];
const TEXTS = SHAPES.map(([text]) => text);

const create = freshProjects();

const git = (project: Project, args: string[], input?: string) =>
  execFileSync('git', args, { cwd: project.root, env: project.env, encoding: 'utf8', input, stdio: 'pipe' });

/** The ways into memory. Each passes in every text and returns the answers. */
const WAYS: Record<string, (project: Project) => string[]> = {
  'memory decide, next, note, relevant': (project) =>
    TEXTS.flatMap((text) => [
      answer(project, ['memory', 'decide', '--text', `a ${text} b`, '--reason', `c ${text}`]),
      answer(project, ['memory', 'next', '--text', text, '--done-when', text]),
      answer(project, ['memory', 'note', '--kind', 'tried', '--text', text]),
      answer(project, ['memory', 'relevant', 'src/server.js', '--why', text]),
    ]),
  // Leaves out texts that begin with a dash, because the parser takes them for options and prints them.
  'a path, and an id': (project) =>
    TEXTS.filter((text) => !text.startsWith('-')).flatMap((text) => [
      answer(project, ['memory', 'relevant', text]),
      answer(project, ['memory', 'forget', text]),
      answer(project, ['memory', 'decide', '--text', 'x', '--supersedes', text]),
    ]),
  'memory verify and checkpoint': (project) => [
    answer(project, ['memory', 'verify', '--', process.execPath, '-e', '0', ...TEXTS]),
    ...TEXTS.map((text) => answer(project, ['memory', 'verify', '--', 'true', text])),
    ...TEXTS.map((text) => answer(project, ['memory', 'verify', '--text', `curl ${text} -> ${text}`])),
    answer(project, ['memory', 'verify', '--again']),
    answer(project, ['memory', 'checkpoint', '--message', TEXTS.join(' ')]),
    git(project, ['for-each-ref', '--format=%(contents)', 'refs/dev-cli']),
  ],
  'handoff write': (project) => [
    answer(project, ['handoff', 'write', ...TEXTS.flatMap((text) => [...once(text), '--dry-run'])]),
    answer(project, ['handoff', 'write', ...TEXTS.flatMap(several), ...once(TEXTS.join(' '))]),
  ],
  'a prompt, and what an agent said': (project) =>
    TEXTS.flatMap((prompt) => {
      const heard = { session_id: 's', cwd: project.root, prompt, last_assistant_message: prompt };
      return ['user-prompt-submit', 'stop'].map((event) =>
        answer(project, ['hook', event, '--harness', 'claude'], JSON.stringify(heard)),
      );
    }),
  'goals, rules and the handoff of somebody else': (project) => {
    const goals = TEXTS.map((title, index) => ({ id: `g${index}`, title, status: 'active' }));
    writeProjectFile(project, '.ai/rules.md', TEXTS.map((text) => text.replaceAll('\n', '\\n')).join('\n'));
    const list = TEXTS.map((text) => `- ${text.replaceAll('\n', '\\n')}`).join('\n');
    const front = ['timestamp: 2100-01-01T00:00:00Z', 'status: blocked', `goal_id: ${AWS[0]}`, `reason: ${AWS[1]}`];
    const parts = ['Done', 'Key Decisions', 'Next', 'Context Files', 'Tried', 'Verification', 'Waiting'];
    const body = parts.map((part) => `## ${part}\n${list}\n`).join('');
    writeProjectFile(project, '.ai/handoffs/2100-01-01_000000.md', `---\n${front.join('\n')}\n---\n${body}`);
    const read = readGoals(JSON.stringify({ goals }));
    const wrong = readGoals(JSON.stringify({ goals: TEXTS.map((id) => ({ id, title: 1, status: id, mode: [id] })) }));
    return [JSON.stringify([read, wrong]), ...everything(project)];
  },
  'commits, branches and files': (project) => {
    for (let from = 0; from < TEXTS.length; from += 2)
      git(
        project,
        ['commit', '--quiet', '--allow-empty', '--file=-'],
        TEXTS.slice(from, from + 2)
          .join(' ')
          .replaceAll('\n', ' '),
      );
    for (const name of TEXTS.filter((text) => !/[/\n]/.test(text))) writeProjectFile(project, `new/${name}`, '');
    const branches = ALONE.filter((name) => !/[^A-Za-z0-9_-]/.test(name));
    return branches.flatMap((branch, index) => {
      git(project, ['symbolic-ref', 'HEAD', `refs/heads/x/${branch}`]);
      return [
        answer(project, ['memory', 'note', '--kind', 'risk', '--text', `n${index}`]),
        answer(project, ['context', '--text']),
      ];
    });
  },
  'arguments of tools': (project) => {
    const calls = [
      ...TEXTS.map((text) => ['transfer_set_decision', { text, reason: text, supersedes: text }]),
      ...TEXTS.map((text) => ['transfer_set_decision', { text, reason: text }]),
      ...TEXTS.map((text) => ['transfer_set_relevant', { path: text, why: text }]),
      ['transfer_set_verification', { text: TEXTS.join(' ') }],
      ['handoff_create', { session_summary: TEXTS.join(' '), first_next_action: 'x', decision: TEXTS, tried: TEXTS }],
      ['project_context_get', { format: AWS[0] }],
    ];
    const requests = calls.map(([name, given], id) => ({
      ...{ jsonrpc: '2.0', id, method: 'tools/call' },
      params: { name, arguments: given },
    }));
    const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } };
    const lines = [{ jsonrpc: '2.0', id: 'i', method: 'initialize', params: hello }, ...requests];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const around = { cwd: project.root, env: project.env, encoding: 'utf8', input } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'mcp'], around);
    expect(status, stderr).toBe(0);
    return [stdout, stderr];
  },
};

const once = (text: string) =>
  ['session-summary', 'first-next-action', 'done-when', 'blocked-by', 'switched-to', 'reason'].flatMap((option) => [
    `--${option}`,
    text,
  ]);
const several = (text: string) => ['decision', 'verification', 'tried'].flatMap((option) => [`--${option}`, text]);

function answer(project: Project, args: string[], stdin?: string): string {
  const { stdout, stderr } = devCli(project, args, stdin === undefined ? {} : { stdin });
  return stdout + stderr;
}

/** Returns the output of every command that shows what memory contains. */
function everything(project: Project): string[] {
  const shown = [
    ['memory', 'show', '--all'],
    ['memory', 'show', '--all', '--text'],
    ['handoff', 'write', '--print'],
  ];
  const contexts = ['markdown', 'plain', 'json'].map((format) => ['context', '--text', '--format', format]);
  return [...shown, ...contexts, ['transfer', '--handoff', '--print'], ['doctor', '--json']].map((args) =>
    answer(project, args),
  );
}

it.each(Object.keys(WAYS))('by %s', { timeout: 300_000 }, (way) => {
  const project = create();
  devCli(project, ['transfer', '--handoff', '--decision', 'begun']);
  const answers = [...(WAYS[way]?.(project) ?? []), ...everything(project)];
  const files = ['.dev', '.ai/handoffs'].flatMap((directory) =>
    [...readTree(join(project.root, directory))].map(([path, content]) => `${path} ${content.toString('utf8')}`),
  );
  const context = readTree(project.root).get('PROJECT_CONTEXT.md')?.toString('utf8') ?? '';
  const written = files.filter((text) => !text.startsWith('2100-'));
  const leaked = SHAPES.filter(([, secret]) => [...answers, ...written, context].some((text) => text.includes(secret)));
  expect(leaked.map(([text]) => text)).toEqual([]);
  expect([...answers, ...written].join('')).toContain('[masked]');
});

it('of 40 shapes', () => {
  expect(SHAPES.length).toBeGreaterThanOrEqual(40);
});
