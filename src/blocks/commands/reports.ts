import type { ImportedReport } from '../../documents/import-reports.js';
import { checkReport, type ReportCheck } from '../../documents/report.js';
import type { RecipeState } from '../../run/recipe-state.js';
import { listRecipes } from '../../run/recipes.js';
import type { RunState } from '../../run/state.js';
import { checkReportFile } from '../evidence.js';
import type { CommandContext } from './command-context.js';

/**
 * Lists the checked reports in `findings/` and `analysis/` that this run's agents delivered, acknowledged or not, or that
 * `analysis save` stored, and the agents that failed (documents.md, draft import). Every other report there, such as
 * one of an earlier run of the name, is listed as a problem.
 */
export function listReports(scene: CommandContext): {
  reports: ImportedReport[];
  problems: { path: string; problem: string }[];
} {
  const reports: ImportedReport[] = [];
  const problems: { path: string; problem: string }[] = [];
  const agents = listAgents(scene.state);
  const promised = new Set(agents.map(([, { output }]) => output));
  for (const path of listReportFiles(scene)) {
    if (!promised.has(path)) problems.push({ path, problem: 'of no agent of this run; store it with `analysis save`' });
  }
  for (const [id, { output, status, reason }] of agents) {
    if (output === undefined || !/^(findings|analysis)\//.test(output)) continue;
    if (status === 'failed') {
      reports.push({ agent: id, path: output, status, reason: reason ?? 'no reason given' });
      continue;
    }
    const checked =
      status === 'done' ? checkReport(scene.files.text(output) ?? '', {}) : checkDelivered(scene, id, output);
    if (checked === null) continue;
    if (checked.ok) reports.push({ agent: id, path: output, status: 'done', summary: checked.report.summary });
    else problems.push({ path: output, problem: checked.problems[0]?.problem ?? 'not a report' });
  }
  return { reports, problems };
}

/** Lists the agents of all recipes of the run; of several with the same output, only the last. */
function listAgents(state: RunState | null): [string, RecipeState['agents'][string]][] {
  const all = (state === null ? [] : listRecipes(state)).flatMap(({ agents }) => Object.entries(agents));
  return all.filter(([, { output }], index) => !all.slice(index + 1).some(([, later]) => later.output === output));
}

/**
 * Checks what an agent that has not been acknowledged yet has written already, by the rule of the acknowledgement. Null
 * when nothing has been written since the dispatch.
 */
function checkDelivered({ state, files }: CommandContext, agent: string, output: string): ReportCheck | null {
  const pending = state?.pendingAction;
  const before = pending?.acknowledged === false ? pending.before[output] : undefined;
  if (before === undefined) return null;
  const found = checkReportFile(files, output, before, { agent, verdict: false });
  if (found.ok) return found.checked;
  return found.missing ? null : { ok: false, problems: found.problems };
}

function listReportFiles(scene: CommandContext): string[] {
  return ['findings', 'analysis'].flatMap((directory) =>
    scene.files
      .list(directory)
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${directory}/${file}`),
  );
}
