import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { freshProjects } from '../../support/fresh.js';
import { countSessions, eventsOf, git, readDigest, setUpLoop, write } from '../../support/loop.js';
import { BINARY, type Project } from '../../support/project.mjs';
import { chosenSeed, seeded } from '../../support/seeded.js';

// loop-operations.md, Queue: whichever worker is killed or paused, a goal never has two holders, and whatever a worker
// does after its lease has expired is refused. DEV_CLI_TEST_CLAIMS sets how often twelve workers claim three goals,
// DEV_CLI_TEST_LEASE_STOPS how often a worker is killed or paused (`npm run prove:loop`: 100 and 200).

const ROUNDS = Number(process.env['DEV_CLI_TEST_CLAIMS'] ?? 1);
const STOPS = Number(process.env['DEV_CLI_TEST_LEASE_STOPS'] ?? 8);
/** How many times faster than real time the clock runs, so that leases expire. */
const SPEED = 60;

const create = freshProjects();
const random = seeded(chosenSeed());
const CLOCK = fileURLToPath(new URL('../../support/fast-clock.cjs', import.meta.url));

function begin(ids: readonly string[], config = '', sleeps = 0): Project {
  const project = create();
  setUpLoop(project, {
    goals: ids.map((id) => `  - id: ${id}\n    title: ${id}\n    status: active\n`).join(''),
    sessions: Object.fromEntries(ids.map((id) => [id, [{ sleep: sleeps, write: { [id]: '' } }]])),
    config,
  });
  return project;
}

interface Call {
  child: ChildProcess;
  ended: Promise<{ exit: number | null; text: string }>;
}

function start(project: Project, argv: readonly string[], env: NodeJS.ProcessEnv = {}): Call {
  const child = spawn(process.execPath, [BINARY, ...argv], { cwd: project.root, env: { ...project.env, ...env } });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  return { child, ended: new Promise((resolve) => child.on('close', (exit) => resolve({ exit, text }))) };
}

const fast = () => ({
  ...{ NODE_OPTIONS: `--require ${CLOCK}`, DEV_CLI_TEST_CLOCK: String(SPEED) },
  DEV_CLI_TEST_CLOCK_FROM: String(Date.now()),
});

/** Returns the goals that two workers held at once, according to the log. */
function findOverlaps(project: Project): string[] {
  const held = new Map<string, { id: string; until: number }>();
  const events = new Map(eventsOf(project).map((event) => [event.event_id, event]));
  return [...events.values()].flatMap(({ event_type: type, payload, ...event }) => {
    const goal = String(payload['goal_id']);
    const id = String(payload['claim_id']);
    const at = Date.parse(String((event as unknown as { timestamp: string }).timestamp));
    const until = Date.parse(String(payload['expires_at']));
    const holder = held.get(goal);
    if (type === 'queue_claim_released' && holder?.id === id) held.delete(goal);
    if (type === 'queue_claim_renewed' && holder?.id === id) holder.until = until;
    if (type === 'queue_claim_renewed' && holder?.id !== id) return [`${id} renewed ${goal} of ${holder?.id}`];
    if (type !== 'queue_claim_created') return [];
    held.set(goal, { id, until });
    // Times in the log are rounded to seconds, so an overlap of up to one second proves nothing.
    return holder !== undefined && holder.until > at + 1_000 ? [`${id} took ${goal} of ${holder.id}`] : [];
  });
}

