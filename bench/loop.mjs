// What the outer loop costs: an accepted attempt, compared with the same git commands run without dev-cli; commands
// that read many goals or a long event log; and goals worked on in parallel.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { answer, ratio, run, Samples, shuffled, spawned, timed, timedCall, timedFloor } from './measure.mjs';
import { put, repository } from './plans.mjs';

const FILES = 5_000;
const GOALS = 200;
const ASIDE = 4;
const SECONDS = 3;
const ITEMS = 100;

const goal = (id) => `  - { id: ${id}, title: "Goal ${id}", status: active }\n`;
/** The scripted tool: writes a file and a handoff, and nothing else. */
const TOOL = `echo "$2" > "$2.txt"; printf -- '---\\ntimestamp: 2026-11-27T01:02:03Z\\nstatus: complete\\ngoal_id: %s\\n---\\n' "$2" > "$(sed -n 's/.*into \\(.ai.handoffs.[^;]*\\);.*/\\1/p' "$1")"`;
/** The git commands that an accepted attempt needs at least. */
const BARE = `git worktree add --quiet --detach "$1" HEAD && cd "$1" && echo "$2" > "bare-$2.txt" && git add --all &&
git commit --quiet --message=bare && made=$(git rev-parse HEAD) && cd "$3" && git merge --quiet --ff-only "$made" &&
git worktree remove --force "$1"`;

/** Number of lines in an event log, half of them attempts and half claims. */
const EVENTS = 100_000;
/** The least that any reader of the log has to do: parse every line. */
const PARSE =
  "for (const line of require('node:fs').readFileSync(process.argv[1], 'utf8').split('\\n')) if (line) JSON.parse(line)";

/** Compares the outer loop with an empty node process, with git, and with a single goal. */
export function loop({ rounds }) {
  const few = Math.max(3, Math.ceil(rounds / 5));
  const large = begin(repository(FILES), ids('g', few), 0);
  const many = begin(createProject(), ids('m', GOALS), 0);
  const logged = begin(createProject(), ['g1'], 0);
  const log = writeLog(logged);
  const waiting = begin(createProject(), ids('w', rounds), 0);
  fillInbox(waiting, rounds);
  const samples = new Samples();
  let bare = 0;
  const git = () => timed(large, 'sh', ['-c', BARE, 'sh', join(large.root, '..', 'bare'), String(bare++), large.root]);
  const digest = trust(large);
  try {
    for (let round = 0; round < rounds; round++) {
      shuffled([
        () => samples.add('floor', timedFloor(many)),
        () => samples.add('dry', timedCall(many, ['auto', '--recursive', '--dry-run'])),
        () => samples.add('observe', timedCall(many, ['observe'])),
        () => samples.add('locked', timedRefusal(many)),
        () => samples.add('claim', timedCall(waiting, ['queue', 'claim', '--worker', `w${round}`])),
        () => samples.add('inbox', timedCall(waiting, ['inbox', 'list'])),
        ...(round < few
          ? [
              () => samples.add('git', git()),
              () => samples.add('parse', timed(logged, process.execPath, ['-e', PARSE, log])),
              () => samples.add('replay', timedCall(logged, ['events', 'replay'])),
              () => samples.add('auto', timedCall(large, ['auto', `g${round + 1}`, '--dirty', '--trust', digest])),
            ]
          : []),
      ]);
    }
    const together = timeGoals(ASIDE);
    const alone = timeGoals(1);
    const of = (kind) => samples.median(kind);
    return {
      title: 'The outer loop',
      rows: [
        ratio(`an accepted attempt, ${FILES} files, to git alone`, 2.5, of('auto'), of('git')),
        ratio(`auto --dry-run, ${GOALS} goals`, 4.5, of('dry'), of('floor')),
        ratio(`observe, ${GOALS} goals`, 4.5, of('observe'), of('floor')),
        ratio('queue claim', 3, of('claim'), of('floor')),
        ratio(`inbox list, ${ITEMS} items`, 4.5, of('inbox'), of('floor')),
        ratio('auto refused by a live lock', 4.5, of('locked'), of('floor')),
        ratio(`events replay, ${EVENTS} events, to parsing the lines`, 2, of('replay'), of('parse')),
        ratio(`${ASIDE} goals of ${SECONDS} s at once, to one`, 1.6, together, alone),
      ],
    };
  } finally {
    for (const project of [large, many, logged]) project.remove();
  }
}

