import { mayGlobsOverlap } from '../../documents/globs.js';
import type { EnginePolicies } from '../../machine/engine-program.js';
import type { EngineState, TodoState } from '../../run/engine-rows.js';
import type { NewTodo, StageResult } from './events.js';
import { listDependents } from './scheduler.js';

/** The findings of a worker, dev-cli's commands, a verifier or a person: the input of triage. */
export interface Findings {
  /** Failed criteria and commands, one line each. */
  failed: string[];
  /** Violated must-nots, one line each. */
  violations: string[];
  criticalSideEffects: string[];
  /** Why nothing could be judged: a command could not be started, or an agent reported an error in its environment. */
  environment: string | null;
  /** The todo that the verifier suggests adding; triage sets its id and dependencies. */
  adaptation: { category: string; reason: string; todo: Omit<NewTodo, 'id' | 'dependsOn'> } | null;
  /** Why the worker gave up, and what it needs to continue. */
  blocked: { reason: string; needs: { files: readonly string[] } | { question: string } | null } | null;
}

/** Empty findings. */
export const NO_FINDINGS: Findings = {
  failed: [],
  violations: [],
  criticalSideEffects: [],
  environment: null,
  adaptation: null,
  blocked: null,
};

/** Categories of changes that a person has to decide on. */
const GRAVE = ['schema', 'api', 'auth', 'ci', 'security'];

/** Maximum number of attempts at a todo that do not count as retries. Without it, a worker could ask forever. */
const UNCOUNTED = 5;

/**
 * Decides what follows from findings (engine.md, Triage). A blocked worker is handled first. Otherwise the rules
 * `halt`, `adapt` and `retry` are tried in the order of `triagePrecedence`, and the first that matches decides.
 * @param options.askable whether somebody can answer a question
 */
export function triage(
  policies: EnginePolicies,
  state: Pick<EngineState, 'order' | 'todos' | 'added'>,
  todo: TodoState,
  findings: Findings,
  { askable }: { askable: boolean },
): StageResult {
  if (findings.blocked !== null) return triageBlocked(state, todo, findings.blocked, askable);
  for (const disposition of policies.triagePrecedence) {
    const verdict = DISPOSITION_RULES[disposition](policies, state, todo, findings);
    if (verdict !== null) return verdict;
  }
  return { kind: 'pass' };
}

type DispositionRule = (
  policies: EnginePolicies,
  state: Pick<EngineState, 'added'>,
  todo: TodoState,
  findings: Findings,
) => StageResult | null;

const DISPOSITION_RULES: Record<EnginePolicies['triagePrecedence'][number], DispositionRule> = {
  halt({ mustNot }, _state, _todo, { violations, criticalSideEffects, environment, adaptation }) {
    const grave = adaptation !== null && GRAVE.includes(adaptation.category.toLowerCase());
    const why = [
      ...(mustNot === 'halt' ? violations.map(renderViolation) : []),
      ...criticalSideEffects.map((effect) => `critical side effect: ${effect}`),
      ...(environment === null ? [] : [`the environment: ${environment}`]),
      ...(grave ? [`needs a decision (${adaptation.category}): ${adaptation.reason}`] : []),
    ];
    return why.length === 0 ? null : { kind: 'halt', why: why.join('; ') };
  },
  adapt({ adaptDepthLimit, maxDynamicTodos }, { added }, todo, { adaptation, ...findings }) {
    if (adaptation === null || todo.depth >= adaptDepthLimit || added >= maxDynamicTodos) return null;
    const passed = listUnmet(findings).length === 0;
    const id = `${todo.id}-d${todo.dynamicTodos.length + 1}`;
    // If the criteria of `todo` hold, the added todo comes after it. If not, `todo` is attempted again after the added
    // todo, which therefore depends only on what `todo` depends on.
    const dependsOn = passed ? [todo.id] : [...todo.dependsOn];
    return { kind: 'adapt', passed, todo: { ...adaptation.todo, id, dependsOn } };
  },
  retry(_policies, _state, _todo, findings) {
    const lines = listUnmet(findings);
    return lines.length === 0 ? null : { kind: 'fail', why: lines.join('; ') };
  },
};

/** Lists the findings that another attempt has to fix, one line each. */
export function listUnmet({ failed, violations }: Pick<Findings, 'failed' | 'violations'>): string[] {
  return [...failed, ...violations.map(renderViolation)];
}

function renderViolation(rule: string): string {
  return `must not be done: ${rule}`;
}

function triageBlocked(
  state: Pick<EngineState, 'order' | 'todos'>,
  todo: TodoState,
  { reason, needs }: NonNullable<Findings['blocked']>,
  askable: boolean,
): StageResult {
  const uncounted = todo.attempt - 1 - todo.retries;
  if (needs === null || uncounted >= UNCOUNTED) return { kind: 'halt', why: reason, blocked: true };
  if ('question' in needs) {
    return askable
      ? { kind: 'ask', question: needs.question }
      : { kind: 'halt', why: `nobody can be asked: ${needs.question}`, blocked: true };
  }
  const owner = findOwner(state, todo, needs.files);
  if (owner !== null) return { kind: 'halt', why: `${reason} (its files belong to ${owner})`, blocked: true };
  return { kind: 'widen', files: needs.files };
}

/**
 * Finds another open todo that owns one of these files. Todos that depend on this one run later, so they do not count.
 */
function findOwner(
  { order, todos }: Pick<EngineState, 'order' | 'todos'>,
  todo: TodoState,
  files: readonly string[],
): string | null {
  const later = new Set(listDependents({ order, todos }, todo.id));
  const others = order.filter((id) => id !== todo.id && !later.has(id));
  const owner = others.find((id) => {
    const other = todos[id];
    if (other === undefined || other.status === 'done' || other.type === 'verification') return false;
    return other.files.some((glob) => files.some((file) => mayGlobsOverlap(glob, file)));
  });
  return owner ?? null;
}
