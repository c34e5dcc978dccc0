import { stripInvisible } from '../../base/visible.js';
import { maskSecrets } from '../../documents/foreign.js';
import { listUncovered } from '../check/coverage.js';
import type { PlanContent } from '../model/schema.js';
import { renderProse } from './prose.js';

/**
 * The facts that PLAN.md shows besides the plan: the run's name and the request. They are read back from PLAN.md,
 * because plan-content.json does not have them, and the run may be missing when PLAN.md is compared with its plan
 * (documents.md, PLAN.md).
 */
export interface PlanExtras {
  /** The name of the run. */
  name?: string;
  /** The request, as `sanitizeRequest` prepares it. */
  request?: string;
  /** Lines about words of the request that no requirement covers. */
  uncovered?: readonly string[];
}

/** The headings of the parts that are read back. */
const REQUEST_HEADING = '## Request';
export const UNCOVERED_HEADING = '## Words of the request that no requirement covers';

/** Prepares a request to be shown and read back. Idempotent. */
export function sanitizeRequest(text: string): string {
  const shown = maskSecrets(stripInvisible(text)).replaceAll('\t', '  ').trimEnd();
  return shown.replace(/^(?: *\n)+/, '');
}

/** Renders the request as a fenced block whose text cannot close the fence. */
export function renderRequestBlock(shown: string): string[] {
  const longest = (shown.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return [REQUEST_HEADING, `${fence}text`, ...shown.split('\n'), fence];
}

/** Reads the extra facts back from a PLAN.md with LF line endings. A formatter may have inserted empty lines. */
export function readPlanExtras(planMd: string): PlanExtras {
  // The first match is the real heading: no text of a plan begins a line with "## ", and the request, which may contain
  // such a line, comes last.
  const [body = '', ...asked] = splitAt(planMd, `\n${REQUEST_HEADING}\n`);
  const uncovered = splitAt(body, `\n${UNCOVERED_HEADING}\n`)[1]?.replace(/^\n+/, '');
  const name = /^# Plan: ([\w.-]+)/.exec(planMd)?.[1];
  const request = asked[0] === undefined ? undefined : readBlock(asked[0]);
  return {
    ...(name === undefined ? {} : { name }),
    ...(request === undefined ? {} : { request }),
    ...(uncovered === undefined ? {} : { uncovered: uncovered.slice(0, uncovered.indexOf('\n\n')).split('\n') }),
  };
}

function splitAt(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** Returns the content of a fenced block at the end of the document. */
function readBlock(text: string): string {
  const lines = text.trim().split('\n');
  return lines.slice(1, -1).join('\n');
}

/** Maximum number of uncovered passages of the request that PLAN.md shows. */
const NAMED = 20;

/**
 * Lists the words of the request that no requirement quotes and no must-not repeats; empty for a plan without
 * requirements.
 * @param goal the run's goal; without a goal, the plan's own `originalRequest` is the request
 */
export function listUncoveredWords(plan: PlanContent, goal: string | null): string[] {
  const request = goal || plan.context.originalRequest;
  const quotes = (plan.requirements ?? []).map(({ quote }) => quote);
  return request === undefined || quotes.length === 0
    ? []
    : listUncovered(request, [...quotes, ...listForbidden(plan)]);
}

/** Lists the must-nots, which often repeat words of the request, without their final punctuation. */
function listForbidden({ objectives, todos }: PlanContent): string[] {
  const rules = [...objectives.mustNotDo, ...todos.flatMap(({ mustNotDo }) => mustNotDo)];
  return rules.map((rule) => (typeof rule === 'string' ? rule : rule.text).replace(/[\s.!。！]+$/u, ''));
}

/** Collects what PLAN.md shows besides the plan: the run's name, the request, and lines about uncovered words. */
export function createPlanExtras(plan: PlanContent, name: string, goal: string | null): PlanExtras {
  const uncovered = listUncoveredWords(plan, goal);
  const lines = uncovered.slice(0, NAMED).map((text) => `- ${renderProse(maskSecrets(text))}`);
  const more = uncovered.length - lines.length;
  const request = sanitizeRequest(goal ?? '');
  return {
    name,
    ...(request === '' ? {} : { request }),
    ...(lines.length === 0 ? {} : { uncovered: more > 0 ? [...lines, `- and ${more} more`] : lines }),
  };
}
