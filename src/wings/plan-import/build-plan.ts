import { LIMITS } from '../../base/limits.js';
import { maskSecrets, toBoundedLine } from '../../documents/foreign.js';
import { runsWholeSuite } from '../../plan/check/suite-commands.js';
import type { SourceLocation } from '../../plan/markdown/place.js';
import { formatSourceLocation } from '../../plan/markdown/place.js';
import type { PlanAcceptance, PlanContent, PlanTodo } from '../../plan/model/schema.js';
import { describeInvented, type InventedPart, renderInvented, UNTITLED } from './invented.js';
import type { TracedTodo } from './name-lost.js';
import type { ImportNotes } from './notes.js';
import { type NamedTask, orderTasks } from './order-tasks.js';
import type { LocatedText, SourcePlan, SourceRequirement, SourceStep } from './source-plan.js';

/** The plan that an import has built. */
export interface BuiltPlan {
  plan: PlanContent;
  /** Parts of the plan that the source does not state. */
  invented: InventedPart[];
  /** Tasks and steps that the source marks as done; the plan leaves them out. */
  done: { at: string; what: string }[];
  /** The todos, each with the source lines of its task. */
  traced: TracedTodo[];
  /** Unticked tasks and steps that the plan leaves out: their box has another mark, or their task is left out. */
  unticked: { at: string; what: string }[];
}

/** Id of the todo that checks the requirements of a source. */
const CHECK_ID = 'check-requirements';

/**
 * Builds a plan from a source that was read. Where the source says nothing, chooses the most cautious value and lists
 * it in `invented`.
 * @param goal the run's goal, which serves as the request; if null, the request comes from the source
 */
export function buildImportedPlan(source: SourcePlan, goal: string | null, notes: ImportNotes): BuiltPlan {
  const texts = (all: readonly LocatedText[], cap: number = LIMITS.statement) =>
    all.flatMap(({ text, at }) => (text.trim() === '' ? [] : [shorten(text, cap, at, notes)]));
  const done = listDone(source, notes);
  const marked = nameMarked(source, notes);
  const below = nameLeftOut(source, notes);
  const tasks = orderTasks(source.tasks, notes);
  const requirements = nameRequirements(source.requirements, notes);
  const known = new Set(requirements.map(({ id }) => id));
  const moved = new Set(requirements.length === 0 ? [] : tasks.filter((task) => isBeside(task, tasks)));
  const todos = tasks.map((task) => buildTodo(task, { notes, known, movesSuites: moved.has(task) }));
  const check = requirements.length === 0 ? [] : [buildCheck(source, requirements, tasks, moved)];
  const core = source.core ?? source.request[0]?.text ?? source.title;
  const request = fitRequest(source, notes);
  const invented = describeInvented({ source, tasks, todos, requirements: requirements.length, check: check[0]?.id });
  const plan: PlanContent = {
    context: {
      ...(goal === null ? { originalRequest: request } : {}),
      interviewSummary: goal === null ? [] : [request],
      researchFindings: texts(source.findings, LIMITS.freeText),
      assumptions: [...texts(source.assumptions), ...renderInvented(invented, { done, marked, below })],
    },
    ...(requirements.length === 0 ? {} : { requirements: requirements.map(({ checks: _, at: __, ...rest }) => rest) }),
    ...(source.decisions.length === 0
      ? {}
      : {
          decisions: source.decisions.map(({ text, reason, at }) => ({
            text: shorten(text, LIMITS.statement, at, notes),
            ...(reason === '' ? {} : { reason: shorten(reason, LIMITS.statement, at, notes) }),
            by: 'agent' as const,
          })),
        }),
    objectives: {
      core: toBoundedLine(core, LIMITS.statement),
      deliverables: texts(source.deliverables),
      definitionOfDone: texts(source.doneWhen),
      mustNotDo: texts(source.mustNotDo),
    },
    todos: [...todos, ...check],
    ...listCommits(tasks, notes),
    ...(source.risks.length === 0
      ? {}
      : { risks: texts(source.risks).map((text) => ({ text, severity: 'medium' as const })) }),
    ...(source.needs.length === 0
      ? {}
      : { externalDependencies: texts(source.needs).map((text) => ({ when: 'pre' as const, text })) }),
  };
  const traced = tasks.flatMap(({ at, commit }, index) => {
    const todo = todos[index];
    return todo === undefined ? [] : [{ todo, at, commit: commit ?? '' }];
  });
  return { plan, invented, done, traced, unticked: [...marked, ...below] };
}

