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
 * What lies in findings/ and analysis/, checked, and the agents of the run that failed (documents.md, `draft import`).
 * Files that do not check out are told, never imported.
 */
export function knownReports(scene: Scene): { reports: KnownReport[]; problems: { path: string; problem: string }[] } {
  const agents = Object.entries(scene.state?.agents ?? {});
  const byOutput = new Map(agents.map(([id, agent]) => [agent.output, { id, status: agent.status }]));
  const reports: KnownReport[] = [];
  const problems: { path: string; problem: string }[] = [];
  for (const path of reportFiles(scene)) {
    const writer = byOutput.get(path);
    // An agent of this run that has not delivered: what lies there is left over from an earlier run.
    if (writer !== undefined && writer.status !== 'done') continue;
    const checked = checkReport(scene.files.text(path) ?? '', {});
    if (!checked.ok) problems.push({ path, problem: checked.problems[0]?.problem ?? 'not a report' });
    else
      reports.push({
        agent: writer?.id ?? checked.report.agent,
        path,
        status: 'done',
        summary: checked.report.summary,
      });
  }
  for (const [id, agent] of agents) {
    if (agent.status !== 'failed' || !/^(findings|analysis)\//.test(agent.output ?? '')) continue;
    reports.push({ agent: id, path: agent.output ?? '', status: 'failed', reason: agent.reason ?? 'no reason given' });
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
