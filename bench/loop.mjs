// What the outer loop costs: an accepted attempt, against git alone doing it; questions with many goals; goals side by side.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BINARY, createProject } from '../tests/support/project.mjs';
import { answer, ratio, run, Samples, shuffled, spawned, timed, timedCall, timedFloor } from './measure.mjs';
import { put, repository } from './plans.mjs';

const FILES = 5_000;
const GOALS = 200;
const ASIDE = 4;
const SECONDS = 3;

const goal = (id) => `  - { id: ${id}, title: "Goal ${id}", status: active }\n`;
/** Writes a file and its handoff, and nothing else. */
const TOOL = `echo "$2" > "$2.txt"; printf -- '---\\ntimestamp: 2026-11-27T01:02:03Z\\nstatus: complete\\ngoal_id: %s\\n---\\n' "$2" > "$(sed -n 's/.*into \\(.ai.handoffs.[^;]*\\);.*/\\1/p' "$1")"`;
/** What dev-cli does for an accepted attempt, as git would be told to do it. */
const BARE = `git worktree add --quiet --detach "$1" HEAD && cd "$1" && echo "$2" > "bare-$2.txt" && git add --all &&
git commit --quiet --message=bare && made=$(git rev-parse HEAD) && cd "$3" && git merge --quiet --ff-only "$made" &&
git worktree remove --force "$1"`;

/** Against the floor, against git, and against one goal alone. */
export function loop({ rounds }) {
  const few = Math.max(3, Math.ceil(rounds / 5));
  const large = begin(repository(FILES), ids('g', few), 0);
  const many = begin(createProject(), ids('m', GOALS), 0);
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
        ...(round < few
          ? [
              () => samples.add('git', git()),
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
        ratio('auto refused by a live lock', 4.5, of('locked'), of('floor')),
        ratio(`${ASIDE} goals of ${SECONDS} s at once, to one`, 1.6, together, alone),
      ],
    };
  } finally {
    for (const project of [large, many]) project.remove();
  }
}

const ids = (prefix, count) => Array.from({ length: count }, (_, index) => `${prefix}${index + 1}`);

/** A project with goals for a tool that takes some seconds. */
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

/** A call that finds the lock taken, by this very process. */
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
