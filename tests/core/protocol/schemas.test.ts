import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { recipeOf, report, stage } from './stage.js';

/** Compiles a full schema as shipped; dev-cli itself checks less when it reads a snapshot. */
const validator = (name: string) =>
  new Ajv2020({ allErrors: true, strict: false, discriminator: true }).compile(
    JSON.parse(readFileSync(new URL(`../../../schemas/${name}.schema.json`, import.meta.url), 'utf8')),
  );
const isEntry = validator('entry');
const isState = validator('state');

const RECIPE = recipeOf(
  'walk',
  `
  - { id: kind, type: llm, instruction: Choose., choices: [red, { id: blue, reason: required }] }
  - { id: look, type: subagent, agents: [{ type: code-explorer, id: one, prompt: Look., output: findings/one.md }, { type: code-explorer, id: two, prompt: Look., output: findings/two.md }], onComplete: "dev-cli draft import {name}" }
  - { id: talk, type: llm-loop, instruction: Ask., save: "dev-cli draft update {name}", sections: [boundaries], exitWhen: draft.boundaries.filled, maxRounds: 3 }
  - { id: note, type: llm+cli, instruction: Write., write: note.json }
  - { id: never, type: llm, instruction: Never., when: goal == "nothing" }
  - { id: gate, type: wait-for-user, choices: [{ id: on }, { id: again, goto: talk, reason: required }] }
`,
);

async function walked() {
  const on = stage({ recipes: { walk: RECIPE } });
  await on.init('walk', { goal: 'Add X' });
  await on.complete({ action: 'a1', choice: 'blue', note: 'because' });
  on.put('findings/one.md', report('one'));
  await on.complete({ action: 'a2' });
  await on.complete({ action: 'a2', without: ['two'], reason: 'it crashed' });
  await on.complete({ action: 'a3', data: { source: 'inline', text: '{"findings":"none"}' } });
  await on.complete({ action: 'a4', data: { source: 'inline', text: '{"boundaries":"none"}' } });
  on.put('note.json', '{}');
  await on.complete({ action: 'a5' });
  await on.complete({ action: 'a6', choice: 'again', note: 'not yet' });
  await on.abort('enough');
  return on;
}

describe('what is written fits what ships (storage.md, state.json)', () => {
  it('every journal entry, of every type that the walk meets', async () => {
    const on = await walked();
    const entries = await on.store.journal(on.name);
    for (const entry of entries) expect(isEntry(entry), `${entry.type}: ${JSON.stringify(isEntry.errors)}`).toBe(true);
    expect([...new Set(entries.map(({ type }) => type))].sort()).toEqual(
      ['accepted', 'acknowledged', 'ended', 'given-up', 'init', 'issued', 'round', 'skipped'].sort(),
    );
  });

  it('the snapshot, whole', async () => {
    const on = await walked();
    const { snapshot } = await on.store.read(on.name);
    expect(isState(snapshot), JSON.stringify(isState.errors)).toBe(true);
  });

  it('and an entry with other data does not', async () => {
    const [entry] = await (await walked()).store.journal('run-1').catch(() => []);
    expect(isEntry({ ...entry, type: 'init', data: { runId: 'x' } })).toBe(false);
  });
});
