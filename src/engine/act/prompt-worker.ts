import { foreignBlock, wholeLine } from '../../documents/foreign.js';
import { isCommand } from '../../documents/plan-commands.js';
import { dependencies, outputReferences, replaceReferences } from '../../documents/plan-graph.js';
import type { PlanAcceptance, PlanTodo } from '../../documents/plan-schema.js';
import { commandLine } from '../../documents/plan-text.js';
import type { ResolvedHandler } from '../../recipe/resolved.js';
import { writtenFor } from '../../registry/written-out.js';
import { absolutePath } from '../../run/paths.js';
import type { Turn } from '../../run/turn.js';
import { LEARNINGS, learningsOf } from './notes.js';
import { engineOf, runsCommands } from './plan.js';
import {
  bullets,
  deliveryPart,
  evidenceLines,
  fitting,
  joinParts,
  mustNotDo,
  part,
  planLine,
  requestPart,
  roleAndRules,
  valueOrPlace,
  wherePart,
} from './prompt-parts.js';
import { rulingPart } from './rulings.js';
import { shownValue, substituted } from './values.js';

/** A task as a prompt file tells of it. */
export interface TaskText {
  actionId: string;
  attempt: number;
  /** Relative to the run's directory. */
  output: string;
}

/** A worker's whole task in one file. At a new attempt: all of it, what failed before, and where the evidence lies. */
export function workerPrompt(turn: Turn, handler: ResolvedHandler, todo: PlanTodo, task: TaskText): string {
  const { name } = turn.state;
  const verification = todo.type === 'verification';
  return joinParts([
    `# ${todo.id}: ${wholeLine(todo.title)}\n\nFor the run ${name}${task.attempt > 1 ? `, attempt ${task.attempt}` : ''}; ${todo.type}, risk ${todo.risk}.`,
    ...roleAndRules(turn, handler),
    part(
      'Steps',
      todo.steps.map((step, index) => `${index + 1}. ${planLine(turn, step)}`),
    ),
    rulingPart(turn, todo.id),
    before(turn, todo.id, task.attempt),
    answers(turn, todo.id),
    inputs(turn, todo),
    files(turn, todo, verification),
    part('Must not be done', bullets(mustNotDo(turn, todo))),
    part('Look here', bullets(todo.references.map((reference) => planLine(turn, reference)))),
    acceptance(turn, todo, task),
    learnings(turn, todo),
    requestPart(turn),
    wherePart(turn),
    delivery(turn, todo, task, verification),
  ]);
}

/** What the attempt before came to: a new one needs the task and the failures both. */
function before(turn: Turn, todo: string, attempt: number): string {
  if (attempt < 2) return '';
  const { failures, evidence, todos } = engineOf(turn);
  const lines = failures[todo] ?? [];
  const why = todos[todo]?.why;
  const told = lines.length > 0 ? lines : why === undefined ? [] : [wholeLine(why)];
  const red = (evidence[todo] ?? []).filter(({ ok }) => !ok);
  const shown = [...told, ...evidenceLines(turn, red)];
  if (shown.length === 0) return '';
  return part('What the attempt before came to', [
    ...bullets(shown),
    '',
    'Its work is still in the tree: look at it first, then put right what is named here.',
  ]);
}

function answers(turn: Turn, todo: string): string {
  const known = engineOf(turn).answers[todo] ?? [];
  const lines = known.map(({ question, answer }) =>
    foreignBlock(`Q: ${question}\nA: ${answer}`, { label: 'asked by a worker, answered by the user' }),
  );
  return part('What the user said', lines);
}

function inputs(turn: Turn, todo: PlanTodo): string {
  if (todo.inputs.length === 0) return '';
  const values = todo.inputs.map(({ name, from }): [string, unknown] => [name, inputValue(turn, from)]);
  const text = JSON.stringify(Object.fromEntries(values), null, 2);
  return part('Inputs', [foreignBlock(text, { label: 'values that earlier todos handed on' })]);
}

function inputValue(turn: Turn, from: string): unknown {
  const text = replaceReferences(from, (reference) => valueOrPlace(turn, reference));
  const [only] = outputReferences(from);
  if (only === undefined || from !== `\${${only.todo}.outputs.${only.output}}`) return text;
  const value = engineOf(turn).outputs[only.todo]?.[only.output];
  // A value keeps its form, unless only its place is named.
  return text === shownValue(value) ? value : text;
}

