import { readDraft } from '../documents/draft.js';
import type { RunSummary } from '../documents/run-summary.js';
import type { RunState } from '../run/state.js';
import { PLAN, presentPlan } from './commands/plan.js';
import type { Workspace } from './workspace.js';

/** What a run came to, as one value; summary.md is a rendering of it (documents.md). */
export function runSummary(state: RunState, files: Workspace): RunSummary {
  const plan = presentPlan(files);
  const failures = Object.entries(state.agents)
    .filter(([, agent]) => agent.status === 'failed')
    .map(([id, agent]) => `${id} did not deliver: ${agent.reason ?? 'no reason given'}`);
  return {
    goal: state.goal ?? '',
    outcome: state.outcome ?? state.status,
    done: Object.entries(state.steps)
      .filter(([, step]) => step.status === 'done')
      .map(([id, step]) => (step.summary === undefined ? id : `${id}: ${step.summary}`)),
    decisions: [...draftDecisions(state, files), ...gateDecisions(state)],
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

function draftDecisions(state: RunState, files: Workspace): RunSummary['decisions'] {
  const draft = files.text('DRAFT.md');
  if (draft === null) return [];
  return readDraft(draft)
    .decisions.text.split('\n')
    .filter((line) => /^[-*] /.test(line))
    .map((line) => {
      const by = /\bassumed\b/i.test(line) ? 'assumed' : /\buser\b/i.test(line) ? 'user' : 'agent';
      return { text: line.slice(2).trim(), by, at: state.steps['interview']?.at ?? state.updatedAt } as const;
    });
}

function gateDecisions(state: RunState): RunSummary['decisions'] {
  return Object.entries(state.gates).map(([id, gate]) => ({
    text: `${id}: ${gate.choice}`,
    ...(gate.note === undefined ? {} : { reason: gate.note }),
    by: gate.by === 'human' ? 'user' : 'agent',
    at: state.steps[id]?.at ?? state.updatedAt,
  }));
}
