// door: plan

import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import { toBoundedLine } from '../../documents/foreign.js';
import { parseJson } from '../../documents/section-data.js';
import { checkPlan } from '../../plan/check/check.js';
import type { PlanDemands } from '../../plan/check/parts.js';
import { fillContext } from '../../plan/model/context.js';
import type { PlanContent, PlanTodo } from '../../plan/model/schema.js';
import { renderPlanTemplate } from '../../plan/model/template.js';
import { followsFrom, isEdited, readBoxes } from '../../plan/page/boxes.js';
import { renderPlan } from '../../plan/page/render.js';
import { createPlanExtras, listUncoveredWords } from '../../plan/page/setting.js';
import { buildPlanSummary } from '../../plan/page/summary.js';
import { carryBoxes } from '../../plan/read-back/unchanged-todos.js';
import type { PendingDocuments } from '../../run/documents/pending.js';
import { getSize, hasSize } from '../../run/facts.js';
import { PLAN, PLAN_CONTENT } from '../../run/paths.js';
import { readPlan } from '../../run/plan/content.js';
import type { CommandContext, CommandReport } from './command-context.js';
import { readCommandData } from './data.js';

/** `plan template`: shows a commented example of plan-content.json. */
export function showPlanTemplate(): CommandReport {
  const text = renderPlanTemplate();
  return { ok: true, report: { template: text }, summary: 'an example of plan-content.json', text };
}

/**
 * `plan generate`: checks plan content and renders PLAN.md from it; ticked boxes of unchanged todos stay ticked
 * (documents.md, plan generate). Before a PLAN.md that was edited by hand is replaced, a copy is kept.
 * @throws DevCliError `SCHEMA_INVALID` with every finding, `DATA_MISSING`, `DATA_MALFORMED`
 */
export function generatePlan(scene: CommandContext, input: JsonObject): CommandReport {
  const data = readCommandData(input['data'] ?? PLAN_CONTENT, scene.files);
  const given = requireValidPlan(parseJson(data.text), readDemands(scene, input));
  const draft = scene.files.text('DRAFT.md');
  const plan = draft === null ? given : fillContext(given, draft);
  const content = plan === given ? data.text : `${JSON.stringify(plan, null, 2)}\n`;
  const before = scene.files.text(PLAN);
  const boxes = before === null ? {} : carryBoxes(before, plan);
  if (before !== null && isEdited(before)) keepAside(scene, before);
  if (scene.files.text(PLAN_CONTENT) !== content) scene.files.write(PLAN_CONTENT, content);
  else scene.files.keep(PLAN_CONTENT);
  const goal = scene.state?.goal ?? null;
  const after = renderPlan(plan, boxes, createPlanExtras(plan, scene.name, goal));
  if (after !== before) scene.files.write(PLAN, after);
  else scene.files.keep(PLAN);
  const { line } = buildPlanSummary(plan, boxes);
  const told = reportUncovered(listUncoveredWords(plan, goal));
  if (told !== null) scene.warnings.push(told.line);
  return { ok: true, report: { plan: PLAN, todos: plan.todos.length, summary: line, ...told?.report }, summary: line };
}

/**
 * `plan validate`: reports all findings on plan-content.json, and whether PLAN.md was edited.
 * @throws DevCliError `DATA_MISSING`, `DATA_MALFORMED`
 */
export function validatePlan(scene: CommandContext, input: JsonObject): CommandReport {
  const data = readCommandData(input['data'] ?? PLAN_CONTENT, scene.files);
  const checked = checkPlan(parseJson(data.text), readDemands(scene, input));
  if (!checked.ok) {
    const lines = checked.findings.map((finding) => `${finding.pointer ?? finding.target ?? '/'}: ${finding.problem}`);
    return {
      ok: false,
      report: { valid: false, findings: checked.findings.map((finding) => ({ ...finding })) },
      summary: renderCount(checked.findings.length, 'finding'),
      text: lines.join('\n'),
    };
  }
  const rendered = scene.files.text(PLAN);
  const edited = rendered !== null && input['data'] === undefined && !followsFrom(rendered, checked.plan);
  const { line } = buildPlanSummary(checked.plan);
  const told = reportUncovered(listUncoveredWords(checked.plan, scene.state?.goal ?? null));
  return {
    ok: true,
    report: { valid: true, edited, findings: [], ...told?.report },
    summary: line,
    text: [`valid: ${line}`, ...(told === null ? [] : [told.line])].join('\n'),
  };
}

