import { isAbsolute, resolve } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import type { CommandFormatter } from '../../base/invocation.js';
import { renderCount } from '../../base/words.js';
import { requireTerminal } from '../../protocol/trust/person.js';
import { renderLintReport } from '../../recipe/lint/report.js';
import { requireRecipe } from '../../recipe/load/load.js';
import type { RecipeProblem } from '../../recipe/source/problem.js';
import { renderInvocation } from '../../registry/render.js';
import type { InputIn } from '../../registry/spec.js';
import type { PendingAction } from '../../run/action.js';
import type { Context } from '../../run/context.js';
import { buildActionAnswer, buildActionView } from '../../views/action.js';
import { type Amount, sumAmounts } from './amount.js';
import { NO_FIXTURES, openFixtures } from './fixtures.js';
import { listOutcomes } from './outcomes.js';
import { type PlayedAction, type PlayOptions, type PlayResult, playScript } from './play.js';
import { type Rehearsal, renderActionJson } from './rehearsal.js';
import { type ReadScript, readScript } from './script.js';
import type { Script, ScriptStep } from './script-schema.js';
import type { AUTHORING_SPECS } from './specs.js';

type Input = Omit<InputIn<typeof AUTHORING_SPECS, 'recipe simulate'>, 'recipe'>;

/** Characters that count as one token. */
const PER_TOKEN = 4;

/**
 * `recipe simulate`: runs a recipe in memory (authoring.md, recipe simulate). Exits with 3 if the run differs from the
 * script.
 * @param cwd absolute base directory of `--script`
 * @throws DevCliError `UNKNOWN_RECIPE`, `RECIPE_INVALID`, `TERMINAL_REQUIRED`, `DATA_MISSING` for a script that does
 * not exist, `INTERRUPTED`
 */
export async function simulate(context: Context, recipe: string, input: Input, cwd: string): Promise<Answer> {
  const { library, signal } = context;
  if (input.step === true) requireTerminal(context, { command: 'recipe simulate', input: { recipe, step: true } });
  requireRecipe(library, recipe);
  const path = input.script === undefined ? null : isAbsolute(input.script) ? input.script : resolve(cwd, input.script);
  const script = path === null ? null : readScriptFile(context, path, input.script ?? '');
  if (script !== null && script.value === null) return report(recipe, null, script, script.log.problems);
  const { goal, set } = input;
  const given = {
    ...script?.value?.given,
    ...(goal === undefined ? {} : { goal }),
    ...(set === undefined ? {} : { set: { ...script?.value?.given?.set, ...set } }),
  };
  const options: PlayOptions = {
    library,
    signal,
    fixtures: path === null ? NO_FIXTURES : openFixtures(library, path),
    improvise: chooseOutcome(context, input),
  };
  const made = await playScript(recipe, { ...script?.value, given }, options);
  for (const { place, message, fix } of made.findings) script?.log.error(place, message, { fix });
  return report(recipe, made, script, script?.log.problems ?? []);
}

/**
 * Returns the function that chooses an outcome when no script gives one: at random, or as the person at the terminal
 * says.
 */
function chooseOutcome(context: Context, { seed, step }: Input): PlayOptions['improvise'] {
  if (step === true) return (action, on) => askPerson(context, action, on);
  if (seed === undefined) return undefined;
  const chance = createRandom(seed);
  return async (action, on) => {
    const possible = await listOutcomes(action, on);
    // At least two in three outcomes are successes; otherwise no run would get far.
    const index = chance.below(3) === 0 ? chance.below(possible.length) : 0;
    return possible[index]?.step ?? {};
  };
}

async function askPerson(context: Context, action: PendingAction, on: Rehearsal): Promise<ScriptStep | null> {
  const possible = await listOutcomes(action, on);
  const lines = [
    '',
    renderForPerson(action, renderInvocation),
    '',
    ...possible.map(({ label }, index) => `  ${index + 1}  ${label}`),
    'What happens? A number, Enter for the first, or q to quit: ',
  ];
  for (;;) {
    const typed = (await context.ask(lines.join('\n'))).trim();
    if (typed === 'q') return null;
    const chosen = possible[typed === '' ? 0 : Number(typed) - 1];
    if (chosen !== undefined) return chosen.step;
  }
}

/** Reads a script. @throws DevCliError `DATA_MISSING` */
function readScriptFile({ library, root }: Context, path: string, given: string): ReadScript<Script> {
  const text = library.reader.read(path);
  if (text === null) {
    throw new DevCliError('DATA_MISSING', `There is no file ${JSON.stringify(given)}.`, {
      fix: 'Name an existing script.',
    });
  }
  return readScript(text, path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path);
}