/** Cuts a text to the length allowed in its field. A note tells the person that the end was not imported. */
function shorten(text: string, cap: number, at: SourceLocation, notes: ImportNotes): string {
  if (text.length > cap) {
    notes.refuse(at, text, `${text.length} characters, at most ${cap}: the end of it stays in the source`);
  }
  return toBoundedLine(text, cap);
}

/**
 * Returns the request, cut to the allowed length. Without a request, returns the title, since a plan must have a
 * request.
 */
function fitRequest({ request, title }: SourcePlan, notes: ImportNotes): string {
  const whole =
    request
      .map(({ text }) => text)
      .join('\n')
      .trim() || title;
  const at = request[0]?.at ?? { path: title, line: 1 };
  if (whole.length <= LIMITS.freeText) return whole;
  notes.refuse(
    at,
    whole,
    `${whole.length} characters of request, at most ${LIMITS.freeText}: the rest stays in the source`,
  );
  return whole.slice(0, LIMITS.freeText - 1).replace(/[\ud800-\udbff]$/, '');
}

function listDone({ tasks }: SourcePlan, notes: ImportNotes): BuiltPlan['done'] {
  return listLeftOut(tasks).flatMap(({ at, text, mark }) => {
    if (mark) return [];
    notes.settle(at);
    return [{ at: formatSourceLocation(at), what: toBoundedLine(text, LIMITS.title) }];
  });
}

/** Lists the tasks that count as done and, of the other tasks, such steps. The plan leaves them out. */
function listLeftOut(tasks: SourcePlan['tasks']): SourceStep[] {
  return tasks.flatMap(({ isDone, title, mark, at, steps }) =>
    isDone ? [{ text: title, isDone, mark, at }] : steps.filter((step) => step.isDone),
  );
}

/** Lists left-out tasks and steps whose box has a mark other than open or done, such as `[-]`. Each becomes a note. */
function nameMarked({ tasks }: SourcePlan, notes: ImportNotes): BuiltPlan['unticked'] {
  return listLeftOut(tasks).flatMap(({ at, text, mark }) => {
    if (!mark) return [];
    const said = `[${mark}] ${text}`;
    notes.refuseWhole(at, said, 'its box says neither open nor done, so that it is no work');
    return [{ at: formatSourceLocation(at), what: toBoundedLine(said, LIMITS.title) }];
  });
}

/** Lists the open steps of tasks that are left out. The steps are left out too: the plan has no todo to hold them. */
function nameLeftOut({ tasks }: SourcePlan, notes: ImportNotes): BuiltPlan['unticked'] {
  return tasks.flatMap(({ isDone, mark, steps }) =>
    (isDone ? steps : []).flatMap(({ at, text, isOpen }) => {
      if (isOpen !== true) return [];
      notes.refuse(
        at,
        text,
        `it is not ticked, but the task that it belongs to is ${mark ? `marked ${mark}` : 'ticked'}`,
      );
      return [{ at: formatSourceLocation(at), what: toBoundedLine(text, LIMITS.title) }];
    }),
  );
}

type NamedRequirement = Omit<SourceRequirement, 'id'> & { id: string; from: 'user' };

function nameRequirements(all: readonly SourceRequirement[], notes: ImportNotes): NamedRequirement[] {
  const taken = new Set<string>();
  return all.map(({ id: said, quote, text, checks, at }, index) => {
    const id = said !== null && !taken.has(said) ? said : `r-${index + 1}`;
    taken.add(id);
    const whole = {
      quote: shorten(quote, LIMITS.freeText, at, notes),
      text: shorten(text, LIMITS.statement, at, notes),
    };
    const fitting = checks.map((check) => shorten(check, LIMITS.statement, at, notes));
    return { id, ...whole, from: 'user', checks: fitting.length > 0 ? fitting : [whole.text], at };
  });
}

/** Returns whether another task may be done at the same time as this one. */
function isBeside(task: NamedTask, tasks: readonly NamedTask[]): boolean {
  return task.isParallel && tasks.some((other) => other !== task && other.isParallel && other.phase === task.phase);
}

