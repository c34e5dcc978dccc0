import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { devCli, writeRecipe } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { readImage } from '../../support/image.js';

useProject({ git: false });

const write = (name: string, blocks: string) =>
  writeRecipe(project, name, `name: ${name}\ntype: sequential\nblocks:\n${blocks}`);
const KIND = '  - { id: kind, type: llm, instruction: Choose., choices: [minor, major] }\n';
const TALK =
  '  - { id: talk, type: llm-loop, instruction: Talk., maxRounds: 2, exitWhen: \'blocks["kind"].choice == "major"\' }\n';

describe('recipe verify (authoring.md, Verify)', () => {
  it('proves a recipe, and counts what it explored; writes nothing', () => {
    write('good', KIND);
    const before = readImage(project.root);
    const { code, json } = devCli(project, ['recipe', 'verify', 'good', '--json']);
    expect([code, json]).toMatchObject([
      0,
      { ok: true, recipes: [{ recipe: 'good', ok: true, findings: [], explored: { actions: 1, whole: true } }] },
    ]);
    expect(readImage(project.root)).toEqual(before);
  });

  it('tells a finding with its place, and a script that simulate replays', () => {
    write('bad', `${KIND}${TALK}`);
    const { code, json } = devCli(project, ['recipe', 'verify', 'bad', '--json']);
    expect([code, json]).toMatchObject([
      3,
      {
        ok: false,
        recipes: [{ findings: [{ kind: 'dead-end', at: expect.stringMatching(/^\.dev\/recipes\/bad\.yaml:5:/) }] }],
      },
    ]);
    const { recipes } = json as { recipes: { findings: { script: object }[] }[] };
    writeFileSync(join(project.root, 'way.yaml'), JSON.stringify(recipes[0]?.findings[0]?.script));
    const replayed = devCli(project, ['recipe', 'simulate', 'bad', '--script', 'way.yaml', '--json']);
    expect([replayed.code, replayed.json]).toMatchObject([0, { ok: true, end: { waits: 'talk' } }]);
  });

  it('shows by a script that a workflow is refused without a remote', () => {
    write('work', KIND);
    writeRecipe(
      project,
      'flow',
      'name: flow\ntype: meta\nneeds: [remote]\nphases:\n  - { name: first, recipe: work }\n',
    );
    const { json } = devCli(project, ['recipe', 'verify', 'flow', '--json']);
    const { recipes } = json as { recipes: { findings: { kind: string; script: { given: object } }[] }[] };
    const [found] = recipes[0]?.findings ?? [];
    expect(found?.kind).toBe('needs-remote');
    const simulate = (script: object | undefined) => {
      writeFileSync(join(project.root, 'way.yaml'), JSON.stringify(script));
      return devCli(project, ['recipe', 'simulate', 'flow', '--script', 'way.yaml', '--json']);
    };
    const replayed = simulate(found?.script);
    expect([replayed.code, replayed.json]).toMatchObject([0, { ok: true, end: { refused: 'NEEDS_MISSING' } }]);
    const begun = simulate({ ...found?.script, given: { ...found?.script.given, lacks: [] } });
    expect([begun.code, begun.json]).toMatchObject([3, { ok: false, end: { waits: 'kind' } }]);
  });

  it('judges each recipe by itself: a good one does not hide a bad one', () => {
    write('good', KIND);
    write('bad', `${KIND}${TALK}`);
    const { code, stdout } = devCli(project, ['recipe', 'verify', 'good', 'bad', '--text']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^good: proved\./m);
    expect(stdout).toMatch(/^bad: 1 finding\./m);
  });

  it('refuses a recipe that is not there', () => {
    const { code, json } = devCli(project, ['recipe', 'verify', 'nowhere', '--json']);
    expect(code).not.toBe(0);
    expect(json).toMatchObject({ error: { code: 'UNKNOWN_RECIPE' } });
  });
});
