import { describe, expect, it } from 'vitest';
import { StandIn } from '../../support/agent.mjs';
import { journalOf } from '../../support/cli.js';
import { git } from '../../support/loop.js';
import type { Project } from '../../support/project.mjs';
import type { Script } from '../../support/provider.mjs';
import { beginRun, driveAsAsked, findFaults, RUN, type Stage } from './stage.js';

// runtime.md, Driving: while a run is driven, others act on it with the same commands; the drive continues from where
// the run then is.

const begin = (script?: Parameters<typeof beginRun>[1]) => beginRun(undefined, script);

type Acknowledged = { data: { actionId: string }; by?: { via?: string } };

function listAcknowledged({ project }: Stage): { action: string; via: string }[] {
  const entries = journalOf(project, RUN) as (Acknowledged & { type: string })[];
  return entries
    .filter(({ type }) => type === 'acknowledged')
    .map(({ data, by }) => ({ action: data.actionId, via: by?.via ?? '' }));
}

function expectOnce(stage: Stage): void {
  const actions = listAcknowledged(stage).map(({ action }) => action);
  expect(actions.length).toBeGreaterThan(2);
  expect(new Set(actions).size).toBe(actions.length);
}

/** Creates a model. In sessions that `when` selects, somebody else carries out the action while the model thinks. */
function withOthers(when: (session: number) => boolean) {
  return (project: Project, counter: string): Script => {
    const script = driveAsAsked(project, counter);
    const other = new StandIn({ project, name: RUN });
    const known = new Set<string>();
    return (request, n) => {
      const told = request.messages[0]?.texts.join('\n') ?? '';
      if (!known.has(told)) {
        known.add(told);
        if (when(known.size)) other.step(other.recall());
      }
      return script(request, n);
    };
  };
}

describe('somebody else acknowledges an action while the model thinks', () => {
  it.each([
    ['the first', (session: number) => session === 1],
    ['each second', (session: number) => session % 2 === 0],
    ['each', () => true],
  ])('%s: the drive goes on with what is next', async (_, when) => {
    const stage = await begin(withOthers(when));
    const last = await stage.drive();
    expect(await findFaults(stage, last)).toEqual([]);
    expectOnce(stage);
    expect(listAcknowledged(stage).some(({ via }) => via !== 'drive')).toBe(true);
  });
});

describe('another harness takes over', () => {
  it.each([1, 4, 8])(
    'where the budget has ended the drive (%s requests), does an action, and hands it back',
    async (requests) => {
      const stage = await begin();
      const limit = 1_100 * requests + 7_000;
      const first = await stage.drive('--max-tokens', String(limit));
      expect([first.exit, first.json.status]).toEqual([3, 'budget']);
      const other = new StandIn({ project: stage.project, name: RUN });
      other.step(other.recall());
      expect(await findFaults(stage, await stage.drive())).toEqual([]);
      expectOnce(stage);
      expect(new Set(listAcknowledged(stage).map(({ via }) => via)).size).toBe(2);
    },
  );

  it('after a kill, to the end: the drive has nothing more to do', async () => {
    const stage = await begin();
    const { child, ended } = stage.startDrive();
    while (stage.served.requests.length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await ended;
    expect(new StandIn({ project: stage.project, name: RUN }).drive()).toMatchObject({ outcome: 'completed' });
    const asked = stage.served.requests.length;
    expect(await findFaults(stage, await stage.drive())).toEqual([]);
    expect(stage.served.requests).toHaveLength(asked);
    expectOnce(stage);
  });

  it('in the middle of an execution, and hands it back', async () => {
    const stage = await begin();
    await stage.drive();
    const flags = ['--execute', '--quick', '--set', 'approve_commands=auto'];
    expect((await stage.run('init', RUN, ...flags)).exit).toBe(0);
    const from = stage.served.requests.length;
    const { child, ended } = stage.startDrive();
    while (stage.served.requests.length < from + 6) await new Promise((resolve) => setTimeout(resolve, 5));
    child.kill('SIGKILL');
    await ended;
    const other = new StandIn({ project: stage.project, name: RUN });
    other.step(other.recall());
    expect(await findFaults(stage, await stage.drive())).toEqual([]);
    const tasks = git(stage.project, 'log', '--format=%(trailers:key=Dev-Cli-Task,valueonly)').split('\n');
    expect(new Set(tasks.filter(Boolean)).size).toBe(5);
    expect(tasks.filter(Boolean)).toHaveLength(5);
  });
});
