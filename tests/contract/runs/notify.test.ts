import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitUntil } from '../../../src/work/processes.js';
import { writeProjectFile } from '../../support/cli.js';
import { BINARY, createProject, type Project } from '../../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../../support/terminal.mjs';
import { acknowledge, END_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** protocol.md, status: the command that notifies a person of a gate. */

let project: Project;
let watchers: ChildProcess[] = [];
beforeEach(() => {
  project = createProject();
});
afterEach(() => {
  for (const watcher of watchers) watcher.kill('SIGKILL');
  watchers = [];
  project.remove();
});

const GATE = `
  - id: approve
    type: wait-for-user
    message: "Is it well? $(touch shell) \\e[31mred --help"
    choices: [{ id: yes, goto: next }]
`;

/** A notifier that records how it was called. */
const SPY = `notify: [node, -e, "fs.writeFileSync('told.json', JSON.stringify([process.argv.slice(1), process.env.DEV_CLI_RUN, process.env.DEV_CLI_ACTION, process.env.DEV_CLI_ROOT]))"]\n`;

const prefer = (text: string, at = project) => writeProjectFile(at, '.dev/preferences.yaml', text);
const told = () => join(project.root, 'told.json');

interface Line {
  type: string;
  message?: string;
}

/** Watches a run, lets a gate open once the watch has begun, and ends the run; returns the streamed lines. */
async function watchGate(meanwhile: () => Promise<unknown> = async () => {}, at = project): Promise<Line[]> {
  const first = startTiny(at, [PLAIN_BLOCK, GATE, END_BLOCK]);
  const child = spawn(process.execPath, [BINARY, 'status', 'run-1', '--watch', '--json'], {
    cwd: at.root,
    env: at.env,
  });
  watchers.push(child);
  const lines: Line[] = [];
  let opened = false;
  for await (const line of createInterface({ input: child.stdout })) {
    const document = JSON.parse(line) as Line & { now?: string; status?: string };
    lines.push(document);
    if (lines.length === 1) acknowledge(at, first);
    if (!opened && document.now?.startsWith('waiting for you')) {
      opened = true;
      await meanwhile();
      spawn(process.execPath, [BINARY, 'abort', 'run-1', '--reason', 'x'], { cwd: at.root, env: at.env });
    }
  }
  return lines;
}

const noticesOf = (lines: readonly Line[]) =>
  lines.flatMap(({ type, message }) => (type === 'notice' ? [message] : []));

const terminal = findTerminal();
const skipped = terminal === null;

describe(`notify${skipped ? ` (in part skipped: ${NO_TERMINAL})` : ''}`, () => {
  const trust = () => terminal?.('dev-cli trust preferences', { cwd: project.root, env: project.env, answers: ['y'] });

  it('starts nothing that no person has trusted, committed or not, and says what to run', async () => {
    prefer(SPY);
    const git = (...words: string[]) => execFileSync('git', words, { cwd: project.root, env: project.env });
    git('add', '--force', '.dev/preferences.yaml');
    git('commit', '--quiet', '--message', 'preferences');
    const lines = await watchGate();
    expect(noticesOf(lines)).toEqual([
      expect.stringMatching(/^nobody is notified: .*`dev-cli trust preferences` in a terminal$/),
    ]);
    expect(lines.at(-1)).toMatchObject({ type: 'end', ok: true });
    expect(existsSync(told())).toBe(false);
  });

  it.skipIf(skipped)('starts what was trusted as it stands, with the question as one argument', async () => {
    prefer(SPY);
    expect(trust()?.exit).toBe(0);
    const lines = await watchGate(() => waitUntil(() => existsSync(told()), 5000, 50));
    expect(noticesOf(lines)).toEqual([]);
    const [args, run, action, root] = JSON.parse(readFileSync(told(), 'utf8'));
    expect(args).toEqual([`run-1 waits for you: Is it well? $(touch shell) red --help`]);
    expect([run, action, root]).toEqual(['run-1', 'a2', project.root]);
    expect(existsSync(join(project.root, 'shell'))).toBe(false);
  });

  it.skipIf(skipped)('trust holds for these words in this root alone', async () => {
    prefer(SPY);
    trust();
    prefer(`${SPY}# more\n`);
    expect(noticesOf(await watchGate())).toHaveLength(1);
    prefer(SPY);
    const other = createProject();
    try {
      other.env['XDG_STATE_HOME'] = join(project.home, '.local/state');
      prefer(SPY, other);
      expect(noticesOf(await watchGate(undefined, other))).toHaveLength(1);
      expect(existsSync(join(other.root, 'told.json'))).toBe(false);
    } finally {
      other.remove();
    }
  });

  it.skipIf(skipped)('that fails is a line, and the watch goes on to the end of the run', async () => {
    prefer('notify: [no-such-program]\n');
    trust();
    const lines = await watchGate();
    expect(noticesOf(lines)).toEqual(['notify: no-such-program could not be started (ENOENT)']);
    expect(lines.at(-1)).toMatchObject({ type: 'end', ok: true, status: 'aborted' });
  });

  it('that cannot be read is a line with its place', async () => {
    prefer('notify: notify-send\n');
    const lines = await watchGate();
    expect(noticesOf(lines)).toEqual([expect.stringContaining('.dev/preferences.yaml:1:9: `notify` must be a list')]);
    expect(lines.at(-1)).toMatchObject({ type: 'end', ok: true });
  });
});
