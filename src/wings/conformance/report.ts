import { type AssertionFailure, NO_REFUSAL } from './assertions.js';
import type { CaseVerdict } from './case.js';
import type { Case } from './fixture.js';
import type { Requirement } from './suite.js';

/** A case and how it ended. */
export interface CaseResult {
  case: Case;
  verdict: CaseVerdict;
}

type Counts = ReturnType<typeof count>;

/** The result of `conformance run` (neutral.md, Conformance). */
export interface Report extends Counts {
  ok: boolean;
  total: number;
  tools: Record<string, Counts>;
  requirements: { id: string; text: string; verdict: 'pass' | 'fail' | 'untested'; cases: string[] }[];
  cases: { id: string; suite: string; verdict: CaseVerdict['kind']; failures?: AssertionFailure[]; why?: string }[];
}

/** Summarizes the results by tool and by requirement. */
export function buildConformanceReport(
  results: readonly CaseResult[],
  requirements: readonly Requirement[],
  strict: boolean,
): Report {
  const counts = count(results);
  const names = [...new Set(results.map(({ case: one }) => nameTool(one)))].sort();
  const judged = requirements.filter((one) => strict || one.strict !== true);
  return {
    ok: counts.passed === results.length,
    ...counts,
    total: results.length,
    tools: Object.fromEntries(
      names.map((name) => [name, count(results.filter(({ case: one }) => nameTool(one) === name))]),
    ),
    requirements: judged.map(({ id, text }) => ({ id, text, ...judgeRequirement(id, results) })),
    cases: results.map(({ case: { id, suite }, verdict: { kind, ...more } }) => ({
      id,
      suite,
      verdict: kind,
      ...more,
    })),
  };
}

/** Returns the name under which a case is counted: its tool or, if it calls several, its folder. */
function nameTool({ steps, folder }: Case): string {
  const [name = '', ...more] = new Set(steps.map((step) => step.name));
  return more.length === 0 ? name : folder;
}

function count(results: readonly CaseResult[]) {
  const of = (kind: CaseVerdict['kind']): number => results.filter(({ verdict }) => verdict.kind === kind).length;
  return { passed: of('pass'), failed: of('fail'), errors: of('error'), unsupported: of('unsupported') };
}

function judgeRequirement(
  id: string,
  results: readonly CaseResult[],
): Pick<Report['requirements'][number], 'verdict' | 'cases'> {
  const failed = results.filter(
    ({ case: one, verdict }) =>
      verdict.kind === 'fail' && verdict.failures.some((failure) => blame(failure, one).includes(id)),
  );
  const passed = results.filter(({ case: one, verdict }) => verdict.kind === 'pass' && one.requires.includes(id));
  const verdict = failed.length > 0 ? 'fail' : passed.length > 0 ? 'pass' : 'untested';
  return { verdict, cases: (failed.length > 0 ? failed : passed).map(({ case: one }) => one.id) };
}

/** Those requirements on all calls that an unexpected refusal can violate: how files and parameters have to be read. */
const OF_READING = ['all.7', 'all.8', 'all.9'];

/**
 * Returns the requirements that a failure violates: the one that it names; otherwise those of the case, but the
 * requirements on all calls (`all.*`) only if the case has no others.
 */
function blame({ requirement, expected }: AssertionFailure, { requires }: Case): readonly string[] {
  if (requirement !== undefined) return [requirement];
  const special = requires.filter((id) => !id.startsWith('all.'));
  if (special.length > 0) return special;
  return expected === NO_REFUSAL ? requires.filter((id) => OF_READING.includes(id)) : requires;
}

/** Names untested requirements only if they are few, because after a partial run most are untested. */
function list(untested: Report['requirements']): string {
  return untested.length > LISTED ? '' : `: ${untested.map(({ id }) => id).join(' ')}`;
}

const LISTED = 20;

/** Renders the report for a person; the last line contains the totals. */
export function renderReport({ tools, requirements, cases, total, ...counts }: Report): string {
  const width = Math.max(...Object.keys(tools).map((name) => name.length));
  const rows = Object.entries(tools).map(([name, counted]) => `${name.padEnd(width)}  ${renderCounts(counted)}`);
  const broken = requirements.filter(({ verdict }) => verdict === 'fail');
  const untested = requirements.filter(({ verdict }) => verdict === 'untested');
  const unanswered = new Map<string, string[]>();
  for (const { id, verdict, why } of cases) {
    if (why === undefined) continue;
    const what = `${verdict}: ${why}`;
    unanswered.set(what, [...(unanswered.get(what) ?? []), id]);
  }
  const parts = [
    rows,
    broken.map(({ id, text, cases: by }) => `broken: ${id} ${text} (${by.join(', ')})`),
    untested.length === 0
      ? []
      : [`untested: ${untested.length} of ${requirements.length} requirements${list(untested)}`],
    [...unanswered].map(([what, ids]) => `${what} (${ids.join(', ')})`),
    cases.flatMap(({ id, failures = [] }) => {
      const lines = failures.map(({ path, expected, actual, requirement }) => {
        const about = requirement === undefined ? '' : `${requirement}: `;
        return `  ${about}${path}: expected ${expected}, got ${actual}`;
      });
      return lines.length === 0 ? [] : [`fail: ${id}`, ...lines];
    }),
  ].filter((lines) => lines.length > 0);
  return [...parts.map((lines) => lines.join('\n')), `${renderCounts(counts)} of ${total}`].join('\n\n');
}

/**
 * Renders `3 passed, 0 failed, 1 errors, 0 unsupported`. The words have no singular forms, because programs parse this
 * line.
 */
function renderCounts(counts: Counts): string {
  const kinds = ['passed', 'failed', 'errors', 'unsupported'] as const;
  return kinds.map((kind) => `${counts[kind]} ${kind}`).join(', ');
}