function writeLog(project) {
  const lines = Array.from({ length: EVENTS }, (_, n) => {
    const goal_id = `goal-${n % 50}`;
    const [event_type, more] =
      n % 2 === 0
        ? [
            'auto_attempt',
            {
              ...{ run_id: `20261127T010203+0100-${n >> 6}`, attempt: 1 + (n % 3), success: n % 8 === 0, ref: null },
              ...{
                classification: n % 8 === 0 ? 'complete' : 'failed',
                action_taken: n % 20 === 4 ? 'block' : 'retry',
              },
              ...{
                reason: 'tests red: expected 200 to be 401',
                changed_files: ['src/a.ts', 'test/a.test.ts'],
                cost_usd: 0.1,
              },
            },
          ]
        : [
            'queue_claim_created',
            { claim_id: `QCLM_${n}`, worker_id: `w${n % 3}`, expires_at: '2026-11-27T03:00:00+01:00' },
          ];
    const event = { timestamp: '2026-11-27T02:00:00+01:00', event_id: `evt_${n}`, event_type, source: 'dev-cli' };
    return JSON.stringify({
      ...event,
      idempotency_key: `${n}`,
      schema_version: 'event_bus.v1',
      payload: { goal_id, ...more },
    });
  });
  mkdirSync(join(project.root, '.ai/events'));
  put(project, '.ai/events/events.jsonl', `${lines.join('\n')}\n`);
  return join(project.root, '.ai/events/events.jsonl');
}

const ids = (prefix, count) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

/** Sets up a project with goals and a tool that takes `seconds`. */
function begin(project, goals, seconds) {
  const tool = join(project.root, '..', 'tool.sh');
  writeFileSync(tool, `sleep ${seconds}\n${TOOL}\n`);
  mkdirSync(join(project.root, '.ai/handoffs'), { recursive: true });
  put(project, '.ai/config.yaml', `test_command: "true"\nai_tool: sh ${tool} {prompt_file} {goal}\n`);
  put(project, '.ai/goals.yaml', `goals:\n${goals.map(goal).join('')}`);
  put(project, '.ai/.gitignore', 'auto.lock*\nevents/\n');
  run(project, 'git', ['add', '--all']);
  run(project, 'git', ['commit', '--quiet', '--message=goals']);
  return project;
}

const trust = (project) => JSON.parse(answer(project, ['auto', '--recursive', '--dry-run', '--json'])).trust.digest;

/** Creates an inbox of blocked goals, all waiting for a person, and adds `free` active goals for workers to claim. */
function fillInbox(project, free) {
  mkdirSync(join(project.root, '.ai/events'), { recursive: true });
  const lines = ids('evt_', ITEMS).map((id) => {
    const payload = { run_id: 'r', goal_id: id, action_taken: 'block', reason: 'Which one?', success: false };
    return JSON.stringify({ event_id: id, event_type: 'auto_attempt', timestamp: '2026-11-27T01:02:03Z', payload });
  });
  put(project, '.ai/events/events.jsonl', `${lines.join('\n')}\n`);
  const blocked = ids('evt_', ITEMS).map((id) => `  - { id: ${id}, title: "Goal ${id}", status: blocked }\n`);
  put(project, '.ai/goals.yaml', `goals:\n${ids('w', free).map(goal).join('')}${blocked.join('')}`);
}

/** Times a call that is refused because this process holds the lock. */
function timedRefusal(project) {
  put(project, '.ai/auto.lock', `pid: ${process.pid}\n`);
  const words = ['auto', '--recursive', '--dirty', '--trust', trust(project)];
  const from = performance.now();
  const { status } = spawned(project, process.execPath, [BINARY, ...words]);
  const took = performance.now() - from;
  if (status !== 4) throw new Error('the lock did not hold');
  return took;
}

function timeGoals(count) {
  const project = begin(createProject(), ids('p', count), SECONDS);
  try {
    return timedCall(project, ['auto', '--recursive', '--parallel', String(count), '--trust', trust(project)]);
  } finally {
    project.remove();
  }
}
