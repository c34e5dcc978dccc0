import type { Node } from 'yaml';
import { DevCliError } from '../../base/errors.js';
import { isRecord } from '../../base/json.js';
import { findStatusNode, setGoalStatus } from '../../documents/goals-edit.js';
import type { CheckedSchema } from '../../documents/schema-faults.js';
import { findWordFault } from '../../documents/yaml-edit.js';
import outline from '../../generated/loop-goals-outline.js';
import { parsePointer, parseYaml, type YamlSource } from '../../recipe/source/yaml.js';
import type { Context } from '../../run/context.js';
import { openSharedFiles } from '../../store/shared-files.js';
import { createFindingCollector, type FindingCollector, findProjectPathFault, stripLeadingDot } from './findings.js';
import type { GoalFile, GoalStatus } from './schemas.js';

/** The goals of a project: `.ai/goals.yaml` (loop-core.md, Files). */

export const GOALS = '.ai/goals.yaml';

const SCHEMA: CheckedSchema = { outline, validator: () => require('../../generated/loop-goals.js').default };
/** Maximum depth of goals, the same as in memory. */
const DEEPEST = 20;

/** A goal with defaults filled in. A goal with children is a container, which is never run. */
export interface LoopGoal {
  id: string;
  title: string;
  status: GoalStatus;
  blocked_reason: string | null;
  expect_failure: boolean;
  /** Globs without a leading `./`; null if an attempt may change everything. */
  allowed_changes: string[] | null;
  prompt_mode: 'adversarial' | null;
  mode: 'interactive' | null;
  tool: string | null;
  depends_on: string[];
  recipe: string | null;
  set: Record<string, string>;
  acceptance: (string | { run: string })[];
  type: string;
  /** The goal's own limit; null if the configured one applies. */
  max_retries: number | null;
  uncertainty: 'low' | 'medium' | 'high' | null;
  decision_file: string | null;
  phase: string | null;
  role: string | null;
  children: LoopGoal[];
}

/** Lists goals and all their descendants, in the order of the file. */
export function listGoals(goals: readonly LoopGoal[]): LoopGoal[] {
  return goals.flatMap((goal) => [goal, ...listGoals(goal.children)]);
}

/**
 * Validates a file of goals.
 * @param tools names of the available tools; null if the configuration cannot be read
 * @returns null if there is anything worse than a warning
 */
export function checkGoals(
  source: YamlSource,
  tools: readonly string[] | null,
): { goals: LoopGoal[] | null } & Pick<FindingCollector, 'problems' | 'warnings'> {
  const findings = createFindingCollector(source);
  const { problems, warnings, report } = findings;
  const places = new Map<string, string>();
  const ids = new Map<string, string>();
  const readList = (list: unknown, at: string, depth: number): LoopGoal[] => {
    if (depth > DEEPEST) {
      report(at, `is nested more than ${DEEPEST} levels deep. Use fewer levels of children.`);
      return [];
    }
    const { goals } = findings.check(SCHEMA, { goals: list }, at, '/goals') as { goals: unknown };
    return Array.isArray(goals) ? goals.flatMap((goal, index) => readGoal(goal, `${at}/${index}`, depth)) : [];
  };
  const readGoal = (given: unknown, at: string, depth: number): LoopGoal[] => {
    if (!isRecord(given)) return [];
    const goal = given as Partial<GoalFile>;
    const children = goal.children === undefined ? [] : readList(goal.children, `${at}/children`, depth + 1);
    if (typeof goal.id !== 'string') return [];
    const { id } = goal;
    const fault = findIdFault(id);
    const folded = id.replaceAll('.', '-').toLowerCase();
    const first = ids.get(folded);
    if (fault !== null) report(`${at}/id`, `id is ${JSON.stringify(id)}, which ${fault}.`);
    if (first !== undefined)
      report(
        `${at}/id`,
        `id is ${JSON.stringify(id)}, too similar to ${JSON.stringify(first)}: ids must differ in more than case, or "." and "-".`,
      );
    else ids.set(folded, id);
    places.set(id, at);
    const node = findNode(source, `${at}/status`);
    const unfit = goal.status === undefined ? null : findWordFault(node, source.text);
    if (unfit !== null)
      report(`${at}/status`, `status cannot be changed in place: ${unfit}. Write one plain word on one line.`);
    if (tools !== null && goal.tool !== undefined && !tools.includes(goal.tool))
      report(
        `${at}/tool`,
        `tool is ${JSON.stringify(goal.tool)}, which ai_tools of .ai/config.yaml does not have. ${tools.length === 0 ? 'It has none.' : `It has ${tools.join(', ')}.`}`,
      );
    const path = typeof goal.decision_file === 'string' ? findProjectPathFault(goal.decision_file) : null;
    if (path !== null) report(`${at}/decision_file`, `decision_file ${path}`);
    return [completeGoal({ ...goal, id } as GoalFile, children)];
  };
  if (source.value !== undefined) {
    for (const key of Object.keys(source.value).filter((key) => key !== 'goals'))
      findings.warn(`/${key}`, `unknown key ${JSON.stringify(key)}, which is ignored`);
    if (!Object.hasOwn(source.value, 'goals')) report('', '"goals" is missing. A list of goals.');
  }
  const goals = readList(source.value?.['goals'] ?? [], '/goals', 1);
  reportDependencies(listGoals(goals), places, report);
  return { goals: problems.length > 0 ? null : goals, problems, warnings };
}

