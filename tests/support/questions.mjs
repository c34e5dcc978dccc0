/**
 * Questions that whoever takes over the work must be able to answer, and where `dev-cli context --format json` answers
 * them (memory.md, Context).
 */

/** The questions, by topic. */
const QUESTIONS = {
  aim: 'What is the aim?',
  reason: 'Why that?',
  superseded: 'What was decided before, and holds no longer?',
  deadEnd: 'What was tried and given up?',
  committed: 'What was committed, newest first?',
  uncommitted: 'What is not committed?',
  holds: 'Does the last test still hold?',
  repeat: 'Which command repeats it?',
  waits: 'What waits for a person?',
  next: 'What comes next?',
};

const KEYS = /** @type {(keyof typeof QUESTIONS)[]} */ (Object.keys(QUESTIONS));
const WIDTH = Math.max(...Object.values(QUESTIONS).map(({ length }) => length));

/** @typedef {Record<keyof typeof QUESTIONS, string | string[] | null>} Answers */

/**
 * Reads the answers from the document that `dev-cli context` prints; if memory has no answer, from the handoff that the
 * document contains.
 * @param {any} context
 * @returns {Answers}
 */
export function readAnswers({ task, extra }) {
  const { intent, decisions, verification, commits, changes, waiting, tried, handed = {} } = extra;
  const replaced = new Set(decisions.map((/** @type {any} */ { supersedes }) => supersedes));
  const [aim, reason] = intent?.reason === undefined ? (intent?.text ?? '').split(' — ') : [intent.text, intent.reason];
  const ran = verification.filter((/** @type {any} */ { how }) => how === 'ran').at(-1) ?? readTest(handed);
  return {
    ...{ aim: aim || null, reason: reason ?? null },
    superseded: [
      ...decisions.filter((/** @type {any} */ { id }) => replaced.has(id)).map((/** @type {any} */ { text }) => text),
      ...(handed['Key Decisions'] ?? []).flatMap(
        (/** @type {string} */ text) => /^(.*?)(?: — .*)? \(superseded\)$/.exec(text)?.[1] ?? [],
      ),
    ],
    deadEnd: tried.length > 0 ? tried : (handed.Tried ?? []),
    committed: commits.map((/** @type {any} */ { subject }) => subject),
    uncommitted: changes.paths,
    holds: ran === null ? null : ran.freshness === 'fresh' ? 'yes' : 'no',
    repeat: ran?.command ?? null,
    waits: [
      ...waiting.map((/** @type {any} */ { summary }) => summary),
      ...(waiting.length > 0 ? [] : (handed.Waiting ?? [])),
    ],
    next: task[0] ?? null,
  };
}

/**
 * Reads the last test from a handoff.
 * @param {{ Verification?: string[] }} handed
 */
function readTest({ Verification: lines = [] }) {
  const [, command, freshness] = /^(.*) -> .* \[(\w+)\]$/.exec(lines.at(-1) ?? '') ?? [];
  return command === undefined ? null : { command, freshness };
}

/**
 * Prints each question with its answer, and with the true answer if it differs.
 * @param {any} context
 * @param {Answers} truth
 * @param {(line: string) => void} say
 * @returns {number} how many answers are wrong
 */
export function tellAnswers(context, truth, say) {
  const answers = readAnswers(context);
  const wrong = KEYS.filter((key) => JSON.stringify(answers[key]) !== JSON.stringify(truth[key]));
  for (const key of KEYS) {
    const isWrong = wrong.includes(key);
    say(`  ${isWrong ? 'WRONG' : 'true '}  ${QUESTIONS[key].padEnd(WIDTH)} ${show(answers[key])}`);
    if (isWrong) say(`         ${'the truth is'.padEnd(WIDTH)} ${show(truth[key])}`);
  }
  return wrong.length;
}

/** @param {Answers[keyof Answers]} answer */
function show(answer) {
  if (answer === null) return 'not said';
  if (typeof answer === 'string') return answer;
  return answer.length === 0 ? 'nothing' : answer.join('; ');
}
