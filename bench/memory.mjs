// What memory costs: a judgment, a fact, the hook's block in a commit, and reading the current state in a large
// repository with a full journal.
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createProject } from '../tests/support/project.mjs';
import { answer, ratio, run, Samples, sampleRounds, timed, timedCall, timedFloor } from './measure.mjs';
import { put, repository } from './plans.mjs';

const FILES = 5_000;
const CHANGED = 7;
const JUDGMENTS = 10_000;
/** How many judgments each call adds while the journal is filled. */
const AT_ONCE = 500;

/**
 * Compares calls that use memory with similar calls that do not: a judgment with a draft update, and events that become
 * facts and commits in projects with and without memory.
 */
export function memory({ rounds }) {
  const small = createProject();
  const [on, off] = [createProject(), createProject()];
  const large = fill(repository(FILES));
  const [hooked, bare] = [createProject(), createProject()];
  answer(small, ['init', 'add-x', '--goal', 'Add X', '--recipe', 'specify-quick-interactive']);
  mkdirSync(join(on.root, '.dev/memory'), { recursive: true });
  answer(hooked, ['install', '--harness', 'git', '--yes']);
  const samples = new Samples();
  let count = 0;
  const text = () => `Sessions live in store ${count++}`;
  const draft = () => ['draft', 'update', 'add-x', '--data', JSON.stringify({ boundaries: text() })];
  const commit = (project) => timed(project, 'git', ['commit', '--quiet', '--allow-empty', '--message', text()]);
  const hear = (project, [event, payload]) =>
    timedCall(
      project,
      ['hook', event, '--harness', 'claude'],
      JSON.stringify({ session_id: 's', cwd: project.root, ...payload(project) }),
    );
  const works = {
    floor: () => timedFloor(small),
    'draft update': () => timedCall(small, draft()),
    'memory decide': () => timedCall(small, ['memory', 'decide', '--text', text(), '--reason', 'It outlives a deploy']),
    commit: () => commit(bare),
    'commit with the block': () => commit(hooked),
    note: () => timedCall(large, ['memory', 'note', '--kind', 'tried', '--text', text()]),
    claim: () => timedCall(large, ['memory', 'verify', '--text', `npm test -> ${text()}`]),
    context: () => timedCall(large, ['context']),
    ...Object.fromEntries(
      Object.entries(EVENTS).flatMap(([what, event]) => [
        [`${what}, remembered`, () => hear(on, event)],
        [what, () => hear(off, event)],
      ]),
    ),
  };
  try {
    sampleRounds(samples, works, rounds);
    const of = (kind) => samples.median(kind);
    if (!existsSync(join(on.root, '.dev/memory/facts.jsonl'))) throw new Error('no event became a fact');
    return {
      title: 'Memory',
      rows: [
        ratio('memory decide, to draft update', 1.1, of('memory decide'), of('draft update')),
        ...Object.keys(EVENTS).map((what) =>
          ratio(`${what} becomes a fact, to the same forgotten`, 1.1, of(`${what}, remembered`), of(what)),
        ),
        ratio(
          'git commit with the block, less without it',
          0.5,
          of('commit with the block') - of('commit'),
          of('floor'),
        ),
        ratio(`content of ${FILES} files: a claim, less a note`, 2, of('claim') - of('note'), of('floor')),
        ratio(`context: ${FILES} files, ${JUDGMENTS} judgments`, 2, of('context'), of('draft update')),
      ],
    };
  } finally {
    for (const project of [small, on, off, large, hooked, bare]) project.remove();
  }
}

/** Events of a harness that become facts. */
const EVENTS = {
  'a prompt': ['user-prompt-submit', () => ({ prompt: 'Move the sessions, please.' })],
  'a file written': [
    'post-tool-use',
    ({ root }) => ({ tool_name: 'Write', tool_input: { file_path: join(root, 'src/a.js'), content: 'x' } }),
  ],
  'an agent that stops': ['stop', () => ({ last_assistant_message: 'The sessions are moved.' })],
};

/** Changes a few files, and fills memory's journal. */
function fill(project) {
  for (let n = 1; n <= CHANGED; n++) put(project, `files/0/file-${n}.txt`, 'Changed.\n');
  for (let n = 0; n < JUDGMENTS; n += AT_ONCE) {
    const texts = Array.from({ length: AT_ONCE }, (_, at) => ['--decision', `Choice ${n + at} of many`]);
    answer(project, ['transfer', '--handoff', ...texts.flat()]);
  }
  run(project, 'git', ['status', '--short']);
  return project;
}
