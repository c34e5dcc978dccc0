import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { BINARY, createProject } from '../../support/project.mjs';
import { type Script, startProvider } from '../../support/provider.mjs';

/** A conversation with `prompt`, through the real binary (runtime.md, Commands). */

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function begin(answer: Script, more: { window?: number } = {}) {
  const project = createProject();
  const served = await startProvider({ answer, key: null });
  open.push(served.close, () => project.remove());
  const config = join(project.home, 'runtime.yaml');
  const lines = [
    'model: local/tiny',
    `providers: { local: { api: chat, baseURL: "${served.url}" } }`,
    `models: { local/tiny: { window: ${more.window ?? 200_000}, input: 1, output: 2 } }`,
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const prompt = (...args: string[]) => {
    const call = [BINARY, 'prompt', ...args, '--config', config, '--json'];
    const child = spawn(process.execPath, call, { cwd: project.root, env: project.env });
    child.stdin.end();
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      stdout += piece;
    });
    return new Promise<{ exit: number | null; json: Record<string, unknown> }>((resolve) => {
      child.on('close', (exit) => resolve({ exit, json: JSON.parse(stdout) as Record<string, unknown> }));
    });
  };
  return { project, served, prompt };
}

describe('prompt', () => {
  it('tells of every call of the turn, also of those that a compaction took out of the history', async () => {
    const lines = `${'A line of a long file. '.repeat(20)}\n`.repeat(20);
    const { project, prompt } = await begin(
      (_, n) =>
        n < 4 ? { calls: [{ name: 'read_file', input: { path: `notes-${n}.md` } }] } : { text: 'Four notes.' },
      { window: 8_000 },
    );
    for (const n of [0, 1, 2, 3]) writeFileSync(join(project.root, `notes-${n}.md`), lines);
    const { exit, json } = await prompt('Read the notes.');
    expect({ exit, status: json['status'], message: json['message'] }).toEqual({
      ...{ exit: 0, status: 'completed', message: 'Four notes.' },
    });
    expect(json['auto_compaction']).toMatchObject({ removed_message_count: expect.any(Number) });
    const names = [0, 1, 2, 3].map((n) => expect.objectContaining({ input: `{"path":"notes-${n}.md"}` }));
    expect(json['tool_uses']).toEqual(names);
    expect(json['tool_results']).toEqual(
      [0, 1, 2, 3].map((n) => expect.objectContaining({ output: expect.stringContaining(`notes-${n}.md`) })),
    );
  }, 60_000);

  it('reads its message from a file or from standard input, and says so where there is none', async () => {
    const { project, served, prompt } = await begin(() => ({ text: 'Yes.' }));
    writeFileSync(join(project.root, 'asked.md'), 'Is the file read?\n');
    expect((await prompt('@asked.md')).json).toMatchObject({ message: 'Yes.' });
    expect(JSON.stringify(served.requests)).toContain('Is the file read?');
    expect(JSON.stringify(served.requests)).not.toContain('@asked.md');
    for (const none of ['@nope.md', '-'])
      expect((await prompt(none)).json, none).toMatchObject({ ok: false, error: { code: 'DATA_MISSING' } });
  }, 60_000);
});
