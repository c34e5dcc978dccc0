import { DevCliError } from '../../base/errors.js';
import type { Json, JsonObject } from '../../base/json.js';
import { findSuggestion } from '../../base/suggest.js';
import { renderCount } from '../../base/words.js';
import { assumeMissing } from '../../documents/assume.js';
import { createDraft, readDraft, readDraftStatus } from '../../documents/draft.js';
import { listMisplaced } from '../../documents/draft-decisions.js';
import { renderGoal, updateDraft } from '../../documents/draft-edit.js';
import { type ImportedReport, importReports, renderReportLine } from '../../documents/import-reports.js';
import { checkReport, type ReportCheck } from '../../documents/report.js';
import { isSectionId, SECTION_IDS, type SectionId } from '../../documents/sections.js';
import { listRecipeStates, listRequiredSections } from '../../run/facts.js';
import type { RecipeState } from '../../run/recipe-state.js';
import type { RunState } from '../../run/state.js';
import { checkReportFile } from '../evidence.js';
import { type CommandContext, type CommandReport, requireRun } from './command-context.js';
import { parseSectionValues, readCommandData } from './data.js';

const DRAFT = 'DRAFT.md';

/**
 * `draft update`: stores values in sections of DRAFT.md (documents.md, DRAFT.md).
 * @throws DevCliError `UNKNOWN_SECTION`, `DATA_MISSING`, `DATA_MALFORMED`, `DOCUMENT_UNREADABLE`, `NO_SUCH_RUN`
 */
export function updateDraftCommand(scene: CommandContext, input: JsonObject): CommandReport {
  requireRun(scene);
  const section = input['section'] === undefined ? undefined : requireSection(String(input['section']));
  return storeInDraft(
    scene,
    parseSectionValues(readCommandData(input['data'], scene.files), section),
    input['append'] === true,
  );
}

/**
 * Stores values in sections of DRAFT.md.
 * @param append adds to the sections' present content instead of replacing it
 * @throws DevCliError `DRAFT_MISSING`, `DOCUMENT_UNREADABLE`, `DATA_MALFORMED`
 */
export function storeInDraft(
  scene: CommandContext,
  values: Partial<Record<SectionId, Json>>,
  append = false,
): CommandReport {
  const before = readOrBeginDraft(scene);
  const after = updateDraft(before, values, { append });
  if (after !== before) scene.files.write(DRAFT, after);
  if ('decisions' in values) {
    scene.warnings.push(...listMisplaced(readDraft(before).decisions.text, readDraft(after).decisions.text));
  }
  const saved = SECTION_IDS.filter((id) => id in values);
  return { ok: true, report: { saved }, summary: `saved ${saved.join(', ')}` };
}

/**
 * `draft show`: the draft, or one section of it.
 * @throws DevCliError `UNKNOWN_SECTION`, `DRAFT_MISSING`, `NO_SUCH_RUN`
 */
export function showDraft(scene: CommandContext, input: JsonObject): CommandReport {
  requireRun(scene);
  const text = readOrBeginDraft(scene);
  const sections = readDraft(text);
  const shown = (id: SectionId) => ({ filled: sections[id].filled, text: sections[id].text });
  if (input['section'] === undefined) {
    const all = Object.fromEntries(SECTION_IDS.map((id) => [id, shown(id)]));
    return { ok: true, report: { sections: all }, summary: text, text };
  }
  const id = requireSection(String(input['section']));
  const one = shown(id);
  return { ok: true, report: { section: id, ...one }, summary: one.text, text: one.text };
}

/**
 * `draft validate`: lists the required sections that are empty; `ok` when there are none.
 * @throws DevCliError `DRAFT_MISSING`, `NO_SUCH_RUN`
 */
export function validateDraft(scene: CommandContext): CommandReport {
  const { state, recipe } = requireRun(scene);
  const status = readDraftStatus(readOrBeginDraft(scene), listRequiredSections(recipe, state));
  const text = status.ready
    ? `ready: ${status.filled} of ${status.total} sections are filled`
    : `missing: ${status.missing.join(', ')} (${status.filled} of ${status.total} filled)`;
  return { ok: status.ready, report: { ...status }, summary: text, text };
}

/**
 * `draft import`: writes one line per agent's report into `findings`, and records the reports' digests.
 * @throws DevCliError `DRAFT_MISSING`, `DOCUMENT_UNREADABLE`, `NO_SUCH_RUN`
 */
export function importIntoDraft(scene: CommandContext): CommandReport {
  const { state } = requireRun(scene);
  const { reports, problems } = listReports(scene);
  for (const problem of problems) scene.warnings.push(`${problem.path}: ${problem.problem}; not imported`);
  const before = readOrBeginDraft(scene);
  const after = importReports(before, reports, state.imported);
  if (after !== before) scene.files.write(DRAFT, after);
  const lines = reports.map((report): [string, string] => [report.path, renderReportLine(report)]);
  if (lines.length > 0) state.imported = { ...state.imported, ...Object.fromEntries(lines) };
  for (const report of reports) {
    const { agents } = state;
    const agent = agents[report.agent];
    if (agent?.status !== 'done' || report.status !== 'done') continue;
    agents[report.agent] = { ...agent, outputHash: scene.files.digest(report.path) };
  }
  const done = reports.filter((report) => report.status === 'done').length;
  return {
    ok: true,
    report: { imported: done, failed: reports.length - done },
    summary: `imported ${renderCount(done, 'report')}${done < reports.length ? `, ${reports.length - done} failed` : ''}`,
  };
}