describe('claims (loop-operations.md, Queue)', () => {
  it(`${ROUNDS} rounds of twelve on three goals: three have one each`, {
    timeout: 60_000 + ROUNDS * 20_000,
  }, async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const project = begin(['a', 'b', 'c']);
      const calls = Array.from({ length: 12 }, (_, n) =>
        start(project, ['queue', 'claim', '--worker', `w${n}`, '--json']),
      );
      const ends = await Promise.all(calls.map(({ ended }) => ended));
      const won = ends.filter(({ exit }) => exit === 0).map(({ text }) => JSON.parse(text) as { goal_id: string });
      expect(won.map(({ goal_id: id }) => id).sort()).toEqual(['a', 'b', 'c']);
      for (const { exit, text } of ends) {
        if (exit === 0) continue;
        expect(exit).toBe(4);
        expect(JSON.parse(text).error.code).toMatch(/^CLAIM_REFUSED|LOCKED$/);
      }
      expect(findOverlaps(project)).toEqual([]);
    }
  });

  it(`${STOPS} workers killed or paused at any moment: no goal has two`, {
    timeout: 60_000 + STOPS * 5_000,
  }, async () => {
    const project = begin(['a', 'b']);
    const env = fast();
    let over = false;
    const work = async (worker: string): Promise<void> => {
      while (!over) {
        const taken = await start(project, ['queue', 'claim', '--worker', worker, '--ttl-minutes', '1', '--json'], env)
          .ended;
        if (taken.exit !== 0) continue;
        const { claim_id: id } = JSON.parse(taken.text) as { claim_id: string };
        await sleep(random.unit() * 1_500);
        const act = random.unit() < 0.5 ? 'renew' : 'release';
        await start(project, ['queue', act, id, '--worker', worker], env).ended;
      }
    };
    const workers = ['w1', 'w2'].map(work);
    for (let stop = 0; stop < STOPS; stop += 1) {
      const call = start(project, ['queue', 'claim', '--worker', `s${stop}`, '--ttl-minutes', '1'], env);
      await sleep(random.unit() * 400);
      const paused = random.unit() < 0.5;
      call.child.kill(paused ? 'SIGSTOP' : 'SIGKILL');
      if (paused) {
        await sleep(random.unit() * 1_500);
        call.child.kill('SIGCONT');
      }
      await call.ended;
    }
    over = true;
    await Promise.all(workers);
    expect((await start(project, ['queue', 'list'], env).ended).exit).toBe(0);
    expect(findOverlaps(project)).toEqual([]);
  });

  it('finds two holders in a log that has them', () => {
    const project = begin(['a']);
    const line = (id: string, minute: number) => {
      const at = `2026-11-27T01:${String(minute).padStart(2, '0')}:00+00:00`;
      const payload = { goal_id: 'a', claim_id: id, expires_at: '2026-11-27T01:30:00.000Z' };
      return `${JSON.stringify({ event_type: 'queue_claim_created', event_id: id, timestamp: at, payload })}\n`;
    };
    mkdirSync(join(project.root, '.ai/events'), { recursive: true });
    write(project, '.ai/events/events.jsonl', line('x', 0) + line('y', 10));
    expect(findOverlaps(project)).toEqual(['y took a of x']);
    write(project, '.ai/events/events.jsonl', line('x', 0) + line('y', 31));
    expect(findOverlaps(project)).toEqual([]);
  });
});

describe('auto that was paused past its lease', () => {
  /** Pauses `auto` while its session works, and continues it after its lease has expired. */
  async function pause(meanwhile: (project: Project, env: NodeJS.ProcessEnv) => Promise<void>): Promise<Project> {
    const project = begin(['a'], 'queue: { ttl_minutes: 3 }', 0.5);
    const digest = readDigest(project);
    const env = fast();
    const { child, ended } = start(project, ['auto', '--recursive', '--dirty', '--trust', digest], env);
    for (;;) {
      await sleep(50);
      try {
        if (countSessions(project, 'a') === 1) break;
      } catch {}
    }
    child.kill('SIGSTOP');
    await sleep(4_000);
    await meanwhile(project, env);
    child.kill('SIGCONT');
    await ended;
    return project;
  }
  const commits = (project: Project) => git(project, 'log', '--format=%(trailers:key=Dev-Cli-Goal,valueonly)').trim();

  it('counts for nothing where somebody else has the goal: what it left is kept', async () => {
    const project = await pause(async (at, env) => {
      const taken = await start(at, ['queue', 'claim', '--worker', 'w1', '--json'], env).ended;
      expect(taken.exit, taken.text).toBe(0);
    });
    expect(commits(project)).toBe('');
    expect(eventsOf(project).filter(({ event_type: type }) => type === 'auto_attempt')).toMatchObject([
      { payload: { classification: 'interrupted', success: false, action_taken: 'retry' } },
    ]);
    expect(git(project, 'show', '--format=', '--name-only', 'refs/dev-cli/attempts/a/1')).toBe('a');
    expect(findOverlaps(project)).toEqual([]);
  });

  it('goes on under a new one where nobody has it', async () => {
    const project = await pause(async () => {});
    expect(commits(project)).toBe('a');
    expect(findOverlaps(project)).toEqual([]);
  });
});
