import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, init } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { unpack } from '../../support/golden.mjs';
import { callHook, QUIET } from '../../support/hooks.js';
import { CHECKOUT } from '../../support/project.mjs';

// storage.md, state.json: a run of a pre-release is refused, recognized as such, and stays unchanged.

const OLD = 'add-jwt-auth';

useProject({ sample: null, git: false, replay: false });

describe.each(['1', '2'])('a live run of state version %s', (version) => {
  beforeEach(() => {
    const packed = readFileSync(join(CHECKOUT, `tests/fixtures/pre-releases/${version}.json.br`));
    unpack(project.root, JSON.parse(brotliDecompressSync(packed).toString('utf8')));
  });

  it('is refused by every command that names it, or means it as the active one', () => {
    const before = imageOf(project);
    const named = [
      ...['next', 'status', 'manifest', 'history', 'journal', 'use', 'hold', 'release', 'cleanup', 'trust'],
      ...['plan summary', 'plan diff', 'plan apply', 'draft show', 'draft validate', 'plan generate'],
    ].map((command) => [...command.split(' '), OLD]);
    const others = [
      ['next'],
      ['replay', OLD, '--check'],
      ['replay', OLD, '--at', '2'],
      ['fork', OLD, '--at', '2', '--as', 'other'],
      ['step', 'complete', OLD, '--action', 'a1'],
      ['step', 'invalidate', OLD, '--step', 'review'],
      ['abort', OLD, '--reason', 'old'],
      ['check', `.dev/specs/${OLD}/PLAN.md`],
      ['init', OLD],
      ['init', OLD, '--goal', 'Add JWT auth', '--force'],
      ['init', OLD, '--execute'],
    ];
    for (const words of [...named, ...others]) {
      const { code, json, stdout, stderr } = devCli(project, words);
      const said = json.error === undefined ? stderr : `${json.error.code}: ${json.error.message} ${json.error.fix}`;
      expect([code, said.split(':')[0]], `${words.join(' ')}: ${stdout}${stderr}`).toEqual([1, 'STATE_OLDER']);
      expect(said).toMatch(/ was written by a pre-release of dev-cli,.* dev-cli init NAME\s*$/);
    }
    expect(imageOf(project)).toEqual(before);
  });

  it('is no run for hooks: they say nothing and hold nothing up', () => {
    const path = join(project.root, 'src/x.js');
    const payload = { session_id: 's1', cwd: project.root, prompt: 'go on' };
    const tool = { ...payload, tool_name: 'Write', tool_input: { file_path: path, content: 'x' } };
    for (const event of ['session-start', 'user-prompt-submit', 'stop', 'session-end'] as const)
      expect(callHook(project, event, 'claude', payload), event).toEqual(QUIET);
    for (const event of ['pre-tool-use', 'post-tool-use'] as const)
      expect(callHook(project, event, 'claude', tool), event).toEqual(QUIET);
  });

  it('stands in the list beside others, which go on as if it were not there', () => {
    const before = imageOf(project, `.dev/specs/${OLD}`);
    init(project, 'fresh', '--quick', '--autopilot', '--goal', 'Add JWT auth to the API');
    const { runs, active } = devCli(project, ['list', '--json']).json as unknown as {
      runs: { name: string; state: string }[];
      active: string;
    };
    expect(runs.map(({ name, state }) => [name, state])).toEqual([
      [OLD, 'STATE_OLDER'],
      ['fresh', 'live'],
    ]);
    expect(active).toBe('fresh');
    expect(devCli(project, ['next']).json['run']).toBe('fresh');
    // The old run no longer guards anything, so the next commit removes its line.
    expect(readFileSync(join(project.root, '.dev/guard'), 'utf8')).toMatch(/^ask\nfresh \d+\n$/);
    expect(imageOf(project, `.dev/specs/${OLD}`)).toEqual(before);
  });
});