/**
 * `draft auto-assume`: fills the required sections that are empty with assumptions, which are marked as such.
 * @throws DevCliError `DRAFT_MISSING`, `DOCUMENT_UNREADABLE`, `NO_SUCH_RUN`
 */
export function assumeInDraft(scene: CommandContext): CommandReport {
  const { state, recipe } = requireRun(scene);
  const before = readOrBeginDraft(scene);
  const { missing } = readDraftStatus(before, listRequiredSections(recipe, state));
  const { text, assumed } = assumeMissing(before, {
    goal: state.goal ?? '',
    missing,
    reports: listReports(scene).reports,
  });
  if (text !== before) scene.files.write(DRAFT, text);
  return {
    ok: true,
    report: { assumed },
    summary: assumed.length === 0 ? 'nothing to assume' : `assumed ${assumed.join(', ')}`,
  };
}

/** @throws DevCliError `UNKNOWN_SECTION` with the valid ids */
function requireSection(text: string): SectionId {
  if (isSectionId(text)) return text;
  const near = findSuggestion(text, SECTION_IDS);
  throw new DevCliError('UNKNOWN_SECTION', `DRAFT.md has no section ${JSON.stringify(text.slice(0, 40))}.`, {
    fix: `${near === undefined ? '' : `Did you mean "${near}"? `}Sections: ${SECTION_IDS.join(', ')}.`,
  });
}

/**
 * Reads the draft. If somebody removed it while the run needs it, begins a new one; the journal still has the old
 * content.
 */
function readOrBeginDraft(scene: CommandContext): string {
  const text = scene.files.text(DRAFT);
  if (text !== null) return text;
  const { state, recipe } = requireRun(scene);
  if (!recipe.usesDraft || state.status === 'completed' || state.status === 'aborted') {
    throw new DevCliError('DRAFT_MISSING', `The run "${scene.name}" has no DRAFT.md.`, {
      fix: 'Only a run whose recipe uses a draft has one, until its cleanup.',
    });
  }
  scene.warnings.push('DRAFT.md was missing; a new one was started with the goal. The journal has its earlier content');
  return updateDraft(createDraft(scene.name), state.goal === null ? {} : { purpose: renderGoal(state.goal) });
}

/**
 * Lists the valid reports in `findings/` and `analysis/` that this run's agents delivered (whether acknowledged or not)
 * or `analysis save` stored, and the agents that failed (documents.md, draft import). Every other report there, such as
 * one from an earlier run of the same name, is listed as a problem.
 */
function listReports(scene: CommandContext): {
  reports: ImportedReport[];
  problems: { path: string; problem: string }[];
} {
  const reports: ImportedReport[] = [];
  const problems: { path: string; problem: string }[] = [];
  const agents = listAgents(scene.state);
  const promised = new Set(agents.map(([, { output }]) => output));
  for (const path of listReportFiles(scene)) {
    if (!promised.has(path))
      problems.push({ path, problem: 'not from an agent of this run; store it with `analysis save`' });
  }
  for (const [id, { output, status, reason }] of agents) {
    if (output === undefined || !/^(findings|analysis)\//.test(output)) continue;
    if (status === 'failed') {
      reports.push({ agent: id, path: output, status, reason: reason ?? 'no reason given' });
      continue;
    }
    const checked =
      status === 'done' ? checkReport(scene.files.text(output) ?? '', {}) : checkDelivered(scene, id, output);
    if (checked === null) continue;
    if (checked.ok) reports.push({ agent: id, path: output, status: 'done', summary: checked.report.summary });
    else problems.push({ path: output, problem: checked.problems[0]?.problem ?? 'not a report' });
  }
  return { reports, problems };
}

/**
 * Lists the agents of all the run's recipes. If several agents have the same output, only the last of them is listed.
 */
function listAgents(state: RunState | null): [string, RecipeState['agents'][string]][] {
  const all = (state === null ? [] : listRecipeStates(state)).flatMap(({ agents }) => Object.entries(agents));
  return all.filter(([, { output }], index) => !all.slice(index + 1).some(([, later]) => later.output === output));
}

/**
 * Checks, by the acknowledgement's rules, the report that an agent has written although its dispatch is not yet
 * acknowledged. Null if nothing has been written since the dispatch.
 */
function checkDelivered({ state, files }: CommandContext, agent: string, output: string): ReportCheck | null {
  const pending = state?.pendingAction;
  const before = pending?.acknowledged === false ? pending.before[output] : undefined;
  if (before === undefined) return null;
  const found = checkReportFile(files, output, before, { agent, verdict: false });
  if (found.ok) return found.checked;
  return found.missing ? null : { ok: false, problems: found.problems };
}

function listReportFiles(scene: CommandContext): string[] {
  return ['findings', 'analysis'].flatMap((directory) =>
    scene.files
      .list(directory)
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${directory}/${file}`),
  );
}