function files(turn: Turn, todo: PlanTodo, verification: boolean): string {
  if (verification) return part('What you may touch', ['Nothing but your result: you look, you change no source.']);
  const globs = engineOf(turn).todos[todo.id]?.files ?? todo.files;
  if (globs.length === 0) return part('What you may touch', ['Whatever the task needs, outside `.dev/`.']);
  return part('What you may touch', [
    ...bullets(globs.map((glob) => `\`${wholeLine(glob)}\``)),
    '',
    'Others may be at work beside you. If another file is needed: status BLOCKED, `needs: {"files": [...]}`.',
  ]);
}

function acceptance(turn: Turn, todo: PlanTodo, { actionId }: TaskText): string {
  // Wherever the agent works.
  const check = writtenFor(turn.place.root);
  const command = check({ command: 'check', input: { subject: turn.state.name, action: actionId } });
  const exactly = runsCommands(turn) ? ' exactly as the verification will' : '';
  const does = [
    ...(todo.acceptance.some(isCommand) ? [`runs these commands${exactly}`] : []),
    ...(commits(turn, todo) ? ['names as `unlisted` what changed and your result does not list'] : []),
  ];
  const runs = does.length === 0 ? [] : ['', `\`${command}\` ${does.join(', and ')}.`];
  return part('How it will be judged', [...bullets(todo.acceptance.map((item) => criterion(turn, item))), ...runs]);
}

/** Whether what the worker does is committed. */
function commits({ state }: Turn, { type }: PlanTodo): boolean {
  return state.baseline !== null && type === 'work';
}

function criterion(turn: Turn, item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command': {
      const line = commandLine(item.run.map((word) => substituted(engineOf(turn).outputs, word)));
      const where = item.cwd === undefined ? '' : ` in ${wholeLine(item.cwd)}`;
      const { exitCode = 0, stdoutContains } = item.expect ?? {};
      const exit = exitCode === 0 ? 'passes' : `ends with exit ${exitCode}`;
      const prints = stdoutContains === undefined ? '' : ` and prints ${wholeLine(JSON.stringify(stdoutContains))}`;
      return `${item.id}: \`${wholeLine(line)}\`${where} ${exit}${prints}`;
    }
    case 'assertion':
      return `${item.id}: ${planLine(turn, item.text)}`;
    case 'human':
      return `${item.id}, judged by a person: ${planLine(turn, item.text)}`;
  }
}

/** Characters of what a worker is given of its dependencies' learnings; the others are named by their place. */
const LEARNINGS_SHOWN = 3000;

function learnings(turn: Turn, todo: PlanTodo): string {
  const notes = learningsOf(turn, dependencies(todo));
  if (notes.length === 0) return '';
  const shown = fitting(notes, LEARNINGS_SHOWN);
  const more = notes.length - shown.length;
  return part('What the workers before you learned', [
    foreignBlock(shown.join('\n\n'), { label: 'notes of other agents' }),
    ...(more === 0 ? [] : ['', `And of ${more} more todos: ${absolutePath(turn.place, turn.state.name, LEARNINGS)}.`]),
  ]);
}

function delivery(turn: Turn, todo: PlanTodo, { output }: TaskText, verification: boolean): string {
  const promised = todo.outputs.map(({ name, description }) => [name, `<${wholeLine(description)}>`]);
  const example = {
    status: 'DONE',
    outputs: Object.fromEntries(promised),
    filesChanged: verification ? [] : ['<path from the work tree>'],
    learnings: ['<what a later worker should know>'],
    issues: ['<what stays open>'],
    summary: '<what was done, one or two sentences>',
  };
  return deliveryPart(turn, output, {
    example,
    fields: [
      '`status`: DONE when everything above holds; BLOCKED when you cannot go on. BLOCKED without `needs` fails this todo at once, and what depends on it is not done.',
      promised.length === 0
        ? '`outputs`: empty; this todo promises none.'
        : '`outputs`: each of these names with its value; later todos build on them.',
      '`filesChanged`: every path you changed, made or deleted. Only these are committed.',
      '`notMine`, optional: paths inside your files that changed meanwhile and are not your work.',
      '`learnings`, `issues`: one line each, at most 12; `[]` when there are none.',
      '`reason`: only with BLOCKED, why. `needs`: only with BLOCKED, either `{"files": ["<path>"]}` or `{"question": "<one question to the user>"}`.',
    ],
    notes: [
      runsCommands(turn)
        ? 'Report what is so: dev-cli runs the commands itself afterwards.'
        : 'Report what is so: nothing is verified after you, and the report says that you said it.',
      ...(absolutePath(turn.place, turn.state.name, output).includes(' ') ? ['The path holds blanks: quote it.'] : []),
    ],
  });
}
