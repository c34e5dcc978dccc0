import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { devCli, imageOf, init, writeRecipe } from '../../support/cli.js';
import { freshProjects } from '../../support/fresh.js';
import type { Project } from '../../support/project.mjs';

const freshProject = freshProjects();
let project: Project;
beforeEach(() => {
  project = freshProject();
  writeRecipe(
    project,
    'tried',
    `name: tried
type: sequential
blocks:
  - { id: small, type: llm, instruction: x, when: 1 == 2 }
  - { id: part, type: llm, instruction: Which part?, choices: [major, { id: none, goto: halt }] }
  - { id: gate, type: wait-for-user, message: Go?, choices: [go, { id: anew, goto: part }] }
`,
  );
});
const graph = (words: string) => devCli(project, ['recipe', 'graph', ...words.split(' ')]);

describe('recipe graph (graph.md, The graph)', () => {
  it('draws in a terminal, and writes the form that a file is named for', () => {
    const { code, stdout } = graph('tried');
    expect(code).toBe(0);
    expect(stdout).toMatch(/gate +wait-for-user \|/);
    const begins: Record<string, RegExp> = {
      'a.svg': /^<svg [\s\S]*<\/svg>\n$/,
      'deep/b.mmd': /^flowchart TD\n/,
      'c.txt': /^tried\n/,
      'd.json': /^\{\n {2}"description"/,
    };
    for (const [out, form] of Object.entries(begins)) {
      expect(graph(`tried --out ${out} --json`).json).toMatchObject({ ok: true, recipe: 'tried', out });
      expect(readFileSync(join(project.root, out), 'utf8')).toMatch(form);
    }
    expect(graph('tried --format mermaid --json').json).toMatchObject({
      format: 'mermaid',
      picture: expect.stringMatching(/^flowchart TD/),
    });
  });

  it('marks where a run stands, and changes nothing of it', () => {
    init(project, 'one', '--recipe', 'tried');
    expect(graph('tried --run one').stdout).toMatch(/\[skipped\] small[\s\S]*\[NOW\] part[\s\S]*\| \(o\) gate/);
    devCli(project, ['step', 'complete', 'one', '--action', 'a1', '--choice', 'major']);
    const at = (name: string) =>
      new RegExp(`\\[(\\w+)\\] (?:\\(o\\) )?${name} `).exec(graph('tried --run one').stdout)?.[1];
    expect([at('small'), at('part'), at('gate')]).toEqual(['skipped', 'done', 'NOW']);
    devCli(project, ['step', 'complete', 'one', '--action', 'a2', '--choice', 'anew']);
    expect([at('part'), at('gate')]).toEqual(['NOW', 'stale']);
    const before = imageOf(project, '.dev');
    devCli(project, ['step', 'complete', 'one', '--action', 'a3', '--choice', 'none']);
    const after = imageOf(project, '.dev');
    expect(after).not.toEqual(before);
    expect(at('part')).toBe('FAILED');
    expect(graph('tried --run one').stdout).toContain('run one: halted');
    expect(imageOf(project, '.dev')).toEqual(after);
  });

  it('draws the recipe as the run has captured it', () => {
    init(project, 'one', '--recipe', 'tried');
    writeRecipe(
      project,
      'tried',
      'name: tried\ntype: sequential\nblocks:\n  - { id: other, type: llm, instruction: x }\n',
    );
    expect(graph('tried').stdout).toContain('other');
    expect(graph('tried --run one').stdout).toContain('part');
  });

  it.each<[string, string, number, RegExp]>([
    ['no recipe of the name', 'nothing', 2, /UNKNOWN_RECIPE/],
    ['no run of the name', 'tried --run nobody', 2, /NO_SUCH_RUN/],
    ['a run of another recipe', 'open-pr --run one', 2, /recipe graph tried --run one/],
    ['a run in a machine', 'tried --run one --format xstate', 2, /recipe graph tried --format xstate/],
    ['a file that names no form', 'tried --out picture.png', 2, /\.svg/],
    ['a form that is none', 'tried --format png', 2, /ascii/],
    ['a directory in the place of the file', 'tried --format svg --out .dev', 1, /IO: .*directory/],
  ])('refuses %s', (_what, words, code, says) => {
    init(project, 'one', '--recipe', 'tried');
    const refused = graph(words);
    expect([refused.code, `${refused.stdout}${refused.stderr}`]).toEqual([code, expect.stringMatching(says)]);
    expect(existsSync(join(project.root, 'picture.png'))).toBe(false);
  });
});
