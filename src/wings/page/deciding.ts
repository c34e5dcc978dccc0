import { randomBytes, randomInt } from 'node:crypto';
import { DevCliError } from '../../base/errors.js';
import { toBoundedLine } from '../../documents/foreign.js';
import {
  decidePrepared,
  type GateAnswer,
  type PreparedAnswer,
  prepareAnswer,
} from '../../protocol/approve/prepared.js';
import type { Context } from '../../run/context.js';
import type { PreparedDecision } from './wire.js';

/** Milliseconds for which the number that confirms an answer is valid. */
const NUMBER_FOR = 5 * 60_000;

/** After this many wrong numbers, the page accepts no more answers. */
const TRIES = 3;

/**
 * Accepts answers to gates, each confirmed by a number that is shown only at the person's terminal (view-page.md,
 * Deciding).
 */
export type Decider = ReturnType<typeof createDecider>;

/**
 * Creates the decider for the person at whose terminal the server runs.
 * @param context the context of a call at a person's terminal; for any other call, `prepareAnswer` refuses
 * @param show writes lines to that terminal
 * @param now the time in milliseconds, by a monotonic clock
 */
export function createDecider(
  context: Context,
  show: (lines: string[]) => void,
  now: () => number = () => performance.now(),
) {
  const onPage: Context = {
    ...context,
    caller: { ...context.caller, via: 'page' },
    // An edited plan needs a typed confirmation, but the server's terminal reads single keys, not lines.
    ask: async () => {
      throw new DevCliError(
        'PLAN_EDITED',
        'The plan of this execution has changed; that can only be decided at a terminal.',
        {
          fix: 'Answer with dev-cli approve.',
        },
      );
    },
  };
  let open: { id: string; number: string; until: number; answer: PreparedAnswer } | null = null;
  let wrong = 0;
  const requireOpenDoor = (name: string): void => {
    if (wrong < TRIES) return;
    throw new DevCliError('TERMINAL_REQUIRED', 'Three numbers were wrong, so this page no longer accepts answers.', {
      run: name,
      fix: { command: 'approve', input: { name } },
    });
  };
  return {
    /**
     * Prepares an answer and shows its number at the terminal. An earlier answer that was not confirmed becomes
     * invalid.
     * @throws DevCliError `TERMINAL_REQUIRED` after three wrong numbers; like `prepareAnswer`
     */
    async prepare(name: string, given: GateAnswer): Promise<PreparedDecision> {
      requireOpenDoor(name);
      const answer = await prepareAnswer(onPage, name, given);
      const number = String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
      const id = randomBytes(12).toString('hex');
      open = { id, number, until: now() + NUMBER_FOR, answer };
      show(renderPrepared(answer, number));
      return { id, until: context.clock.now() + NUMBER_FOR };
    },
    /**
     * Carries out the prepared answer.
     * @throws DevCliError `STALE_ACTION` if it has expired, was replaced or already carried out; `DATA_UNEXPECTED` for
     * a wrong number; `TERMINAL_REQUIRED` after three of them; like `decidePrepared`
     */
    async confirm(id: string, number: string): Promise<void> {
      const asked = open;
      if (asked === null || asked.id !== id || asked.until < now())
        throw new DevCliError('STALE_ACTION', 'This answer is no longer open; nothing was decided.', {
          fix: 'Send it again.',
        });
      requireOpenDoor(asked.answer.run);
      if (number !== asked.number) {
        wrong += 1;
        if (wrong >= TRIES) open = null;
        requireOpenDoor(asked.answer.run);
        throw new DevCliError('DATA_UNEXPECTED', 'This is not the number shown at the terminal; nothing was decided.');
      }
      open = null;
      wrong = 0;
      await decidePrepared(onPage, asked.answer);
      show([`Decided: ${asked.answer.run}, «${toBoundedLine(asked.answer.choice, 80)}».`]);
    },
  };
}

const DIGITS = 6;

/** Maximum characters of each text from the gate or the page that is shown at the terminal. */
const LINE = 300;

function renderPrepared(answer: PreparedAnswer, number: string): string[] {
  const { run, title, choice, note, digest, commands } = answer;
  return [
    `${run} asks: ${toBoundedLine(title, LINE)}`,
    `The answer from the page: ${toBoundedLine(choice, LINE)}`,
    ...(note === undefined ? [] : [`Its reason: ${toBoundedLine(note, LINE)}`]),
    `Decided on: ${digest}; commands that dev-cli runs: ${commands}`,
    `Type ${number} on the page to decide exactly this, within 5 minutes.`,
  ];
}
