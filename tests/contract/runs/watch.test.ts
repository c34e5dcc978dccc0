import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, nextOf, writeProjectFile } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { findRealTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** protocol.md, status: what `status --watch` prints while a run goes on, and how it ends. */

let project: Project;
let watchers: ChildProcess[] = [];
beforeEach(() => {
  project = createProject({ git: false });
});
afterEach(() => {
  for (const watcher of watchers) watcher.kill('SIGKILL');
  watchers = [];
  project.remove();
});

function watch(...args: string[]) {
  const child = spawn(process.execPath, [BINARY, 'status', 'run-1', '--watch', ...args], {
    cwd: project.root,
    env: project.env,
  });
  watchers.push(child);
  let stderr = '';
  child.stderr.on('data', (text) => {
    stderr += text;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    child,
    next: async (): Promise<string> => (await lines.next()).value ?? '',
    rest: async (): Promise<string[]> => {
      const all: string[] = [];
      for (let line = await lines.next(); line.done !== true; line = await lines.next()) all.push(line.value);
      return all;
    },
    ended: new Promise<number | null>((resolve) => child.on('exit', resolve)),
    stderr: () => stderr,
  };
}

describe('status --watch', () => {
  it('tells every change once, as `status --json` does, and ends with the run', async () => {
    const first = startTiny(project, [PLAIN_BLOCK, END_BLOCK]);
    const watcher = watch('--json');
    const document = async () => JSON.parse(await watcher.next()) as Record<string, unknown>;
    const now = devCli(project, ['status', 'run-1', '--json']).json;
    expect(await document()).toEqual({ seq: 2, type: 'status', ...now });
    const second = nextOf(acknowledge(project, first).json);
    expect(await document()).toMatchObject({ type: 'status', status: 'live', block: second.block });
    acknowledge(project, second);
    const image = imageOf(project);
    const [last, end] = (await watcher.rest()).map((line) => JSON.parse(line));
    expect(last).toMatchObject({ type: 'status', status: 'completed' });
    expect(end).toEqual({ seq: last.seq, type: 'end', ok: true, status: 'completed' });
    expect(await watcher.ended).toBe(0);
    expect(imageOf(project)).toEqual(image);
  });

  it('writes a block for each change where there is no terminal, without a sign of one', async () => {
    const first = startTiny(project, [PLAIN_BLOCK]);
    const watcher = watch();
    expect(await watcher.next()).toMatch(/^run-1 +tiny-run-1 +live/);
    acknowledge(project, first);
    const text = (await watcher.rest()).join('\n');
    expect(text.match(/^run-1 /gm)).toHaveLength(1);
    expect(text).toContain('completed');
    expect(text).not.toContain('\u001b');
    expect(await watcher.ended).toBe(0);
  });

  it('ends at once where the run has ended, and with 130 at Ctrl-C', async () => {
    const first = startTiny(project, [PLAIN_BLOCK]);
    const watcher = watch('--json');
    await watcher.next();
    watcher.child.kill('SIGINT');
    const [end] = (await watcher.rest()).map((line) => JSON.parse(line));
    expect(end).toMatchObject({ seq: 2, type: 'end', ok: false, error: { code: 'INTERRUPTED' } });
    expect(await watcher.ended).toBe(130);
    acknowledge(project, first);
    expect(devCli(project, ['status', 'run-1', '--watch']).stdout.match(/^run-1 /gm)).toHaveLength(1);
  });

  it('of no run is one error', () => {
    const { code, json } = devCli(project, ['status', 'none', '--watch', '--json']);
    expect([code, json.error?.code]).toEqual([2, 'NO_SUCH_RUN']);
  });

  const terminal = findRealTerminal();
  const GATE =
    '\n  - id: approve\n    type: wait-for-user\n    message: Shall it be?\n    choices: [{ id: yes, goto: next }]\n';
  it.skipIf(terminal === null)(
    `rings on a terminal when a gate opens, once${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      const first = startTiny(project, [PLAIN_BLOCK, GATE, END_BLOCK]);
      const acting = `(sleep 2; ${first.ack} >/dev/null; sleep 2; kill -INT $$) & `;
      const around = { cwd: project.root, env: { ...project.env, TERM: 'xterm' } };
      const { output } = terminal?.(`${acting} exec dev-cli status run-1 --watch`, around) ?? { output: '' };
      const bell = '\u0007\u001b]9;run-1 waits for you\u0007';
      expect(output.split(bell)).toHaveLength(2);
      startTiny(project, [GATE, END_BLOCK], '', 'run-2');
      const open = terminal?.('(sleep 2; kill -INT $$) & exec dev-cli status run-2 --watch', around);
      expect(open?.output).toContain('Shall it be?');
      expect(open?.output).not.toContain('\u0007');
    },
  );

  it.skipIf(terminal === null).each([
    ['--text', ''],
    ['', 'plain: true\n'],
  ])(
    `adds lines, with words for signs, where a person wants them: %s%s${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    (option, preferences) => {
      const first = startTiny(project, [PLAIN_BLOCK]);
      writeProjectFile(project, '.dev/preferences.yaml', preferences);
      const around = { cwd: project.root, env: { ...project.env, TERM: 'xterm' } };
      const acting = `(sleep 2; ${first.ack} >/dev/null) & `;
      const told = terminal?.(`${acting} dev-cli status run-1 --watch ${option}; wait`, around);
      expect(told?.output).not.toContain('\u001b');
      expect(told?.output).toMatch(/^at work: think\b[\s\S]*^done: think\b/m);
      expect(told?.output).not.toContain('◐');
    },
  );

  it.skipIf(terminal === null)(
    `rings, and draws nothing over, on a terminal that cannot move its cursor${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      const first = startTiny(project, [PLAIN_BLOCK, GATE, END_BLOCK]);
      const acting = `(sleep 2; ${first.ack} >/dev/null; sleep 2; dev-cli abort run-1 --reason x >/dev/null) & `;
      const around = { cwd: project.root, env: { ...project.env, TERM: 'dumb' } };
      const { output } = terminal?.(`${acting} dev-cli status run-1 --watch; wait`, around) ?? { output: '' };
      expect([output.split('\u0007').length - 1, output.includes('\u001b')], output).toEqual([1, false]);
      expect(output.match(/^run-1 +tiny-run-1/gm)).toHaveLength(3);
    },
  );

  it.skipIf(terminal === null)(
    `leaves the terminal as it was${terminal === null ? ` (skipped: ${NO_TERMINAL})` : ''}`,
    () => {
      startTiny(project, [PLAIN_BLOCK]);
      const watching = '(sleep 2; kill -INT $$) & exec "$0" "$1" status run-1 --watch';
      const inner = `sh -c '${watching}' '${process.execPath}' '${BINARY}'; echo "exit $?"`;
      const script = `before=$(stty -g); ${inner}; test "$before" = "$(stty -g)" && echo as before`;
      const env = { ...project.env, TERM: 'xterm' };
      const { output } = terminal?.(script, { cwd: project.root, env }) ?? { output: '' };
      expect(output).toMatch(/run-1 +tiny-run-1/);
      expect(output).toMatch(/\u001b\[\?7h\u001b\[\?25h\u001b\[\?1049l[\s\S]*exit 130\nas before/);
      const dumb = terminal?.(script, { cwd: project.root, env: { ...env, TERM: 'dumb' } });
      expect(dumb?.output).toMatch(/exit 130\nas before/);
      expect(dumb?.output).not.toContain('\u001b');
    },
  );
});
