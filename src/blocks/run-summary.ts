// shared: common

import { cutToSecond } from '../base/clock.js';
import { omitUndefined } from '../base/defined.js';
import { readDraft } from '../documents/draft.js';
import { readDecisions } from '../documents/draft-decisions.js';
import type { RunSummary } from '../documents/run-summary.js';
import { NO_DECISION } from '../documents/sections.js';
import { DEFAULT_ARTIFACTS, sortByRecipe } from '../recipe/declared.js';
import type { ResolvedRecipe } from '../recipe/resolved.js';
import { listArtifactsWritten } from '../run/documents/artifacts.js';
import type { PendingDocuments } from '../run/documents/pending.js';
import { findLastEngine } from '../run/facts.js';
import { PLAN } from '../run/paths.js';
import type { GateState, RecipeState } from '../run/recipe-state.js';
import type { RunState } from '../run/state.js';
import { renderDigest } from './approvals.js';

/** Builds the summary of a run so far, which is rendered as summary.md (documents.md, summary.md and report.md). */
export function buildRunSummary(
  state: RunState,
  recipe: ResolvedRecipe,
  files: PendingDocuments,
  at: string,
): RunSummary {
  const failures = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => `${id} did not deliver: ${agent.reason ?? 'no reason given'}`);
  const outcome = determineOutcome(state, recipe);
  const isUnbuilt =
    outcome === 'completed' && findLastEngine(state) === null && listWritten([PLAN], state, files).length > 0;
  return {
    goal: state.goal ?? '',
    outcome,
    at: cutToSecond(at),
    done: sortByRecipe(recipe, state.steps)
      .filter(([, step]) => step.status === 'done')
      .map(([id, step]) => (step.summary === undefined ? id : `${id}: ${step.summary}`)),
    decisions: [
      ...listPlanningDecisions(state, recipe, files),
      ...sortByRecipe(recipe, state.gates).map(([id, gate]) => describeGateDecision(id, gate)),
    ].map((decision) => ({ ...decision, at: cutToSecond(decision.at) })),
    changedFiles: [],
    documents: listDocuments(state, recipe, files),
    verification: state.reviews.map(renderReview),
    openIssues: [...state.warnings, ...failures],
    next:
      files.facts(PLAN).kind === 'file'
        ? [
            `Read ${PLAN}.${isUnbuilt ? ` To have it built, tell the agent: /execute ${state.name}. report.md then says what was done.` : ''}`,
          ]
        : [],
  };
}

/** Lists the documents that this run has written, except dev-cli's own. */
function listDocuments(state: RunState, recipe: ResolvedRecipe, files: PendingDocuments): string[] {
  const own = (recipe.artifacts ?? []).filter((path) => !DEFAULT_ARTIFACTS.includes(path));
  return listWritten(own, state, files);
}

/** Lists those of the documents that this run has written, in earlier calls or in this one. */
function listWritten(paths: readonly string[], state: RunState, files: PendingDocuments): string[] {
  const now = files.changes().map(({ path }) => path);
  return listArtifactsWritten(paths, { ...state, written: [...state.written, ...now] }, files);
}

function renderReview({ block, round, agent, verdict, summary, edited }: RecipeState['reviews'][number]): string {
  const since = edited === true ? ', before the plan was edited' : '';
  return `${block}, round ${round}${since}: ${agent} ${verdict ?? 'without a verdict'}${summary === '' ? '' : `; ${summary}`}`;
}

/**
 * Determines the outcome to record: the run's status, except that a live run whose last block writes the summary counts
 * as completed, because it is about to complete.
 */
function determineOutcome(state: RunState, recipe: ResolvedRecipe): RunSummary['outcome'] {
  const last = recipe.blocks.at(-1);
  const closing = last?.kind === 'cli' && last.id === state.currentBlock && state.steps[last.id]?.status !== 'failed';
  const goesOn = state.workflow !== null && state.workflow.phaseIndex < state.workflow.phases.length - 1;
  return state.status === 'live' && closing && !goesOn ? 'completed' : state.status;
}

/** A decision with a known time. */
type DatedDecision = RunSummary['decisions'][number] & { at: string };

/**
 * Lists the decisions made while planning: those that an earlier `cleanup` saved in the state before it removed the
 * draft, and those in the draft now.
 */
export function listPlanningDecisions(
  state: RunState,
  recipe: ResolvedRecipe,
  files: PendingDocuments,
): DatedDecision[] {
  const all = [...(state.decisions ?? []), ...listDraftDecisions(state, recipe, files)];
  return [...new Map(all.map((decision) => [decision.text, decision])).values()];
}

function listDraftDecisions(state: RunState, recipe: ResolvedRecipe, files: PendingDocuments): DatedDecision[] {
  const draft = files.text('DRAFT.md');
  if (draft === null) return [];
  const asked = recipe.blocks.findLast((block) => 'sections' in block && block.sections.includes('decisions'));
  const at = state.steps[asked?.id ?? '']?.at ?? state.updatedAt;
  return readDecisions(readDraft(draft).decisions.text)
    .map(({ text, by }) => ({ text, by, at }))
    .filter(({ text }) => text !== NO_DECISION);
}

const STALE = ' (no longer counts: what came before it was redone)';

/**
 * Describes what was decided at a gate, by whom and on which digest. A decision that no longer counts is marked as
 * such.
 */
export function describeGateDecision(id: string, gate: GateState): DatedDecision {
  return {
    text: `${id}: ${gate.choice}${renderDigest(gate.digest)}${gate.stale === true ? STALE : ''}`,
    ...omitUndefined({ reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: gate.at,
  };
}
