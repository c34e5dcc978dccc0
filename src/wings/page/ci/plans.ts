import { statSync } from 'node:fs';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { DevCliError, type ErrorDetail } from '../../../base/errors.js';
import { isName } from '../../../base/name.js';
import { validatePlan } from '../../../blocks/commands/plan.js';
import { findDifferentLine } from '../../../blocks/plan-on-disk.js';
import { readBoxes } from '../../../plan/page/boxes.js';
import { locateOffset } from '../../../recipe/source/problem.js';
import { copyState } from '../../../run/codec.js';
import type { Context } from '../../../run/context.js';
import { createDocumentOverlay, type PendingDocuments } from '../../../run/documents/pending.js';
import { getRunDirectory, PLAN, PLAN_CONTENT, REPORT } from '../../../run/paths.js';
import type { RunState } from '../../../run/state.js';
import { buildErrorFinding, buildFinding, type CiFinding } from './finding.js';
import { type ReadReport, readReport } from './report.js';

/** A plan in the checkout. */
export interface PlanRow {
  name: string;
  /** Number of checkboxes in PLAN.md; `done` counts the ticked ones. */
  todos: number;
  done: number;
  /** The content of report.md, if there is one. */
  report?: ReadReport;
}

/**
 * Checks every plan, also plans without a run, as in a fresh clone (view.md, CI). Faults of a plan become findings.
 * @throws any other error
 */
export async function checkPlans({
  root,
  reader,
  store,
}: Pick<Context, 'root' | 'reader' | 'store'>): Promise<{ plans: PlanRow[]; findings: CiFinding[] }> {
  const checked = { plans: [] as PlanRow[], findings: [] as CiFinding[] };
  for (const name of reader.list(`${root}/.dev/specs`).filter(isName)) {
    const directory = getRunDirectory(name);
    // A plain file in this directory is not a plan.
    if (statSync(`${root}/${directory}`, { throwIfNoEntry: false })?.isFile()) continue;
    const file = `${directory}/${PLAN_CONTENT}`;
    try {
      const { files, snapshot } = await store.read(name);
      const documents = createDocumentOverlay(files);
      if (documents.text(PLAN_CONTENT) === null && documents.text(PLAN) === null) continue;
      const boxes = Object.values(readBoxes(documents.text(PLAN) ?? ''));
      const report = documents.text(REPORT);
      const done = boxes.filter(Boolean).length;
      checked.plans.push({ name, todos: boxes.length, done, ...(report !== null && { report: readReport(report) }) });
      checked.findings.push(...judgePlan(documents, name, snapshot));
    } catch (error) {
      if (!(error instanceof DevCliError)) throw error;
      // A damaged journal is reported by `checkJournals`.
      if (error.code !== 'JOURNAL_CORRUPT') checked.findings.push(buildErrorFinding('plan', file, error));
    }
  }
  return checked;
}

function judgePlan(files: PendingDocuments, name: string, state: RunState | null): CiFinding[] {
  const at = (file: string, message: string, more: Pick<CiFinding, 'line' | 'fix'> = {}) => [
    buildFinding('plan', { file: `${getRunDirectory(name)}/${file}`, message, ...more }),
  ];
  const text = files.text(PLAN_CONTENT);
  if (text === null) return at(PLAN, `${PLAN_CONTENT} is missing: ${PLAN} alone cannot be carried out.`);
  const scene = { name, files, state: state && copyState(state), recipe: null, at: '', warnings: [] };
  const { ok, report } = validatePlan(scene, {});
  if (!ok)
    return locate(text, report['findings'] as unknown as ErrorDetail[], `${getRunDirectory(name)}/${PLAN_CONTENT}`);
  if (files.text(PLAN) === null)
    return at(PLAN_CONTENT, `${PLAN} is missing.`, { fix: `dev-cli plan generate ${name}` });
  const line = findDifferentLine(files);
  const fix = `dev-cli plan apply ${name}`;
  return line === null ? [] : at(PLAN, `${PLAN} differs from ${PLAN_CONTENT}.`, { line, fix });
}

/**
 * Gives each finding a line and column: the place in the file to which its JSON pointer leads. If nothing exists there,
 * the place of the nearest parent that does.
 */
function locate(text: string, found: readonly ErrorDetail[], file: string): CiFinding[] {
  const tree = parseTree(text);
  return found.map(({ pointer = '', problem, expected }) => {
    const path = pointer.split('/').slice(1);
    const parts = path.map((part) =>
      /^\d+$/.test(part) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~'),
    );
    const known = (depth: number) => tree && findNodeAtLocation(tree, parts.slice(0, depth));
    const node = known(parts.findLastIndex((_, index) => known(index + 1) !== undefined) + 1);
    const place = node && locateOffset(text, { start: node.offset, end: node.offset + node.length });
    const message = `${pointer === '' ? '' : `${pointer}: `}${problem}${expected === undefined ? '' : ` (${expected})`}`;
    return buildFinding('plan', { file, ...place, message });
  });
}
