import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { type Action, type Call, StandIn } from '../support/agent.mjs';
import { runDir, stateOf } from '../support/cli.js';
import { createProject, type Project } from '../support/project.mjs';
import { findTerminal, NO_TERMINAL } from '../support/terminal.mjs';

const skipped = findTerminal() === null;
let project: Project;
afterEach(() => project?.remove());

function drive(scenario: ConstructorParameters<typeof StandIn>[0]['scenario']): {
  calls: Call[];
  actions: Action[];
  agent: StandIn;
} {
  project = createProject();
  const actions: Action[] = [];
  const agent = new StandIn({ project, scenario: { ...scenario, before: (action) => void actions.push(action) } });
  const done = agent.drive(agent.start('--recipe specify-standard-interactive'));
  expect(done).toMatchObject({ done: true, outcome: 'completed' });
  return { calls: agent.calls, actions, agent };
}

describe.skipIf(skipped)(
  `specify-standard-interactive with trouble${skipped ? ` (skipped: ${NO_TERMINAL})` : ''}`,
  () => {
    it('an interview of two rounds: exit 0, the gaps named, a new action', () => {
      const { calls, actions } = drive({ twoRounds: true });
      const interview = actions.filter(({ block }) => block === 'interview');
      const wanted = Object.keys(interview[0]?.data?.need ?? {}).sort();
      expect(interview.map(({ round }) => round)).toEqual([1, 2]);
      expect(interview[0]?.actionId).not.toBe(interview[1]?.actionId);
      expect(Object.keys(interview[1]?.data?.need ?? {}).sort()).toEqual(['boundaries', 'criteria']);
      const round = calls.find(({ answer }) => answer !== null && 'round' in answer);
      expect(round?.exit).toBe(0);
      expect(round?.answer).toMatchObject({ ok: true, completed: null, round: { n: 1, passed: false } });
      const answer = round?.answer as unknown as { round: { saved: string[]; missing: string[] } };
      expect([...answer.round.saved].sort()).toEqual(wanted.filter((id) => id !== 'boundaries' && id !== 'criteria'));
      expect(wanted).toEqual(expect.arrayContaining(['boundaries', 'criteria', 'decisions']));
      expect([...answer.round.missing].sort()).toEqual(['boundaries', 'criteria']);
      expect(Buffer.byteLength(round?.stdout ?? '')).toBeLessThan(1500);
    });

    it('a missing output: exit 3, only that agent again, the same action stays pending', () => {
      const { calls, actions } = drive({ leaveOut: 'gap-analyzer' });
      const refused = calls.filter(({ exit }) => exit === 3);
      expect(refused).toHaveLength(1);
      const [refusal] = refused;
      const analyze = actions.find(({ block }) => block === 'analyze-full');
      expect(refusal?.answer).toMatchObject({
        ok: false,
        run: 'add-jwt-auth',
        error: {
          code: 'EVIDENCE_MISSING',
          details: [{ agent: 'gap-analyzer', target: '.dev/specs/add-jwt-auth/analysis/gap.md' }],
        },
        pending: { actionId: analyze?.actionId, ack: analyze?.ack },
      });
      expect(refusal?.answer?.error?.instead).toContain('--without gap-analyzer --reason @');
      expect(Buffer.byteLength(refusal?.stdout ?? '')).toBeLessThan(1000);
      expect(actions.filter(({ block }) => block === 'analyze-full')).toHaveLength(1);
    });

    it('a rejected plan goes back to be rewritten before it is reviewed again', () => {
      const { actions } = drive({ rejectFirstReview: true });
      const blocks = actions.map(({ block }) => block);
      expect(blocks.slice(-5)).toEqual(['generate-plan', 'review', 'generate-plan', 'review', 'approve-plan']);
      const [, rewritten] = actions.filter(({ block }) => block === 'generate-plan');
      expect(rewritten?.read).toContain('.dev/specs/add-jwt-auth/reviews/1.md');
      const reviews = actions.filter(({ block }) => block === 'review');
      expect(reviews.map(({ round }) => round)).toEqual([1, 2]);
      expect(reviews[1]?.agents?.[0]?.output).toBe('.dev/specs/add-jwt-auth/reviews/2.md');
      const plan = readFileSync(join(runDir(project, 'add-jwt-auth'), 'PLAN.md'), 'utf8');
      expect(plan).toContain('Revision 1');
      expect(plan).not.toContain('Revision 2');
      expect(stateOf(project, 'add-jwt-auth').steps['review']?.status).toBe('done');
    });

    it('a second review is given its first, what has changed and the plan to consult, not the whole plan to read', () => {
      const prompts: string[] = [];
      project = createProject();
      const agent = new StandIn({
        project,
        scenario: {
          rejectFirstReview: true,
          rejectPlan: true,
          before: ({ block, agents = [] }) => {
            if (block === 'review') prompts.push(readFileSync(join(project.root, agents[0]?.promptFile ?? ''), 'utf8'));
          },
        },
      });
      agent.drive(agent.start('--recipe specify-standard-interactive'));
      expect(prompts).toHaveLength(3);
      const [first = '', second = '', third = ''] = prompts;
      const named = (prompt: string, how: string) =>
        [...prompt.matchAll(new RegExp(`^- ${how}: .*/specs/[^/]+/(\\S+)`, 'gm'))].map(([, path]) => path);
      expect(named(first, 'read')).toEqual(['DRAFT.md', 'PLAN.md', 'analysis/gap.md', 'analysis/verification.md']);
      expect(first).not.toContain('what has changed in the plan');
      for (const prompt of [second, third]) {
        expect(named(prompt, 'read')).toEqual(['DRAFT.md']);
        expect(named(prompt, 'consult')).toEqual(['PLAN.md', 'analysis/gap.md', 'analysis/verification.md']);
        expect(prompt).toMatch(/\{\+.*Revision \d.*\+\}|\+ .*Revision \d/);
        expect(prompt).not.toContain(agent.goal);
      }
      expect(second).toContain('your review of round 1, REJECT');
      expect(second).toContain('## Blocking');
      // After the OKAY of round 2, the person rejected the plan; the third prompt names that OKAY, not round 1's
      // REJECT.
      expect(third).toContain('your review of round 2, OKAY');
      expect(third).not.toContain('your review of round 1');
    });

    it('a person who wants another plan: the reason reaches the writer, the reviewer looks again, the gate asks again', () => {
      const { actions } = drive({ rejectPlan: true });
      expect(actions.map(({ block }) => block).slice(-6)).toEqual([
        'generate-plan',
        'review',
        'approve-plan',
        'generate-plan',
        'review',
        'approve-plan',
      ]);
      const [, rewritten] = actions.filter(({ block }) => block === 'generate-plan');
      const reasons = (rewritten?.read ?? []).filter((path) => /\/(reason|note)\.md$/.test(path));
      expect(reasons).toHaveLength(1);
      expect(readFileSync(join(project.root, reasons[0] ?? ''), 'utf8')).toContain('Authorization header');
      expect(
        new Set(actions.filter(({ block }) => block === 'approve-plan').map(({ actionId }) => actionId)).size,
      ).toBe(2);
      const summary = readFileSync(join(project.root, '.dev/specs/add-jwt-auth/summary.md'), 'utf8');
      expect(summary).toMatch(/^- At approve-plan: Read tokens from the Authorization header only.*\(user\b/m);
    });

    it('everything at once, with a compaction', () => {
      const { calls, agent } = drive({
        twoRounds: true,
        leaveOut: 'gap-analyzer',
        rejectFirstReview: true,
        compactedAt: 'analyze-full',
      });
      expect(calls.filter(({ exit }) => exit === 3)).toHaveLength(1);
      const { calls: made, answers, injected } = agent.totals();
      expect(made).toBeLessThanOrEqual(14);
      expect(answers + injected, 'answers, and the manifest that a hook injects').toBeLessThanOrEqual(16_500);
    });

    it('all goes well: at most 10 calls, 11,000 bytes of answers, 40,000 bytes in all', () => {
      const { agent } = drive({});
      const { calls, answers, all } = agent.totals();
      expect(calls).toBeLessThanOrEqual(10);
      expect(answers).toBeLessThanOrEqual(11_000);
      expect(all).toBeLessThanOrEqual(40_000);
    });
  },
);
