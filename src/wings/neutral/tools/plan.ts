import { FILES, type Read, refuse, write } from '../files.js';
import type { Issue, Plan } from '../schemas.js';
import type { Given, Outcome, Tools } from './tool.js';

export const PLAN_TOOLS: Tools<'plan_start' | 'plan_status' | 'plan_update' | 'plan_decide'> = {
  plan_start: {
    locks: ['history', 'plan'],
    run({ read, params, now, branch }) {
      const history = read('history');
      const before = read('plan');
      const { topic, issues, research_summary } = params();
      const plan: Plan = {
        id: 1 + greatest([...(history?.cycles ?? []).map(({ plan }) => plan), before]),
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
        changes: [write(FILES.plan, plan)],
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
      const decided: Issue = { ...issue, status: 'decided', decision: summary, ...how };
      const issues = swap(plan.issues, issue, decided);
      const remaining = issues.filter((one) => !isDecided(one)).map(({ id, title, status }) => ({ id, title, status }));
      const allComplete = remaining.length === 0;
      return {
        reply: {
          decided: true,
          issue: issue.title,
          allComplete,
          ...(allComplete ? { message: 'All issues are decided.' } : { remaining }),
        },
        changes: [write(FILES.plan, { ...plan, issues })],
      };
    },
  },
};

function updatePlan({ read, params }: Given<{ action: string; issue_id?: number; title?: string }>): Outcome {
  const plan = requirePlan(read);
  const { action, issue_id, title } = params();
  const change = (done: string, issue: Issue, issues: Issue[]): Outcome => ({
    reply: { [done]: true, issue },
    changes: [write(FILES.plan, { ...plan, issues })],
  });
  const replace = (done: string, before: Issue, issue: Issue): Outcome =>
    change(done, issue, swap(plan.issues, before, issue));
  switch (action) {
    case 'add': {
      if (title === undefined) throw refuse('title is required for add');
      const issue: Issue = { id: 1 + greatest(plan.issues), title, status: 'pending' };
      return change('added', issue, [...plan.issues, issue]);
    }
    case 'remove': {
      const issue = requireIssue(plan, issue_id ?? lacking(action));
      return change('removed', issue, swap(plan.issues, issue));
    }
    case 'edit': {
      if (issue_id === undefined || title === undefined) throw refuse('issue_id and title are required for edit');
      const issue = requireIssue(plan, issue_id);
      return replace('edited', issue, { ...issue, title });
    }
    case 'reopen': {
      const issue = requireIssue(plan, issue_id ?? lacking(action));
      const { decision: _, ...more } = issue;
      return replace('reopened', issue, { ...more, status: 'pending' });
    }
    default:
      throw refuse('Unknown action');
  }
}

function lacking(action: string): never {
  throw refuse(`issue_id is required for ${action}`);
}

function requirePlan(read: Read): Plan {
  const plan = read('plan');
  if (plan === null) throw refuse('No active plan session');
  return plan;
}

function requireIssue({ issues }: Plan, id: number): Issue {
  const issue = issues.find((one) => one.id === id);
  if (issue === undefined) throw refuse(`Issue ${id} not found`);
  return issue;
}

export function isDecided({ status }: Pick<Issue, 'status'>): boolean {
  return status === 'decided';
}

/** Replaces one item of a list with other items, or removes it. */
export function swap<Item>(all: readonly Item[], one: Item, ...others: Item[]): Item[] {
  return all.flatMap((each) => (each === one ? others : each));
}

/** Returns the greatest id; ignores ids of other versions, and numbers too large to be incremented. */
export function greatest(all: readonly unknown[]): number {
  return all.reduce<number>((most, one) => {
    const id: unknown = typeof one === 'object' && one !== null && 'id' in one ? one.id : undefined;
    return Number.isSafeInteger(id) && (id as number) > most ? (id as number) : most;
  }, 0);
}
