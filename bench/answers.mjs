// The provider's answers for bench/runtime.mjs. The provider runs in its own process: `node tests/support/provider.mjs
// bench/answers.mjs`.
import { createModel } from '../tests/support/model.mjs';

const { DEV_CLI_BENCH_RUN } = process.env;

/** Builds the inputs of calls, all different, because repeating equal calls with equal results ends a turn. */
const INPUTS = {
  read_file: (n) => ({ path: 'package.json', offset: n }),
  write_file: (n) => ({ path: 'written.txt', content: `${n}\n` }),
  bash: (n) => ({ command: `true ${n}` }),
};

/** Number of calls made so far. */
let made = 0;

/**
 * Answers the prompt `ask REQUESTS CALLS TOOL`: REQUESTS answers with CALLS calls of TOOL each, then one whose text is
 * the time at which the last request arrived.
 * @type {import('../tests/support/provider.mjs').Script}
 */
function answerAsTold({ messages }) {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const [, requests, calls, tool] = /ask (\d+) (\d+) (\w+)/.exec(messages[asked]?.texts.at(-1) ?? '') ?? [];
  const answered = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  if (answered >= Number(requests ?? 0)) return { text: String(process.hrtime.bigint()) };
  return { calls: Array.from({ length: Number(calls) }, () => ({ name: tool, input: INPUTS[tool](made++) })) };
}

/** Answers as the scripted model of a run. Answers are cached, so that repeating a run costs no computing. */
function answerByHeart({ project, name }) {
  const model = createModel(project, name);
  const known = new Map();
  return (request) => {
    const told = request.messages.find(({ role }) => role === 'user')?.texts.join('\n') ?? '';
    const key = `${request.messages.length} ${told}`;
    if (!known.has(key)) known.set(key, model(request));
    return known.get(key);
  };
}

export default DEV_CLI_BENCH_RUN === undefined ? answerAsTold : answerByHeart(JSON.parse(DEV_CLI_BENCH_RUN));
