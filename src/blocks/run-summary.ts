import { defined } from '../base/defined.js';
import { readDraft } from '../documents/draft.js';
import type { RunSummary } from '../documents/run-summary.js';
import { sortByRecipe } from '../recipe/declared.js';
import type { ResolvedRecipe } from '../recipe/resolved.js';
import { PLAN } from '../run/paths.js';
import type { PendingDocuments } from '../run/pending-documents.js';
import type { RunState } from '../run/state.js';
import { renderDigest } from './approvals.js';

/** What a run came to so far, as one value; summary.md is a rendering of it (documents.md, summary.md and report.md). */
export function buildRunSummary(
  state: RunState,
  recipe: ResolvedRecipe,
  files: PendingDocuments,
  at: string,
): RunSummary {
  const failures = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => `${id} did not deliver: ${agent.reason ?? 'no reason given'}`);
  return {
    goal: state.goal ?? '',
    outcome: determineOutcome(state, recipe),
    at,
    done: sortByRecipe(recipe, state.steps)
      .filter(([, step]) => step.status === 'done')
      .map(([id, step]) => (step.summary === undefined ? id : `${id}: ${step.summary}`)),
    decisions: [...listPlanningDecisions(state, recipe, files), ...gateDecisions(state, recipe)],
    changedFiles: [],
    verification: state.reviewRounds.map(renderReview),
    openIssues: [...state.warnings, ...failures],
    next:
      files.facts(PLAN).kind === 'file'
        ? [`Read ${PLAN}; what was carried out of it, once it was, stands in report.md.`]
        : [],
  };
}

/** A verdict of a review; which document the round was about is the recipe's. */
function renderReview({ block, round, agent, verdict, summary }: RunState['reviewRounds'][number]): string {
  return `${block}, round ${round}: ${agent} ${verdict ?? 'without a verdict'}${summary === '' ? '' : `; ${summary}`}`;
}

/** The last block of a live run that writes this writes it for a run that is then complete. */
function determineOutcome(state: RunState, recipe: ResolvedRecipe): RunSummary['outcome'] {
  const last = recipe.blocks.at(-1);
  const closing = last?.kind === 'cli' && last.id === state.currentBlock && state.steps[last.id]?.status !== 'failed';
  const goesOn = state.workflow !== null && state.workflow.phaseIndex < state.workflow.phases.length - 1;
  return state.status === 'live' && closing && !goesOn ? 'completed' : state.status;
}

/** Who a decision is by, as its line ends: `(user)` or `(assumed)` (documents.md, summary.md and report.md). */
const BY = / *\((user|assumed|agent)\)[.\s]*$/i;

/**
 * What was decided while the plan was made: as an earlier cleanup kept it, and as the draft has it now. `cleanup` keeps it in
 * the state, since it removes the draft.
 */
export function listPlanningDecisions(
  state: RunState,
  recipe: ResolvedRecipe,
  files: PendingDocuments,
): RunSummary['decisions'] {
  const all = [...(state.decisions ?? []), ...listDraftDecisions(state, recipe, files)];
  return [...new Map(all.map((decision) => [decision.text, decision])).values()];
}

function listDraftDecisions(state: RunState, recipe: ResolvedRecipe, files: PendingDocuments): RunSummary['decisions'] {
  const draft = files.text('DRAFT.md');
  if (draft === null) return [];
  const asked = recipe.blocks.findLast((block) => 'sections' in block && block.sections.includes('decisions'));
  const at = state.steps[asked?.id ?? '']?.at ?? state.updatedAt;
  return readDraft(draft)
    .decisions.text.split('\n')
    .filter((line) => /^[-*] /.test(line))
    .map((line) => {
      const marked = BY.exec(line)?.[1]?.toLowerCase();
      const by = marked === 'user' || marked === 'assumed' ? marked : 'agent';
      const text = line.slice(2).replace(BY, '').trim();
      return { text, by, at } as const;
    });
}

function gateDecisions(state: RunState, recipe: ResolvedRecipe): RunSummary['decisions'] {
  return sortByRecipe(recipe, state.gates).map(([id, gate]) => describeGateDecision(id, gate));
}

const STALE = ' (counts no longer: what came before it was redone)';

/** What was decided at a gate, by whom, and on which digest. One that counts no longer stays told, and says so. */
export function describeGateDecision(id: string, gate: RunState['gates'][string]): RunSummary['decisions'][number] {
  return {
    text: `${id}: ${gate.choice}${renderDigest(gate.digest)}${gate.stale === true ? STALE : ''}`,
    ...defined({ reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: gate.at,
  };
}
