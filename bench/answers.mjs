// The provider's answers for bench/runtime.mjs, in a process of its own: `node tests/support/provider.mjs
// bench/answers.mjs`.
import { createModel } from '../tests/support/model.mjs';

const { DEV_CLI_BENCH_RUN } = process.env;

/** Inputs of calls, all different: a turn ends when equal calls give equal results. */
const INPUTS = {
  read_file: (n) => ({ path: 'package.json', offset: n }),
  write_file: (n) => ({ path: 'written.txt', content: `${n}\n` }),
  bash: (n) => ({ command: `true ${n}` }),
};

/** Calls made so far. */
let made = 0;

/**
 * Answers `ask REQUESTS CALLS TOOL`: that many answers with that many calls each, then one with the time at which the
 * last request arrived.
 * @type {import('../tests/support/provider.mjs').Script}
 */
function answerAsTold({ messages }) {
  const asked = messages.findLastIndex(({ role }) => role === 'user');
  const [, requests, calls, tool] = /ask (\d+) (\d+) (\w+)/.exec(messages[asked]?.texts.at(-1) ?? '') ?? [];
  const answered = messages.slice(asked).filter(({ role }) => role === 'assistant').length;
  if (answered >= Number(requests ?? 0)) return { text: String(process.hrtime.bigint()) };
  return { calls: Array.from({ length: Number(calls) }, () => ({ name: tool, input: INPUTS[tool](made++) })) };
}

/** Answers for a run. Answers are cached, so that a second run with the same requests costs no computing. */
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
