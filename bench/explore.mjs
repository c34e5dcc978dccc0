// What a question about the code costs, compared with a git search for its words plus an empty node process.
import { createProject } from '../tests/support/project.mjs';
import { ratio, run, Samples, shuffled, timed, timedCall, timedFloor } from './measure.mjs';
import { put } from './plans.mjs';

const FILES = 5_000;
const LINES = 30;
const WORDS = ['account', 'session', 'token', 'render', 'store', 'queue', 'handler', 'result', 'value', 'string'];
/** Contains words that most files have, a word that a tenth of them has, and words that few files have. */
const QUESTION = 'where does the session of account777 expire in file-77?';
/** The question's words as `explore` passes them to git. */
const TERMS = ['where', 'does', 'the', 'session', 'of', 'account', '777', 'expire', 'in', 'file', '77'];

/** Measures a question in a project whose files have a few dozen lines and import each other. */
export function explore({ rounds }) {
  const project = createProject({ sample: null });
  for (let n = 0; n < FILES; n++) put(project, `src/m${Math.floor(n / 50)}/file-${n}.ts`, code(n));
  run(project, 'git', ['add', '--all']);
  run(project, 'git', ['-c', 'gc.auto=0', 'commit', '--quiet', '--message', 'Files']);
  const samples = new Samples();
  const grep = ['grep', '-n', '-z', '-I', '-i', '-F', ...TERMS.flatMap((term) => ['-e', term])];
  try {
    for (let round = 0; round < rounds; round++) {
      shuffled([
        () => samples.add('floor', timedFloor(project)),
        () => samples.add('git', timed(project, 'git', grep)),
        () => samples.add('explore', timedCall(project, ['explore', QUESTION, '--json'])),
      ]);
    }
    const floor = samples.median('git') + samples.median('floor');
    return {
      title: 'A question about the code',
      rows: [ratio(`explore, ${FILES} files, to git grep and a bare node`, 3, samples.median('explore'), floor)],
    };
  } finally {
    project.remove();
  }
}

function code(n) {
  const other = (n * 7919) % FILES;
  const word = (at) => WORDS[at % WORDS.length];
  const lines = Array.from(
    { length: LINES },
    (_, at) => `const ${word(n + at)}${n + at} = ${word(n * at + 3)}(${word(at)}, '${word(n)} ${at}');\n`,
  );
  return `import { f${other} } from '../m${Math.floor(other / 50)}/file-${other}.js';\n${lines.join('')}export const f${n} = ${n};\n`;
}