/** Fills in the defaults of a goal. */
export function completeGoal(goal: GoalFile, children: LoopGoal[]): LoopGoal {
  const texts = Object.entries(goal.set ?? {}).map(([key, value]) => [key, String(value)]);
  return {
    id: goal.id,
    title: goal.title,
    status: goal.status,
    blocked_reason: goal.blocked_reason ?? null,
    expect_failure: goal.expect_failure ?? false,
    allowed_changes: goal.allowed_changes?.map?.((glob) => stripLeadingDot(String(glob))) ?? null,
    prompt_mode: goal.prompt_mode ?? null,
    mode: goal.mode ?? null,
    tool: goal.tool ?? null,
    depends_on: Array.isArray(goal.depends_on) ? goal.depends_on : [],
    recipe: goal.recipe ?? null,
    set: Object.fromEntries(texts) as Record<string, string>,
    acceptance: Array.isArray(goal.acceptance) ? goal.acceptance : [],
    type: goal.type ?? 'feat',
    max_retries: goal.max_retries ?? null,
    uncertainty: goal.uncertainty ?? null,
    decision_file: goal.decision_file ?? null,
    phase: goal.phase ?? null,
    role: goal.role ?? null,
    children,
  };
}

/**
 * Returns why an id that matches the schema's pattern cannot be part of a git ref or of a directory's name; null if it
 * can.
 */
export function findIdFault(id: string): string | null {
  if (!/^[A-Za-z0-9]/.test(id)) return null;
  if (id.includes('..')) return 'has ".." in it, which no ref of git may have';
  return /(?:\.|\.lock)$/i.test(id) ? 'ends in "." or ".lock", as no ref of git may' : null;
}

function findNode({ document }: YamlSource, pointer: string): Node | null {
  const keys = parsePointer(pointer).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
  return (document?.getIn(keys, true) ?? null) as Node | null;
}

/** Reports unknown and circular dependencies. */
function reportDependencies(
  goals: readonly LoopGoal[],
  places: ReadonlyMap<string, string>,
  report: FindingCollector['report'],
): void {
  const known = new Map(goals.map((goal) => [goal.id, goal]));
  const settled = new Set<string>();
  const told = new Set<string>();
  const visit = (goal: LoopGoal, path: readonly string[]): void => {
    if (settled.has(goal.id)) return;
    const at = `${places.get(goal.id)}/depends_on`;
    if (path.includes(goal.id)) {
      const circle = [...path.slice(path.indexOf(goal.id)), goal.id];
      if (!circle.some((id) => told.has(id)))
        report(at, `depends_on forms a cycle: ${circle.join(', ')}. Remove one of these dependencies.`);
      for (const id of circle) told.add(id);
      return;
    }
    for (const id of goal.depends_on) {
      const other = known.get(id);
      if (other !== undefined) visit(other, [...path, goal.id]);
    }
    settled.add(goal.id);
  };
  for (const goal of goals) {
    goal.depends_on.forEach((id, n) => {
      if (!known.has(id))
        report(
          `${places.get(goal.id)}/depends_on/${n}`,
          `depends_on names ${JSON.stringify(id)}, which is not a goal of this file.`,
        );
    });
    visit(goal, []);
  }
}

/**
 * Writes the outcome of a goal, as `writeGoalStatus` does, but does not restore a removed goal, and blocks only an
 * active one.
 * @throws DevCliError as `writeGoalStatus`
 */
export function writeOutcome(context: Pick<Context, 'root' | 'clock' | 'ids'>, change: StatusChange): Promise<void> {
  return writeGoalStatus(context, change, (text) => {
    const { document, problems } = parseYaml(text, GOALS, text.length);
    if (document === undefined || problems.length > 0) return true;
    const node = findStatusNode(document, change.id) as { value?: unknown } | null;
    return node !== null && (change.status !== 'blocked' || node.value === 'active');
  });
}

interface StatusChange {
  id: string;
  status: GoalStatus;
  blockedReason: string | null;
}

/**
 * Writes the status of a goal, and why it is blocked, into the current `.ai/goals.yaml`; all other bytes stay.
 * @param isDue called with the current text; if it returns false, the file is not changed
 * @throws DevCliError `SCHEMA_INVALID` if the file cannot be changed in place; it is then left as it was; `LOCKED`,
 * `IO`
 */
export function writeGoalStatus(
  { root, clock, ids }: Pick<Context, 'root' | 'clock' | 'ids'>,
  { id, status, blockedReason }: StatusChange,
  isDue: (text: string) => boolean = () => true,
): Promise<void> {
  const files = openSharedFiles({ root, clock, ids, purpose: 'the status of a goal' });
  return files.change([GOALS], () => {
    const content = files.read(GOALS);
    const before = content === null || content === 'unusable' ? null : content.toString('utf8');
    if (before !== null && !isDue(before)) return { answer: undefined, changes: [] };
    const after = before === null ? { problem: 'is no file' } : setGoalStatus(before, id, status, blockedReason);
    if ('text' in after)
      return { answer: undefined, changes: after.text === before ? [] : [{ path: GOALS, content: after.text }] };
    throw new DevCliError('SCHEMA_INVALID', `${GOALS} ${after.problem}.`, {
      details: [{ target: GOALS, problem: after.problem }],
      fix: `Fix ${GOALS}; set the status of "${id}" to ${status} there by hand.`,
    });
  });
}