function buildTodo(
  task: NamedTask,
  { notes, known, movesSuites }: { notes: ImportNotes; known: ReadonlySet<string>; movesSuites: boolean },
): PlanTodo {
  const { id, at, dependsOn, serves } = task;
  const title = task.title || UNTITLED;
  const steps = task.steps.filter((step) => !step.isDone && step.text !== '');
  const commands = dropContradicted(task.commands).filter(({ argv }) => !(movesSuites && runsWholeSuite(argv)));
  if (serves !== null && !known.has(serves)) notes.refuse(at, serves, 'no user story has this number');
  return {
    id,
    title: toBoundedLine(title, LIMITS.title),
    type: task.isCheck && commands.length > 0 ? 'verification' : 'work',
    risk: 'medium',
    dependsOn,
    inputs: [],
    outputs: [],
    files: [...new Set(task.files)],
    steps: [
      ...(title.length > LIMITS.title ? [shorten(title, LIMITS.step, at, notes)] : []),
      ...steps.map((step) => shorten(step.text, LIMITS.step, step.at, notes)),
    ],
    mustNotDo: [],
    ...(serves !== null && known.has(serves) ? { serves: [serves] } : {}),
    references: [placeTask(task), ...new Set(task.references)].map((text) =>
      shorten(text, LIMITS.statement, at, notes),
    ),
    acceptance: buildAcceptance(task.check ?? `Done as the source describes it: ${title}`, commands),
  };
}

/** Renders the place of a task in the source: its lines, and the headings above them. */
function placeTask({ at, below }: NamedTask): string {
  return [formatSourceLocation(at), ...(below.length === 0 ? [] : [`(${below.join(' › ')})`])].join(' ');
}

/** Keeps only the last of several expectations for a command: a test may have to fail first and pass after the work. */
function dropContradicted(commands: NamedTask['commands']): NamedTask['commands'] {
  const key = ({ argv, cwd }: NamedTask['commands'][number]) => JSON.stringify([argv, cwd]);
  const last = new Map(commands.map((command) => [key(command), command.expect?.exitCode]));
  return commands.filter((command) => last.get(key(command)) === command.expect?.exitCode);
}

/** Makes each distinct command an acceptance. @param check a statement for an agent to judge if there is no command */
function buildAcceptance(check: string, commands: NamedTask['commands']): PlanAcceptance[] {
  const distinct = [
    ...new Map(
      commands.map((command) => [JSON.stringify([command.cwd, command.argv, command.expect]), command]),
    ).values(),
  ];
  if (distinct.length > 0) {
    return distinct.map(({ argv, cwd, expect }, index) => ({
      id: `ac-${index + 1}`,
      kind: 'command',
      run: argv,
      ...(cwd === undefined ? {} : { cwd }),
      ...(expect === undefined ? {} : { expect }),
    }));
  }
  return [{ id: 'ac-1', kind: 'assertion', text: toBoundedLine(check, LIMITS.statement) }];
}

/** Builds the last todo, which changes nothing: it judges each requirement by the source's criteria. */
function buildCheck(
  source: SourcePlan,
  requirements: readonly NamedRequirement[],
  tasks: readonly NamedTask[],
  moved: ReadonlySet<NamedTask>,
): PlanTodo {
  const before = new Set(tasks.flatMap(({ dependsOn }) => dependsOn));
  const suites = [...moved].flatMap(({ commands }) => commands.filter(({ argv }) => runsWholeSuite(argv)));
  const judged = requirements.flatMap(({ id, checks }) => checks.map((text) => ({ text, proves: [id] })));
  const ids = new Set(tasks.map(({ id }) => id));
  const statements = judged.map(
    ({ text, proves }, index): PlanAcceptance => ({ id: `ac-${index + 1}`, kind: 'assertion', text, proves }),
  );
  const commands = suites.length === 0 ? [] : buildAcceptance('', suites);
  return {
    id: ids.has(CHECK_ID) ? `${CHECK_ID}-1` : CHECK_ID,
    title: toBoundedLine(`Check the requirements of ${source.title}`, LIMITS.title),
    type: 'verification',
    risk: 'medium',
    dependsOn: tasks.filter(({ id }) => !before.has(id)).map(({ id }) => id),
    inputs: [],
    outputs: [],
    files: [],
    steps: [],
    mustNotDo: [],
    serves: requirements.map(({ id }) => id),
    references: [...new Set(requirements.map(({ at }) => toBoundedLine(at.path, LIMITS.path)))],
    acceptance: [...statements, ...commands.map((item, index) => ({ ...item, id: `suite-${index + 1}` }))],
  };
}

function listCommits(tasks: readonly NamedTask[], notes: ImportNotes): Pick<PlanContent, 'commits'> {
  const commits = tasks.flatMap(({ id, commit, at }) =>
    commit === null ? [] : [{ afterTodo: id, message: toMessage(commit, at, notes) }],
  );
  return commits.length === 0 ? {} : { commits };
}

/**
 * Masks secrets in a commit message. Its line breaks are kept, because the first line is the subject; a message that is
 * too long is cut to one line.
 */
function toMessage(commit: string, at: SourceLocation, notes: ImportNotes): string {
  const message = maskSecrets(commit);
  return message.length <= LIMITS.step ? message : shorten(message, LIMITS.step, at, notes);
}
