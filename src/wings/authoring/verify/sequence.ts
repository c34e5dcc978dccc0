import type { LintableSequence } from '../../../recipe/lint/lintable.js';
import type { ResolvedRecipe } from '../../../recipe/resolved.js';
import { StepChecker } from './check-step.js';
import { exploreSequentialRecipe, MOST_STATES } from './explore.js';
import type { VerifyFinding } from './finding.js';
import type { StateGraph } from './graph.js';
import type { Interruptible } from './interruptible.js';
import { listRecipeFindings } from './judge.js';
import { type ExplorationSubject, findSubject } from './subject.js';
import { countMostActions, findWays } from './ways.js';

/** The result of verifying a sequential recipe, alone or as a phase. */
export interface Verified {
  subject: ExplorationSubject;
  graph: StateGraph;
  findings: VerifyFinding[];
  /** Actions on the longest path; null if a loop has no bound. */
  actions: number | null;
}

/** Explores a sequential recipe and judges the result. @param most the maximum number of states */
export function* verifySequence(
  recipe: ResolvedRecipe,
  source: LintableSequence['source'],
  most: number = MOST_STATES,
): Interruptible<Verified> {
  const subject = findSubject(recipe, source);
  const checker = new StepChecker(subject);
  const graph = yield* exploreSequentialRecipe(subject, checker, most);
  if (!graph.whole) return { subject, graph, findings: checker.list(), actions: null };
  const ways = findWays(graph);
  return {
    subject,
    graph,
    findings: listRecipeFindings(subject, graph, checker, ways),
    actions: countMostActions(subject, graph, ways),
  };
}