/** The cost of a simulation. */
interface Counts {
  calls: number;
  answers: { bytes: number; tokens: number };
  prompts: { bytes: number; tokens: number };
}

function report(
  recipe: string,
  made: PlayResult | null,
  script: ReadScript<Script> | null,
  problems: RecipeProblem[],
): Answer {
  const played = made?.played ?? [];
  const counts = count(made);
  const last = made?.last ?? null;
  const findings = script === null ? (made?.findings.map(({ message }) => message) ?? []) : [];
  const ok = problems.length === 0 && findings.length === 0;
  const refusal = made?.refusal ?? null;
  const end =
    last === null
      ? refusal && { refused: refusal.code, summary: refusal.message }
      : last.action === 'done'
        ? { outcome: last.outcome, summary: last.summary }
        : { waits: last.block };
  const texts = script === null ? {} : { [script.source.file]: script.source.text };
  return {
    exit: ok ? 0 : 3,
    json: {
      ok,
      recipe,
      actions: played.map(({ action, phase, step, did, refused }) => ({
        ...(step === null ? {} : { step: step + 1 }),
        ...(phase === null ? {} : { phase }),
        action: renderActionJson(buildActionView(action, false, ANY_READER)),
        did,
        ...(refused === null ? {} : { refused }),
      })),
      ...counts,
      end: last?.action === 'done' ? { ...end, action: renderActionJson(buildActionView(last, false, null)) } : end,
      problems: script === null ? findings.map((message) => ({ message })) : problems,
    },
    text: (format) =>
      [
        ...played.map((one) => renderPlayed(one, format)),
        ...(made === null ? [] : [renderEnd(made), renderCounts(counts)]),
        ...findings,
        ...(problems.length === 0 ? [] : [`\n${renderLintReport(problems, texts)}`]),
      ].join('\n'),
  };
}

function count(made: PlayResult | null): Counts {
  const answers = made?.on.answers ?? [];
  const prompts = (made?.played ?? []).map((one) => one.prompts);
  return { calls: answers.length, answers: weigh(answers), prompts: weigh(prompts) };
}

function weigh(amounts: readonly Amount[]): Counts['answers'] {
  const { bytes, characters } = sumAmounts(amounts);
  return { bytes, tokens: Math.round(characters / PER_TOKEN) };
}

/** A simulated run has no harness: its actions use general wording. */
const ANY_READER = { caller: { kind: 'agent', via: 'cli' }, mark: null } as const;

/** Renders an action and the answer to it in a few lines. */
function renderPlayed({ action, phase, did }: PlayedAction, format: CommandFormatter): string {
  const head = `${action.actionId}  ${phase === null ? '' : `${phase}/`}${action.block}  ${action.action}  ${action.progress}`;
  const inside = renderForPerson(action, format)
    .split('\n')
    .slice(1)
    .filter((line) => !/^(ack|poll|answer): |^ {4}dev-cli /.test(line))
    .map((line) => `    ${line.length > 110 ? `${line.slice(0, 109)}…` : line}`);
  return [head, ...inside, `    → ${did}`].join('\n');
}

function renderForPerson(action: PendingAction, format: CommandFormatter): string {
  return buildActionAnswer(action, { full: false, warnings: [] }, ANY_READER).text?.(format) ?? '';
}

function renderEnd({ last, refusal }: PlayResult): string {
  if (refusal !== null) return `The run was refused: ${refusal.message} [${refusal.code}]`;
  if (last === null) return 'The run did not begin.';
  if (last.action === 'done') return `\n${last.outcome}: ${last.summary}`;
  return `\nstopped at ${last.block} (${last.action})`;
}

function renderCounts({ calls, answers, prompts }: Counts): string {
  const of = ({ bytes, tokens }: Counts['answers']) => `${bytes} bytes, about ${tokens} tokens`;
  return `${renderCount(calls, 'call')}; answers: ${of(answers)}; prompts of agents: ${of(prompts)}`;
}

/** Creates a random number generator that is deterministic for a seed (mulberry32). @param seed a whole number */
export function createRandom(seed: number): {
  /** Returns a whole number from 0 to below `limit`. */
  below: (limit: number) => number;
} {
  let state = seed >>> 0;
  return {
    below(limit) {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * limit);
    },
  };
}
