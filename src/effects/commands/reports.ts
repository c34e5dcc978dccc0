import { checkReport } from '../../documents/report.js';
import type { Scene } from './scene.js';

/** One agent's report, as `draft import` and `auto-assume` see it. `path` is relative to the run's directory. */
export interface KnownReport {
  agent: string;
  path: string;
  status: 'done' | 'failed';
  summary?: string;
  reason?: string;
}

/**
 * The reports of this run in findings/ and analysis/, checked, and its agents that failed (documents.md, `draft import`):
 * what its agents delivered and what `analysis save` stored. What lies there from an earlier run of the name is none of
 * them. What is not imported is told.
 */
export function knownReports(scene: Scene): { reports: KnownReport[]; problems: { path: string; problem: string }[] } {
  const reports: KnownReport[] = [];
  const problems: { path: string; problem: string }[] = [];
  const agents = Object.entries(scene.state?.agents ?? {});
  const promised = new Set(agents.map(([, { output }]) => output));
  for (const path of reportFiles(scene)) {
    if (!promised.has(path)) problems.push({ path, problem: 'of no agent of this run; store it with `analysis save`' });
  }
  for (const [id, { output, status, reason }] of agents) {
    if (output === undefined || !/^(findings|analysis)\//.test(output)) continue;
    if (status === 'failed') {
      reports.push({ agent: id, path: output, status, reason: reason ?? 'no reason given' });
    } else if (status === 'done') {
      const checked = checkReport(scene.files.text(output) ?? '', {});
      if (checked.ok) reports.push({ agent: id, path: output, status, summary: checked.report.summary });
      else problems.push({ path: output, problem: checked.problems[0]?.problem ?? 'not a report' });
    }
  }
  return { reports, problems };
}

function reportFiles(scene: Scene): string[] {
  return ['findings', 'analysis'].flatMap((directory) =>
    scene.files
      .list(directory)
      .filter((file) => file.endsWith('.md'))
      .map((file) => `${directory}/${file}`),
  );
}
