import { DevCliError } from '../../base/errors.js';
import type { Json, JsonObject } from '../../base/json.js';
import { suggestion } from '../../base/suggest.js';
import { autoAssume } from '../../documents/assume.js';
import { draftStatus, newDraft, readDraft } from '../../documents/draft.js';
import { updateDraft } from '../../documents/draft-edit.js';
import { importReports } from '../../documents/import-reports.js';
import { isSectionId, SECTION_IDS, type SectionId } from '../../documents/sections.js';
import { dataOf, sectionValues } from './data.js';
import { knownReports } from './reports.js';
import { type Outcome, runOf, type Scene } from './scene.js';

const DRAFT = 'DRAFT.md';

/**
 * `draft update`: stores values in sections of DRAFT.md (documents.md, DRAFT.md).
 * @throws DevCliError `UNKNOWN_SECTION`, `DATA_MISSING`, `DATA_MALFORMED`, `DOCUMENT_UNREADABLE`, `NO_SUCH_RUN`
 */
export function draftUpdate(scene: Scene, input: JsonObject): Outcome {
  runOf(scene);
  const section = input['section'] === undefined ? undefined : checkedSection(String(input['section']));
  return store(scene, sectionValues(dataOf(input['data'], scene.files), section), input['append'] === true);
}

/** Stores one value in one section: a chosen id, the goal. */
export function draftStore(scene: Scene, values: Partial<Record<SectionId, Json>>): Outcome {
  return store(scene, values, false);
}

function store(scene: Scene, values: Partial<Record<SectionId, Json>>, append: boolean): Outcome {
  const before = draftText(scene);
  const after = updateDraft(before, values, { append });
  if (after !== before) scene.files.write(DRAFT, after);
  const saved = SECTION_IDS.filter((id) => id in values);
  return { ok: true, report: { saved }, summary: `saved ${saved.join(', ')}` };
}

/** `draft show`: the draft, or one section of it. */
export function draftShow(scene: Scene, input: JsonObject): Outcome {
  runOf(scene);
  const text = draftText(scene);
  const sections = readDraft(text);
  if (input['section'] === undefined) return { ok: true, report: { sections: mapped(sections) }, summary: text, text };
  const id = checkedSection(String(input['section']));
  const one = sections[id];
  return { ok: true, report: { section: id, filled: one.filled, text: one.text }, summary: one.text, text: one.text };
}

/** `draft validate`: which required sections are empty; not `ok` when any is. */
export function draftValidate(scene: Scene): Outcome {
  const { recipe } = runOf(scene);
  const status = draftStatus(draftText(scene), recipe.draft.required);
  const text = status.ready
    ? `ready: ${status.filled} of ${status.total} sections are filled`
    : `missing: ${status.missing.join(', ')} (${status.filled} of ${status.total} filled)`;
  return { ok: status.ready, report: { ...status }, summary: text, text };
}

/** `draft import`: one line per report of an agent into `findings`, with digests recorded. */
export function draftImport(scene: Scene): Outcome {
  const { state } = runOf(scene);
  const { reports, problems } = knownReports(scene);
  for (const problem of problems) scene.warnings.push(`${problem.path}: ${problem.problem}; not imported`);
  const before = draftText(scene);
  const after = importReports(before, reports);
  if (after !== before) scene.files.write(DRAFT, after);
  for (const report of reports) {
    const agent = state.agents[report.agent];
    if (agent?.status === 'done' && report.status === 'done') agent.outputHash = scene.files.digest(report.path);
  }
  const done = reports.filter((report) => report.status === 'done').length;
  return {
    ok: true,
    report: { imported: done, failed: reports.length - done },
    summary: `imported ${done} reports${done < reports.length ? `, ${reports.length - done} failed` : ''}`,
  };
}

/** `draft auto-assume`: fills the required sections that are empty, each marked as assumed. */
export function draftAutoAssume(scene: Scene): Outcome {
  const { state, recipe } = runOf(scene);
  const before = draftText(scene);
  const { missing } = draftStatus(before, recipe.draft.required);
  const { text, assumed } = autoAssume(before, {
    goal: state.goal ?? '',
    missing,
    reports: knownReports(scene).reports,
  });
  if (text !== before) scene.files.write(DRAFT, text);
  return {
    ok: true,
    report: { assumed },
    summary: assumed.length === 0 ? 'nothing to assume' : `assumed ${assumed.join(', ')}`,
  };
}

function mapped(sections: ReturnType<typeof readDraft>): JsonObject {
  return Object.fromEntries(SECTION_IDS.map((id) => [id, { filled: sections[id].filled, text: sections[id].text }]));
}

/** @throws DevCliError `UNKNOWN_SECTION` with the valid ids */
function checkedSection(text: string): SectionId {
  if (isSectionId(text)) return text;
  const near = suggestion(text, SECTION_IDS);
  throw new DevCliError('UNKNOWN_SECTION', `DRAFT.md has no section ${JSON.stringify(text.slice(0, 40))}.`, {
    fix: `${near === undefined ? '' : `Did you mean "${near}"? `}Sections: ${SECTION_IDS.join(', ')}.`,
  });
}

/** The draft; of a run that still needs it, a new one when somebody removed it. What it held stays in objects/. */
function draftText(scene: Scene): string {
  const text = scene.files.text(DRAFT);
  if (text !== null) return text;
  const { state, recipe } = runOf(scene);
  if (!recipe.usesDraft || state.status === 'completed' || state.status === 'aborted') {
    throw new DevCliError('DRAFT_MISSING', `The run "${scene.name}" has no DRAFT.md.`, {
      fix: 'Only recipes that use a draft have one, until their cleanup.',
    });
  }
  scene.warnings.push('DRAFT.md was gone; a new one was begun with the goal. What it held is in objects/');
  return updateDraft(newDraft(scene.name), state.goal === null ? {} : { purpose: state.goal });
}
