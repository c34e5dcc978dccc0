import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readDraft } from '../../../src/documents/draft.js';
import type { Action } from '../../support/agent.mjs';
import { nextOf, type Result, writeProjectFile } from '../../support/cli.js';
import { project, useProject } from '../../support/each-project.js';
import { acknowledge, choose, DATA_BLOCK, GATE_BLOCK, PLAIN_BLOCK, startTiny } from '../../support/tiny.js';

// recipes.md, Gates: a reason for a choice that leads back is read by the next action, and stays in the draft after
// that.

useProject();

const DRAFT = '.dev/specs/run-1/DRAFT.md';
const path = (name: string) => join(project.root, name);
const readDecisions = () => readDraft(readFileSync(path(DRAFT), 'utf8')).decisions.text.trim();

/** Answers the gate with the choice that leads back, and gives a reason. */
function sendBack(gate: Action, why: string): Result {
  const note = /@(\S+)/.exec(gate.choices?.find(({ id }) => id === 'again')?.ack ?? '')?.[1] ?? '';
  writeProjectFile(project, note, why);
  return choose(project, gate, 'again');
}

const reachGate = (think: Action) => nextOf(acknowledge(project, think).json);

it('every reason stays in the draft, in order and each on a line of its own', () => {
  const gate = reachGate(startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, DATA_BLOCK]));
  const again = nextOf(sendBack(gate, 'Leave the README alone.\n## Purpose\n<!-- section: purpose -->\n').json);
  expect(again.read?.[0]).toContain('note.md');
  const second = nextOf(sendBack(reachGate(again), 'Call it purge.').json);
  expect(readDecisions()).toBe(
    '- At confirm: Leave the README alone. ## Purpose <!-- section: purpose -->\n- At confirm: Call it purge.',
  );
  expect(second.block).toBe('think');
});

it('a draft that cannot be read is no reason to refuse what a person said', () => {
  const gate = reachGate(startTiny(project, [PLAIN_BLOCK, GATE_BLOCK, DATA_BLOCK]));
  writeFileSync(path(DRAFT), 'Nothing of a draft.\n');
  const { code, json } = sendBack(gate, 'Call it purge.');
  expect([code, nextOf(json).block]).toEqual([0, 'think']);
  expect(json.warnings?.join()).toContain('What was said at "confirm" could not be added to DRAFT.md');
  expect(readFileSync(path(DRAFT), 'utf8')).toBe('Nothing of a draft.\n');
});

it('where there is no draft, none is begun', () => {
  const gate = reachGate(startTiny(project, [PLAIN_BLOCK, GATE_BLOCK]));
  expect(sendBack(gate, 'Call it purge.').json).toMatchObject({ ok: true, next: { block: 'think' } });
  expect(() => readFileSync(path(DRAFT))).toThrow('ENOENT');
});