function readDemands({ state }: Pick<CommandContext, 'state'>, input: JsonObject): PlanDemands {
  const complete = input['complete'] === true;
  const isSized = complete && state !== null && hasSize(state);
  return { request: state?.goal || null, complete, ...(isSized ? { size: getSize(state).value } : {}) };
}

/**
 * Limits of the report on uncovered words: passages listed, passages quoted in its one-line form, and characters of
 * each.
 */
const UNCOVERED = { listed: 20, told: 3, cap: 300 };

function reportUncovered(all: readonly string[]): { report: JsonObject; line: string } | null {
  if (all.length === 0) return null;
  const uncovered = all.slice(0, UNCOVERED.listed).map((text) => toBoundedLine(text, UNCOVERED.cap));
  const more = (shown: number) => Math.max(0, all.length - shown);
  const told = uncovered.slice(0, UNCOVERED.told).map((text) => JSON.stringify(text));
  const rest = more(UNCOVERED.told) === 0 ? '' : `; and ${more(UNCOVERED.told)} more`;
  return {
    report: { uncovered, ...(more(UNCOVERED.listed) === 0 ? {} : { uncoveredMore: more(UNCOVERED.listed) }) },
    line: `words of the request that no requirement covers: ${told.join('; ')}${rest}`,
  };
}

/**
 * `plan summary`: summarizes the plan in one line and as a short text; not `ok` when PLAN.md disagrees with it.
 * @throws DevCliError `SCHEMA_INVALID`, `DATA_MISSING`, `DATA_MALFORMED`
 */
export function summarizePlan(scene: CommandContext): CommandReport {
  const data = readCommandData(PLAN_CONTENT, scene.files);
  const plan = requireValidPlan(parseJson(data.text));
  const rendered = scene.files.text(PLAN);
  const { line, text } = buildPlanSummary(plan, rendered === null ? {} : readBoxes(rendered));
  const fault = rendered === null ? null : findPlanMismatch(scene.files);
  if (fault === null) return { ok: true, report: { summary: line, text }, summary: line, text };
  const advice = `${fault}; \`dev-cli plan generate\` fixes that`;
  return { ok: false, report: { summary: line, text, problem: advice }, summary: advice, text: `${text}\n${advice}` };
}

/**
 * The pair of texts that `findPlanMismatch` last found to agree. `init` compares the same pair again once it holds the
 * lock; remembering it saves rendering the plan a second time, which takes long for a thousand todos.
 */
let agreed = { rendered: '', content: '' };

/**
 * Explains how PLAN.md and plan-content.json disagree; null when they agree. People read PLAN.md and execution follows
 * plan-content.json, so nobody may decide on a pair that disagrees (documents.md, PLAN.md).
 * @param added todos that a run has added, which PLAN.md may also contain
 * @param plan the content of plan-content.json, if the caller has already read it
 */
export function findPlanMismatch(
  files: PendingDocuments,
  added: readonly PlanTodo[] = [],
  plan = readPlan(files),
): string | null {
  const rendered = files.text(PLAN);
  if (rendered === null) return `${PLAN} does not exist`;
  if (plan === null) return `${PLAN_CONTENT} is not valid`;
  const content = files.text(PLAN_CONTENT) ?? '';
  if (rendered === agreed.rendered && content === agreed.content) return null;
  if (followsFrom(rendered, plan)) {
    agreed = { rendered, content };
    return null;
  }
  const grown = { ...plan, todos: [...plan.todos, ...added] };
  return added.length > 0 && followsFrom(rendered, grown) ? null : `${PLAN} differs from ${PLAN_CONTENT}`;
}

/**
 * Requires that a value is a plan that can be executed.
 * @throws DevCliError `SCHEMA_INVALID` with the findings
 */
export function requireValidPlan(value: unknown, demands?: PlanDemands): PlanContent {
  const checked = checkPlan(value, demands);
  if (checked.ok) return checked.plan;
  const { findings } = checked;
  throw new DevCliError(
    'SCHEMA_INVALID',
    `The plan content is not valid: ${renderCount(findings.length, 'finding')}.`,
    {
      details: findings.slice(0, 40),
      fix: 'Fix every finding in plan-content.json, then repeat the command.',
    },
  );
}

function keepAside(scene: CommandContext, text: string): void {
  let number = 1;
  while (scene.files.facts(`PLAN.edited-${number}.md`).kind !== 'missing') number += 1;
  const path = `PLAN.edited-${number}.md`;
  scene.files.write(path, text);
  scene.warnings.push(
    `PLAN.md had been edited by hand; the edited version is kept as ${path}. To apply an edit: dev-cli plan apply.`,
  );
}
