import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ProcessIo, runCommandLine } from '../../../src/cli/front.js';
import type { HandlersOf } from '../../../src/protocol/ports.js';
import { createProject, type Project } from '../../support/project.mjs';
import { MEMO, type SPECS } from '../../support/wing-commands.js';

let project: Project;
beforeEach(() => {
  project = createProject({ sample: null });
});
afterEach(() => project.remove());

function call(argv: string[], more: Partial<ProcessIo> = { wings: [MEMO] }): ReturnType<typeof runCommandLine> {
  return runCommandLine(argv, {
    cwd: project.root,
    env: project.env,
    stdin: 0,
    stdinIsTerminal: false,
    stdoutIsTerminal: false,
    ask: async () => '',
    gateScreen: () => Promise.reject(new Error('nobody decides')),
    write: () => true,
    screen: () => ({ columns: 80, rows: 24 }),
    interruption: () => new AbortController().signal,
    ...more,
  });
}

describe('a group of commands from another room', () => {
  it('is parsed by its schema and carried out by its handler', async () => {
    const { exit, stdout } = await call(['memo', 'add', '--memo', 'a b', '--days', '3']);
    expect([exit, JSON.parse(stdout)]).toEqual([0, { ok: true, root: project.root, kept: 'A B', until: 4 }]);
    expect(await call(['memo', 'add', '--memo', 'nothing'])).toMatchObject({ exit: 2 });
  });

  it('has its errors, its help and its completion', async () => {
    const missing = await call(['memo', 'add', '--days', 'x']);
    expect(missing).toMatchObject({ exit: 2, stdout: expect.stringContaining('--memo is missing.') });
    expect((await call(['memo', 'ad'])).stdout).toContain('Did you mean \\"memo add\\"?');
    expect((await call(['help'])).stdout).toContain('memo add [name]');
    expect((await call(['memo', 'add', '--help'])).stdout).toContain('For so many days.');
    expect((await call(['completion', 'fish'])).stdout).toContain("-a memo -d 'What is to be remembered.'");
  });

  it('leaves the others as they are, and is in no other call', async () => {
    expect(await call(['list'])).toMatchObject({ exit: 0 });
    const without = await call(['memo', 'add'], {});
    expect(without.stdout).toContain('UNKNOWN_COMMAND');
  });

  it('does not compile with a handler that is missing or of another type', () => {
    // @ts-expect-error: memo add is bound to nothing.
    const missing: HandlersOf<typeof SPECS> = {};
    // @ts-expect-error: a memo is no number.
    const wrong: HandlersOf<typeof SPECS> = { 'memo add': async (_context, input: { memo: number }) => never(input) };
    expect([Object.keys(missing), Object.keys(wrong)]).toEqual([[], ['memo add']]);
    expect(MEMO.specs).toHaveLength(1);
  });
});

function never(given: unknown): never {
  throw new Error(String(given));
}
