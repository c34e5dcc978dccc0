import { readDraft } from '../documents/draft.js';
import type { RunSummary } from '../documents/run-summary.js';
import type { ResolvedRecipe } from '../recipe/resolved.js';
import { onDigest } from '../run/approvals-told.js';
import type { RunState } from '../run/state.js';
import { presentPlan } from './commands/plan.js';
import { PLAN } from './paths.js';
import { inRecipeOrder } from './recipe-order.js';
import type { Workspace } from './workspace.js';

/** What a run came to, as one value; summary.md is a rendering of it (documents.md). */
export function runSummary(state: RunState, recipe: ResolvedRecipe, files: Workspace): RunSummary {
  const plan = presentPlan(files);
  const failures = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => `${id} did not deliver: ${agent.reason ?? 'no reason given'}`);
  return {
    goal: state.goal ?? '',
    outcome: outcomeOf(state, recipe),
    done: inRecipeOrder(recipe, state.steps)
      .filter(([, step]) => step.status === 'done')
      .map(([id, step]) => (step.summary === undefined ? id : `${id}: ${step.summary}`)),
    decisions: [...draftDecisions(state, files), ...gateDecisions(state, recipe)],
    changedFiles: [],
    verification:
      plan === null
        ? []
        : plan.todos.flatMap((todo) =>
            todo.acceptance.map(
              (item) => `${todo.id} ${item.id}: ${item.kind === 'command' ? item.run.join(' ') : item.text}`,
            ),
          ),
    openIssues: [...state.warnings, ...failures],
    next: files.facts(PLAN).kind === 'file' ? [`Read ${PLAN}; nothing of it is implemented yet.`] : [],
  };
}

/** The last block of a live run that writes this writes it for a run that is then complete. */
function outcomeOf(state: RunState, recipe: ResolvedRecipe): RunSummary['outcome'] {
  const last = recipe.blocks.at(-1);
  const closing = last?.kind === 'cli' && last.id === state.currentBlock && state.steps[last.id]?.status !== 'failed';
  const goesOn = state.workflow !== null && state.workflow.phaseIndex < state.workflow.phases.length - 1;
  return state.status === 'live' && closing && !goesOn ? 'completed' : state.status;
}

/** Who a decision is by, as its line ends: `(user)` or `(assumed)` (documents.md). */
const BY = / *\((user|assumed|agent)\)[.\s]*$/i;

function draftDecisions(state: RunState, files: Workspace): RunSummary['decisions'] {
  const draft = files.text('DRAFT.md');
  if (draft === null) return [];
  return readDraft(draft)
    .decisions.text.split('\n')
    .filter((line) => /^[-*] /.test(line))
    .map((line) => {
      const marked = BY.exec(line)?.[1]?.toLowerCase();
      const by = marked === 'user' || marked === 'assumed' ? marked : 'agent';
      const text = line.slice(2).replace(BY, '').trim();
      return { text, by, at: state.steps['interview']?.at ?? state.updatedAt } as const;
    });
}

function gateDecisions(state: RunState, recipe: ResolvedRecipe): RunSummary['decisions'] {
  return inRecipeOrder(recipe, state.gates).map(([id, gate]) => gateDecision(id, gate));
}

/** What was decided at a gate, by whom, and on which digest. */
export function gateDecision(id: string, gate: RunState['gates'][string]): RunSummary['decisions'][number] {
  return {
    text: `${id}: ${gate.choice}${onDigest(gate.digest)}`,
    ...(gate.note === undefined ? {} : { reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: gate.at,
  };
}
