import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runDir } from '../../support/cli.js';
import { createProject, type Project } from '../../support/project.mjs';
import { PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

/** Every test project is replayed before it is removed; these tests show that the replay detects faults. */

function started(options = {}): Project {
  const project = createProject({ sample: null, git: false, ...options });
  startTiny(project, [PLAIN_BLOCK]);
  return project;
}

it.each<[string, (project: Project) => void, RegExp]>([
  [
    'a snapshot with another value',
    (project) => appendFileSync(at(project, 'state.json'), ' '),
    /state\.json: has the same content/,
  ],
  ['a damaged journal', (project) => writeFileSync(at(project, 'events.jsonl'), 'x\ny\n'), /JOURNAL_CORRUPT/],
  ['a recipe that was changed', (project) => appendFileSync(at(project, 'recipe.json'), ' '), /recipe\.json entry/],
])('the last look at a project finds %s', (_, damage, message) => {
  const project = started();
  damage(project);
  expect(() => project.remove()).toThrow(message);
  expect(existsSync(project.root)).toBe(false);
});

it('is left out where a test says so', () => {
  const project = started({ replay: false });
  writeFileSync(at(project, 'events.jsonl'), 'x\ny\n');
  project.remove();
  expect(existsSync(project.root)).toBe(false);
});

function at(project: Project, file: string): string {
  return join(runDir(project, 'run-1'), file);
}
