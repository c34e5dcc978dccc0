// door: plan

import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { Invocation } from '../../base/invocation.js';
import type { JsonObject } from '../../base/json.js';
import { renderCount } from '../../base/words.js';
import { checkReport } from '../../documents/report.js';
import { renderRunSummary } from '../../documents/run-summary.js';
import type { PendingDocuments } from '../../run/documents/pending.js';
import { buildRunSummary, listPlanningDecisions } from '../run-summary.js';
import { checkDocument } from './check.js';
import { type CommandContext, type CommandReport, requireRun } from './command-context.js';
import { readCommandData } from './data.js';
import { assumeInDraft, importIntoDraft, showDraft, updateDraftCommand, validateDraft } from './draft.js';
import { generatePlan, showPlanTemplate, summarizePlan, validatePlan } from './plan.js';

/**
 * Executes one of the commands that a recipe may contain (recipes.md, Commands), whether called by hand or from a
 * recipe.
 * @throws whatever the command throws; DevCliError `INTERNAL` for any other command, which lint refuses
 */
export function runOwnCommand(invocation: Invocation, scene: CommandContext): CommandReport {
  const { command, input } = invocation;
  switch (command) {
    case 'draft update':
      return updateDraftCommand(scene, input);
    case 'draft show':
      return showDraft(scene, input);
    case 'draft validate':
      return validateDraft(scene);
    case 'draft import':
      return importIntoDraft(scene);
    case 'draft auto-assume':
      return assumeInDraft(scene);
    case 'plan template':
      return showPlanTemplate();
    case 'plan generate':
      return generatePlan(scene, input);
    case 'plan validate':
      return validatePlan(scene, input);
    case 'plan summary':
      return summarizePlan(scene);
    case 'analysis save':
      return saveAnalysis(scene, input);
    case 'cleanup':
      return cleanUp(scene);
    case 'check': {
      const path = String(input['subject'] ?? '');
      const text = scene.files.text(path);
      const checked = checkDocument(path, text ?? '');
      const problems = text === null ? [{ target: path, problem: 'not written' }] : checked.problems;
      return {
        ok: problems.length === 0,
        report: { file: path, kind: checked.kind, problems: problems.map((problem) => ({ ...problem })) },
        summary: problems.length === 0 ? `${path} is valid` : `${path}: ${renderCount(problems.length, 'problem')}`,
      };
    }
    default:
      throw new DevCliError('INTERNAL', `"${command}" cannot run inside a recipe.`);
  }
}

/**
 * `analysis save --agent ID`: stores the report of an agent that could only print it (documents.md, analysis save).
 * @throws DevCliError `EVIDENCE_INVALID` for an invalid report, `UNKNOWN_AGENT` for a malformed id, `DATA_MISSING`
 */
function saveAnalysis(scene: CommandContext, input: JsonObject): CommandReport {
  const { state, recipe } = requireRun(scene);
  const agent = String(input['agent']);
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(agent)) {
    throw new DevCliError('UNKNOWN_AGENT', `${JSON.stringify(agent.slice(0, 80))} is not a valid agent id.`, {
      fix: 'Use the id that the action gives.',
    });
  }
  const path = state.agents[agent]?.output ?? `analysis/${agent}.md`;
  const { text } = readCommandData(input['data'] ?? { source: 'stdin', text: '' }, scene.files);
  const checked = checkReport(text, { agent, verdict: path.startsWith('reviews/') });
  if (!checked.ok) {
    throw new DevCliError('EVIDENCE_INVALID', 'The report is not valid; nothing was saved.', {
      details: checked.problems.map((problem) => ({ target: path, ...problem })),
      fix: 'Begin the report with front matter: agent, timestamp, summary.',
    });
  }
  scene.files.write(path, text);
  scene.warnings.push(...checked.warnings);
  const dispatched = recipe.blocks.some((block) => 'agents' in block && block.agents.some(({ id }) => id === agent));
  // If the agent was dispatched by a block, its report is accepted by the acknowledgement of that dispatch, not here.
  if (!dispatched || state.agents[agent] === undefined) {
    const { summary, verdict } = checked.report;
    state.agents[agent] = {
      status: 'done',
      outputHash: scene.files.digest(path),
      at: null,
      output: path,
      summary,
      ...omitUndefined({ verdict }),
    };
  }
  return { ok: true, report: { agent, path, summary: checked.report.summary }, summary: `saved ${path}` };
}

// Loaded by a plain `require` when first used (as in recipe/conditions/language.ts), since only `cleanup` needs it.
const picomatch = (): typeof import('picomatch') => require('picomatch');

/** The run's own records, which a recipe can never declare temporary. */
const KEPT = /^(state\.json|events\.jsonl|recipe\.json|lock|objects|actions)(\/|$|\.)/;

/**
 * `cleanup`: removes the files that the recipe declares temporary and writes summary.md (protocol.md §5).
 * @throws DevCliError `NO_SUCH_RUN`
 */
function cleanUp(scene: CommandContext): CommandReport {
  const { state, recipe } = requireRun(scene);
  // A caller that never got the answer of its `cleanup` repeats the command. By then the documents from which
  // summary.md is built have been removed, so the summary.md of the first `cleanup` must stay as it is.
  const { type, command } = state.events.at(-1) ?? {};
  if (type === 'document' && command === 'cleanup' && scene.files.text('summary.md') !== null) {
    return { ok: true, report: { removed: [], written: 'summary.md' }, summary: 'had already been cleaned up' };
  }
  // Listed first, because the decisions come from a document that is about to be removed.
  const decided = listPlanningDecisions(state, recipe, scene.files);
  const isTemporary = picomatch()(recipe.cleanup, { dot: true });
  const { documents = [], ...summary } = buildRunSummary(state, recipe, scene.files, scene.at);
  const kept = documents.filter((path) => !isTemporary(path));
  scene.files.write('summary.md', renderRunSummary({ ...summary, documents: kept }));
  if (decided.length > 0) state.decisions = decided;
  const removed = listFiles(scene.files, '').filter((path) => isTemporary(path));
  for (const path of removed) scene.files.remove(path);
  return {
    ok: true,
    report: { removed, written: 'summary.md' },
    summary: removed.length === 0 ? 'nothing to remove, wrote summary.md' : `removed ${removed.join(', ')}`,
  };
}

function listFiles(files: PendingDocuments, directory: string): string[] {
  const found: string[] = [];
  for (const name of files.list(directory)) {
    const path = directory === '' ? name : `${directory}/${name}`;
    if (KEPT.test(path)) continue;
    const { kind } = files.facts(path);
    if (kind === 'directory') found.push(...listFiles(files, path));
    else if (kind === 'file') found.push(path);
  }
  return found;
}
