import { buildFileWrite, CONTRACT_FILES, type ReadContractFile, toolRefusedError } from '../files.js';
import type { NeutralIssue, NeutralPlan } from '../schemas.js';
import type { ContractToolInput, ContractTools, ToolOutcome } from './tool.js';

export const PLAN_TOOLS: ContractTools<'plan_start' | 'plan_status' | 'plan_update' | 'plan_decide'> = {
  plan_start: {
    locks: ['history', 'plan'],
    run({ read, params, now, branch }) {
      const history = read('history');
      const before = read('plan');
      const { topic, issues, research_summary } = params();
      const plan: NeutralPlan = {
        id: 1 + findGreatestId([...(history?.cycles ?? []).map(({ plan }) => plan), before]),
        topic,
        issues: issues.map((title, at) => ({ id: at + 1, title, status: 'pending' })),
        research_summary,
        created_at: now,
      };
      return {
        reply: {
          created: true,
          plan_id: plan.id,
          topic,
          issueCount: issues.length,
          previousArchived: before !== null,
        },
        changes: [buildFileWrite(CONTRACT_FILES.plan, plan)],
        ...(before !== null && { cycle: { completed_at: now, branch: branch(), plan: before, tasks: [] } }),
      };
    },
  },
  plan_status: {
    locks: 'reads',
    run({ read, params }) {
      const plan = read('plan');
      params();
      if (plan === null) return { reply: { active: false } };
      const { id, topic, issues, research_summary } = plan;
      const decided = issues.filter(isDecided).length;
      const summary = { total: issues.length, pending: issues.length - decided, decided };
      return {
        reply: {
          active: true,
          plan_id: id,
          topic,
          issues,
          ...(research_summary !== undefined && { research_summary }),
          summary,
        },
      };
    },
  },
  plan_update: { locks: ['plan'], run: updatePlan },
  plan_decide: {
    locks: ['plan'],
    run({ read, params }) {
      const plan = requirePlan(read);
      const { issue_id, summary, ...how } = params();
      const issue = requireIssue(plan, issue_id);
      const decided: NeutralIssue = { ...issue, status: 'decided', decision: summary, ...how };
      const issues = replaceItem(plan.issues, issue, decided);
      const remaining = issues.filter((one) => !isDecided(one)).map(({ id, title, status }) => ({ id, title, status }));
      const allComplete = remaining.length === 0;
      return {
        reply: {
          decided: true,
          issue: issue.title,
          allComplete,
          ...(allComplete ? { message: 'All issues are decided.' } : { remaining }),
        },
        changes: [buildFileWrite(CONTRACT_FILES.plan, { ...plan, issues })],
      };
    },
  },
};

function updatePlan({
  read,
  params,
}: ContractToolInput<{ action: string; issue_id?: number; title?: string }>): ToolOutcome {
  const plan = requirePlan(read);
  const { action, issue_id, title } = params();
  const change = (done: string, issue: NeutralIssue, issues: NeutralIssue[]): ToolOutcome => ({
    reply: { [done]: true, issue },
    changes: [buildFileWrite(CONTRACT_FILES.plan, { ...plan, issues })],
  });
  const replace = (done: string, before: NeutralIssue, issue: NeutralIssue): ToolOutcome =>
    change(done, issue, replaceItem(plan.issues, before, issue));
  switch (action) {
    case 'add': {
      if (title === undefined) throw toolRefusedError('title is required for add');
      const issue: NeutralIssue = { id: 1 + findGreatestId(plan.issues), title, status: 'pending' };
      return change('added', issue, [...plan.issues, issue]);
    }
    case 'remove': {
      const issue = requireIssue(plan, issue_id ?? lacking(action));
      return change('removed', issue, replaceItem(plan.issues, issue));
    }
    case 'edit': {
      if (issue_id === undefined || title === undefined)
        throw toolRefusedError('issue_id and title are required for edit');
      const issue = requireIssue(plan, issue_id);
      return replace('edited', issue, { ...issue, title });
    }
    case 'reopen': {
      const issue = requireIssue(plan, issue_id ?? lacking(action));
      const { decision: _, ...more } = issue;
      return replace('reopened', issue, { ...more, status: 'pending' });
    }
    default:
      throw toolRefusedError('Unknown action');
  }
}

function lacking(action: string): never {
  throw toolRefusedError(`issue_id is required for ${action}`);
}

function requirePlan(read: ReadContractFile): NeutralPlan {
  const plan = read('plan');
  if (plan === null) throw toolRefusedError('No active plan session');
  return plan;
}

function requireIssue({ issues }: NeutralPlan, id: number): NeutralIssue {
  const issue = issues.find((one) => one.id === id);
  if (issue === undefined) throw toolRefusedError(`Issue ${id} not found`);
  return issue;
}

export function isDecided({ status }: Pick<NeutralIssue, 'status'>): boolean {
  return status === 'decided';
}

/** Replaces one item of a list with other items, or removes it. */
export function replaceItem<Item>(all: readonly Item[], one: Item, ...others: Item[]): Item[] {
  return all.flatMap((each) => (each === one ? others : each));
}

/** Returns the greatest id. Ignores ids of other versions, and numbers too large to be incremented. */
export function findGreatestId(all: readonly unknown[]): number {
  return all.reduce<number>((most, one) => {
    const id: unknown = typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined;
    return Number.isSafeInteger(id) && (id as number) > most ? (id as number) : most;
  }, 0);
}
