import { foreignBlock, foreignLine } from '../../documents/foreign.js';
import { dependencies, outputReferences } from '../../documents/plan-graph.js';
import type { PlanAcceptance, PlanTodo } from '../../documents/plan-schema.js';
import { commandLine } from '../../documents/plan-text.js';
import type { ResolvedHandler } from '../../recipe/resolved.js';
import { writtenFor } from '../../registry/written-out.js';
import { absolutePath } from '../paths.js';
import type { Turn } from '../turn.js';
import { isCommand } from './commands.js';
import { learningsOf } from './notes.js';
import { engineOf, runsCommands } from './plan.js';
import {
  bullets,
  deliveryPart,
  evidenceLines,
  joinParts,
  mustNotDo,
  part,
  planLine,
  requestPart,
  roleAndRules,
  wherePart,
} from './prompt-parts.js';
import { substituted } from './values.js';

/** A task as a prompt file tells of it. */
export interface TaskText {
  actionId: string;
  attempt: number;
  /** Relative to the run's directory. */
  output: string;
}

const VALUE_CAP = 4000;

/** A worker's whole task in one file. At a new attempt: all of it, what failed before, and where the evidence lies. */
export function workerPrompt(turn: Turn, handler: ResolvedHandler, todo: PlanTodo, task: TaskText): string {
  const { name } = turn.state;
  const verification = todo.type === 'verification';
  return joinParts([
    `# ${todo.id}: ${foreignLine(todo.title, 200)}\n\nFor the run ${name}${task.attempt > 1 ? `, attempt ${task.attempt}` : ''}; ${todo.type}, risk ${todo.risk}.`,
    ...roleAndRules(turn, handler),
    part(
      'Steps',
      todo.steps.map((step, index) => `${index + 1}. ${planLine(turn, step)}`),
    ),
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

/** What the attempt before came to: a new one needs the task and the failures both (lessons 26). */
function before(turn: Turn, todo: string, attempt: number): string {
  if (attempt < 2) return '';
  const { failures, evidence, todos } = engineOf(turn);
  const lines = failures[todo] ?? [];
  const why = todos[todo]?.why;
  const told = lines.length > 0 ? lines : why === undefined ? [] : [foreignLine(why, 500)];
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
    foreignBlock(`Q: ${question}\nA: ${answer}`, { label: 'asked by a worker, answered by the user', cap: VALUE_CAP }),
  );
  return part('What the user said', lines);
}

function inputs(turn: Turn, todo: PlanTodo): string {
  if (todo.inputs.length === 0) return '';
  const { outputs } = engineOf(turn);
  const values = todo.inputs.map(({ name, from }): [string, unknown] => {
    const [only] = outputReferences(from);
    const whole = only !== undefined && from === `\${${only.todo}.outputs.${only.output}}`;
    return [name, whole ? outputs[only.todo]?.[only.output] : substituted(outputs, from)];
  });
  const text = JSON.stringify(Object.fromEntries(values), null, 2);
  return part('Inputs', [foreignBlock(text, { label: 'values that earlier todos handed on', cap: VALUE_CAP })]);
}

function files(turn: Turn, todo: PlanTodo, verification: boolean): string {
  if (verification) return part('What you may touch', ['Nothing but your result: you look, you change no source.']);
  const globs = engineOf(turn).todos[todo.id]?.files ?? todo.files;
  if (globs.length === 0) return part('What you may touch', ['Whatever the task needs, outside `.dev/`.']);
  return part('What you may touch', [
    ...bullets(globs.map((glob) => `\`${foreignLine(glob, 300)}\``)),
    '',
    'Others may be at work beside you. If another file is needed: status BLOCKED, `needs: {"files": [...]}`.',
  ]);
}

function acceptance(turn: Turn, todo: PlanTodo, { actionId }: TaskText): string {
  // Wherever the agent works.
  const check = writtenFor(turn.place.root);
  const runs = todo.acceptance.some(isCommand)
    ? [
        '',
        `\`${check({ command: 'check', input: { subject: turn.state.name, action: actionId } })}\` runs these commands${runsCommands(turn) ? ' exactly as the verification will' : ''}.`,
      ]
    : [];
  return part('How it will be judged', [...bullets(todo.acceptance.map((item) => criterion(turn, item))), ...runs]);
}

function criterion(turn: Turn, item: PlanAcceptance): string {
  switch (item.kind) {
    case 'command': {
      const line = commandLine(item.run.map((word) => substituted(engineOf(turn).outputs, word)));
      const where = item.cwd === undefined ? '' : ` in ${foreignLine(item.cwd, 200)}`;
      return `${item.id}: \`${foreignLine(line, 300)}\`${where} passes`;
    }
    case 'assertion':
      return `${item.id}: ${planLine(turn, item.text)}`;
    case 'human':
      return `${item.id}, judged by a person: ${planLine(turn, item.text)}`;
  }
}

function learnings(turn: Turn, todo: PlanTodo): string {
  const text = learningsOf(turn, dependencies(todo));
  if (text === '') return '';
  return part('What the workers before you learned', [
    foreignBlock(text, { label: 'notes of other agents', cap: text.length }),
  ]);
}

function delivery(turn: Turn, todo: PlanTodo, { output }: TaskText, verification: boolean): string {
  const promised = todo.outputs.map(({ name, description }) => [name, `<${foreignLine(description, 120)}>`]);
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
      '`status`: DONE when everything above holds; BLOCKED when you cannot go on.',
      promised.length === 0
        ? '`outputs`: empty; this todo promises none.'
        : '`outputs`: each of these names with its value; later todos build on them.',
      '`filesChanged`: every path you changed, made or deleted.',
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
