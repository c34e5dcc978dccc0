import { defined } from '../../base/defined.js';
import type { Library } from '../../recipe/library.js';
import { type CheckedRecipe, checkRecipe } from '../../recipe/load.js';
import type { ProblemLog } from '../../recipe/report.js';
import { MOST_STATES } from './explore.js';
import type { Finding } from './finding.js';
import type { ReportedFinding, VerifyReport } from './report.js';
import { type Script, writeScript } from './script.js';
import { type Verified, verifySequence } from './sequence.js';

/**
 * Explores a recipe under every outcome that an agent or a person can give, and tells what is wrong with it, or that nothing is
 * (authoring.md, Verify). What lint calls an error is told instead: such a recipe cannot run.
 * @param most states at most
 * @throws DevCliError `UNKNOWN_RECIPE`, `IO`
 */
export function verifyRecipe(
  library: Library,
  name: string,
  most: number = MOST_STATES,
): { report: VerifyReport; checked: CheckedRecipe } {
  const checked = checkRecipe(library, name);
  const { captured, compiled, problems, file } = checked;
  const base = { recipe: name, file, problems };
  const { draft, report } = compiled;
  if (captured === null || draft === null || draft.type !== 'sequential')
    return { report: { ...base, ok: false, findings: [] }, checked };
  const verified = verifySequence(draft.recipe, draft.source, most);
  const findings = verified.findings.map((finding) =>
    locate(report, finding, writeScript(verified.subject, verified.graph, finding, name)),
  );
  return {
    report: { ...base, ok: findings.length === 0 && verified.graph.whole, findings, explored: count(verified) },
    checked,
  };
}

function count({ graph, actions }: Verified): NonNullable<VerifyReport['explored']> {
  return { states: graph.nodes.length, transitions: graph.transitions, actions, whole: graph.whole };
}

/** Finds the place of a finding in the recipe's file. */
function locate(log: ProblemLog, { kind, place, message, fix, within }: Finding, script: Script): ReportedFinding {
  log.error(place, message, defined({ within, fix }));
  const problem = log.problems.pop();
  if (problem === undefined) throw new Error('A problem was reported and is not there.');
  return { ...problem, kind, script };
}
