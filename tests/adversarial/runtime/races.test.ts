import { expect, it } from 'vitest';
import { journalOf } from '../../support/cli.js';
import { numberFrom } from '../../support/seeded.js';
import { driveAsAsked, type Ended, findFaults, openStage, RUN } from './stage.js';

// runtime.md, Driving, Sessions: a run has one driver and a session one writer; a second one is refused with a clear
// message, and nothing is done twice. DEV_CLI_TEST_DRIVE_RACES sets the number of rounds (`npm run prove:drive`: 20).

const ROUNDS = numberFrom('DEV_CLI_TEST_DRIVE_RACES', 2);

/** Holds back the answer until `open` is called, or until a second drive asks as well, which must not happen. */
function createHeld() {
  let open = (): void => {};
  const held = new Promise<void>((resolve) => {
    open = resolve;
  });
  let asking = 0;
  return {
    open: () => open(),
    wait: async () => {
      asking += 1;
      if (asking > 1) open();
      await held;
    },
  };
}

function split(ended: readonly Ended[]): { winners: Ended[]; losers: Ended[] } {
  return { winners: ended.filter(({ exit }) => exit === 0), losers: ended.filter(({ exit }) => exit !== 0) };
}

it(`two drivers of one run: one works, the other is told so (${ROUNDS} rounds)`, {
  timeout: 300_000 + ROUNDS * 30_000,
}, async () => {
  for (let round = 1; round <= ROUNDS; round += 1) {
    const held = createHeld();
    const stage = await openStage((project, counter) => {
      const script = driveAsAsked(project, counter);
      return async (request, n) => {
        if (n === 0) await held.wait();
        return script(request, n);
      };
    });
    await stage.run('init', RUN, '--recipe', 'specify-quick-autopilot', '--goal', 'Add JWT auth to the API');
    const racers = [1, 2].map(() => stage.startDrive().ended.finally(held.open));
    const { winners, losers } = split(await Promise.all(racers));
    expect(losers.map(({ exit, json }) => [exit, json.error?.code])).toEqual([[4, 'LOCKED']]);
    expect(losers[0]?.json.error).toMatchObject({ message: `Another process is driving "${RUN}".` });
    expect(await findFaults(stage, winners[0] as Ended)).toEqual([]);
    const acknowledged = journalOf(stage.project, RUN).filter(({ type }) => type === 'acknowledged');
    expect(new Set(acknowledged.map(({ data }) => (data as { actionId: string }).actionId)).size).toBe(
      acknowledged.length,
    );
  }
});

it(`two prompts in one session: one is answered, the other is told so (${ROUNDS} rounds)`, {
  timeout: 300_000 + ROUNDS * 30_000,
}, async () => {
  let held = createHeld();
  const stage = await openStage(() => async ({ messages }) => {
    if (messages.length > 1) await held.wait();
    return { text: 'As you say.' };
  });
  const ask = (...args: string[]) => stage.run('prompt', ...args, '--config', stage.config, '--json');
  const { session = '' } = (await ask('Begin.')).json;
  for (let round = 1; round <= ROUNDS; round += 1) {
    held = createHeld();
    const racers = ['one', 'other'].map((word) =>
      ask(`${round}, the ${word}`, '--session', session).finally(held.open),
    );
    const { winners, losers } = split(await Promise.all(racers));
    expect(winners).toHaveLength(1);
    expect(losers.map(({ exit, json }) => [exit, json.error?.code])).toEqual([[4, 'LOCKED']]);
  }
  const { stdout } = await stage.run('session', 'export', session);
  const { messages } = JSON.parse(stdout) as { messages: { role: string }[] };
  const turns = Array.from({ length: ROUNDS + 1 }, () => ['user', 'assistant']);
  expect(messages.map(({ role }) => role)).toEqual(turns.flat());
  expect(stage.served.requests.every(({ status }) => status === 200)).toBe(true);
});
