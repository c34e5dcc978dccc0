import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EVENT_LOG_PATH } from '../../../src/wings/loop/log.js';
import { freshProjects } from '../../support/fresh.js';
import { call, eventsOf, setUpLoop, write } from '../../support/loop.js';
import { BINARY } from '../../support/project.mjs';
import { chosenSeed, numberFrom, seeded } from '../../support/seeded.js';
import { lines } from '../../wings/loop/log.js';

// loop-operations.md, Inbox: if two people answer one item at once, one succeeds, and only that answer has an effect.
// DEV_CLI_TEST_PEOPLE sets the number of rounds (`npm run prove:loop`: 50).

const ROUNDS = numberFrom('DEV_CLI_TEST_PEOPLE', 3);
const create = freshProjects();
const random = seeded(chosenSeed());

describe('two people on one item at once', () => {
  it(`${ROUNDS} rounds: one answer, one effect`, { timeout: 60_000 + ROUNDS * 10_000 }, async () => {
    const project = create();
    const ids = Array.from({ length: ROUNDS }, (_, index) => `g${index}`);
    setUpLoop(project, {
      goals: ids.map((id) => `  - {id: ${id}, title: ${id}, status: blocked}\n`).join(''),
      sessions: {},
    });
    mkdirSync(join(project.root, '.ai/events'), { recursive: true });
    const payload = { run_id: 'r', attempt: 1, success: false, action_taken: 'block', reason: 'why' };
    const asked = ids.map((id) => ({
      ...{ event_id: `evt_${id}`, event_type: 'auto_attempt', payload: { ...payload, goal_id: id } },
    }));
    write(project, EVENT_LOG_PATH, lines(asked));
    for (const id of ids) {
      const people = ['anna', 'ben'].map((operator) => ({ operator, action: random.pick(['approve', 'reject']) }));
      const ends = await Promise.all(
        people.map(({ operator, action }) => {
          const words = ['inbox', 'act', `inbox-evt_${id}`, '--action', action, '--operator', operator];
          const argv = [BINARY, ...words, '--reason', `by ${operator}`, '--json'];
          const child = spawn(process.execPath, argv, { cwd: project.root, env: project.env });
          let text = '';
          child.stdout.on('data', (chunk) => (text += String(chunk)));
          return new Promise<{ exit: number | null; text: string }>((resolve) =>
            child.on('close', (exit) => resolve({ exit, text })),
          );
        }),
      );
      const won = people.filter((_, index) => ends[index]?.exit === 0);
      expect(won, JSON.stringify(ends)).toHaveLength(1);
      const [{ operator, action } = { operator: '', action: '' }] = won;
      const lost = ends.find(({ exit }) => exit !== 0);
      expect([lost?.exit, JSON.parse(lost?.text ?? '').error.code], lost?.text).toEqual([4, 'INBOX_REFUSED']);
      const status = action === 'approve' ? 'active' : 'blocked';
      const told = eventsOf(project).filter(({ event_type: type, payload: of }) => {
        return type === 'operator_inbox_action' && of['goal_id'] === id;
      });
      // The log may contain a line twice, so events are compared by id.
      expect([...new Map(told.map((event) => [event.event_id, event.payload])).values()]).toEqual([
        expect.objectContaining({ action, operator_id: operator, reason: `by ${operator}`, goal_status: status }),
      ]);
      const goals = readFileSync(join(project.root, '.ai/goals.yaml'), 'utf8');
      expect(goals).toContain(`id: ${id}, title: ${id}, status: ${status}`);
      const other = operator === 'anna' ? 'ben' : 'anna';
      expect(goals.split('\n').find((line) => line.includes(`id: ${id},`))).not.toContain(other);
      const { goals: known } = JSON.parse(readFileSync(join(project.root, '.dev/loop/state.json'), 'utf8'));
      expect(known[id]?.notes ?? []).toEqual(action === 'approve' ? [`by ${operator}`] : []);
    }
    expect(call(project, ['inbox', 'list']).json).toMatchObject({ count: 0 });
  });
});
