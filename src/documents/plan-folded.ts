import { foldBlanks, toOneLine } from './one-line.js';
import type { PlanContent, PlanRule, PlanTodo } from './plan-schema.js';
import { showRequest } from './plan-setting.js';
import { splitList } from './plan-text.js';

/**
 * PLAN.md as it was once rendered: white space in code was one blank there, too. Documents of that form are on disks, and
 * follow from their plan as any other does.
 */

/** Returns a plan whose PLAN.md is what that of `plan` was; null where nothing is shown otherwise now. */
export function foldCode(plan: PlanContent): PlanContent | null {
  const folded = foldPlan(plan);
  return JSON.stringify(folded) === JSON.stringify(plan) ? null : withoutQuoted(folded, plan);
}

function foldPlan(plan: PlanContent): PlanContent {
  const { context, objectives, requirements, decisions, commits, risks, externalDependencies } = plan;
  const { assumptions } = context;
  return {
    ...plan,
    context: {
      ...context,
      interviewSummary: foldLines(context.interviewSummary),
      researchFindings: foldLines(context.researchFindings),
      ...(assumptions === undefined ? {} : { assumptions: foldLines(assumptions) }),
    },
    ...(requirements && {
      requirements: requirements.map((each) => ({ ...each, quote: fold(each.quote), text: fold(each.text) })),
    }),
    ...(decisions && {
      decisions: decisions.map((each) => ({
        ...each,
        text: fold(each.text),
        ...(each.reason === undefined ? {} : { reason: fold(each.reason) }),
      })),
    }),
    objectives: {
      core: fold(objectives.core),
      deliverables: objectives.deliverables.map(fold),
      definitionOfDone: objectives.definitionOfDone.map(fold),
      mustNotDo: objectives.mustNotDo.map(foldRule),
    },
    todos: plan.todos.map(foldTodo),
    ...(commits && { commits: commits.map((each) => ({ ...each, message: fold(each.message) })) }),
    ...(risks && { risks: risks.map((each) => ({ ...each, text: fold(each.text) })) }),
    ...(externalDependencies && {
      externalDependencies: externalDependencies.map((each) => ({ ...each, text: fold(each.text) })),
    }),
  };
}

function foldTodo(todo: PlanTodo): PlanTodo {
  return {
    ...todo,
    title: fold(todo.title),
    outputs: todo.outputs.map((each) => ({ ...each, description: fold(each.description) })),
    steps: todo.steps.map(fold),
    mustNotDo: todo.mustNotDo.map(foldRule),
    references: todo.references.map(fold),
    acceptance: todo.acceptance.map((item) => (item.kind === 'command' ? item : { ...item, text: fold(item.text) })),
  };
}

function foldRule(rule: PlanRule): PlanRule {
  return typeof rule === 'string' ? fold(rule) : { ...rule, text: fold(rule.text) };
}

function fold(text: string): string {
  const folded = foldBlanks(text).trim();
  return toOneLine(text) === folded ? text : folded;
}

/** Of a text of several lines each is shown alone. */
function foldLines<T extends string | readonly string[]>(texts: T): T {
  const foldLine = (line: string) => {
    const [said = ''] = splitList(line);
    return `${line.slice(0, line.length - said.length)}${fold(said)}`;
  };
  const foldEach = (text: string) => text.replace(/[^\r\n\u2028\u2029\u0085]+/g, foldLine);
  return (typeof texts === 'string' ? foldEach(texts) : texts.map(foldEach)) as T;
}

/** A request that a requirement quotes is not shown again: neither is one whose quote was folded. */
function withoutQuoted(folded: PlanContent, { context, requirements = [] }: PlanContent): PlanContent {
  const { originalRequest, ...others } = folded.context;
  const asked = context.originalRequest === undefined ? '' : showRequest(context.originalRequest);
  const isQuoted = !asked.includes('\n') && requirements.some(({ quote }) => showRequest(quote) === asked);
  return originalRequest !== undefined && isQuoted ? { ...folded, context: others } : folded;
}
