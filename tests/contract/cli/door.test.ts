import { spawnSync } from 'node:child_process';
import { beforeEach, expect, it } from 'vitest';
import { callDoor, type Printed } from '../../support/door.js';
import { project, useProject } from '../../support/each-project.js';
import { readImage, restoreImage } from '../../support/image.js';
import { BINARY } from '../../support/project.mjs';
import { CHOICE_BLOCK, DATA_BLOCK, END_BLOCK, tiny } from '../../support/tiny.js';

// Most tests call the front door in a process of its own (tests/support/door.ts). These tests show that it behaves like
// the binary: the same calls, each on the same `.dev`, print the same and leave the same files.

useProject();
beforeEach(() => {
  tiny(project, 'tiny', [CHOICE_BLOCK, DATA_BLOCK, END_BLOCK]);
});

interface Given {
  argv: string[];
  stdin?: string;
  env?: NodeJS.ProcessEnv;
}

/** A run from beginning to end, including calls that fail. */
const CALLS: Given[] = [
  { argv: ['init', 'one', '--recipe', 'tiny', '--goal', '-'], stdin: 'Add a route,\nwith ü in its name.' },
  { argv: ['next'] },
  { argv: ['next', 'one', '--wait', '0', '--text'] },
  { argv: ['step', 'complete', 'one', '--action', 'a1'] },
  { argv: ['step', 'complete', 'one', '--action', 'a1', '--choice', 'red'] },
  { argv: ['step', 'complete', 'one', '--action', 'a2', '--data', '-'] },
  { argv: ['step', 'complete', 'one', '--action', 'a2', '--data', '-'], stdin: '{"boundaries":"Nothing else."}' },
  { argv: ['status', 'one'], env: { DEV_CLI_DEBUG: '1' } },
  { argv: ['status', 'nope'] },
  { argv: ['draft', 'validate', 'one'] },
  { argv: ['step', 'complete', 'one', '--action', 'a1', '--choice', 'blue'] },
  { argv: ['journal', 'one'] },
  { argv: ['manifest', 'one'] },
  { argv: ['list', '--json'] },
  { argv: ['nxt', '--json'], env: { DEV_CLI_SESSION: 'x', HOME: '/nowhere' } },
  { argv: ['step', 'complete', 'one', '--action', 'a3'] },
  { argv: ['manifest', 'one', '--root', '.'] },
  { argv: ['help', 'step', 'complete'] },
  // Hook calls: sessions with and without a run, tool calls that the guard judges, and invalid payloads.
  {
    argv: ['init', 'two', '--recipe', 'specify-quick-interactive', '--goal', 'Add X'],
    env: { DEV_CLI_SESSION: 's-0' },
  },
  ...(
    [
      ['session-end', { session_id: 's-0' }],
      ['session-start', { source: 'startup' }],
      ['user-prompt-submit', { prompt: 'Go on.' }],
      ['pre-tool-use', { tool_name: 'Write', tool_input: { file_path: 'src/a.js', content: 'x' } }],
      ['pre-tool-use', { tool_name: 'Read', tool_input: { file_path: 'src/a.js' } }],
      ['post-tool-use', { tool_name: 'Bash', tool_input: { command: 'dev-cli next' } }],
      ['stop', {}],
      ['stop', { session_id: 's-2' }],
    ] as const
  ).map(([event, payload]) => hooked(event, JSON.stringify({ session_id: 's-1', cwd: '.', ...payload }))),
  ...['', 'x', '[]', '{}'].map((text) => hooked('pre-tool-use', text)),
  ...['', '@package.json'].map((text) => hooked('stop', text)),
  { argv: ['hook', 'nothing', '--harness', 'claude'], stdin: '{}' },
];

function hooked(event: string, stdin: string): Given {
  return { argv: ['hook', event, '--harness', 'claude'], stdin };
}

function byBinary({ argv, stdin, env }: Given): Printed {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...argv], {
    cwd: project.root,
    env: { ...project.env, ...env },
    encoding: 'utf8',
    input: stdin ?? '',
  });
  return { exit: status ?? -1, stdout, stderr };
}

const byDoor = ({ argv, stdin, env }: Given): Printed =>
  callDoor({ argv, stdin, cwd: project.root, env: { ...project.env, ...env } });

/** Replaces times, digests and other values that differ between two calls. */
function withoutChance(text: string): string {
  return text
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, '<time>')
    .replace(/\d{8}T\d{6}Z-[0-9a-f]{6}/g, '<run>')
    .replace(/\b[0-9a-f]{64}\b/g, '<digest>')
    .replace(/\b\d+ ?m?s\b/g, '<duration>')
    .replace(/"(inode|mtimeMs|ctimeMs|durationMs)": ?[\d.]+/g, '"$1":0')
    .replace(/\\?"crc\\?": ?\\?"[0-9a-f]{8}/g, 'crc');
}

/** Makes a call; returns its output and the files below `.dev` afterwards. */
function outcomeOf(by: (given: Given) => Printed, given: Given) {
  const { exit, stdout, stderr } = by(given);
  const left = [...readImage(project.root)].map(([path, content]) =>
    [path, content.toString('utf8')].map(withoutChance),
  );
  return { exit, stdout: withoutChance(stdout), stderr: withoutChance(stderr), left: left.sort() };
}

it('is the binary, call by call', () => {
  const exits = new Set<number>();
  for (const given of CALLS) {
    const before = readImage(project.root);
    const shipped = outcomeOf(byBinary, given);
    restoreImage(project.root, before);
    const door = outcomeOf(byDoor, given);
    expect(door, given.argv.join(' ')).toEqual(shipped);
    exits.add(door.exit);
  }
  expect([...exits].sort()).toEqual([0, 2, 3]);
});
