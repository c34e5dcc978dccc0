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
  const byOutput = new Map<string, string>();
  for (const [id, agent] of Object.entries(scene.state?.agents ?? {})) {
    if (agent.output !== undefined) byOutput.set(agent.output, id);
  }
  const reports: KnownReport[] = [];
  const problems: { path: string; problem: string }[] = [];
  for (const directory of ['findings', 'analysis']) {
    for (const file of scene.files.list(directory)) {
      if (!file.endsWith('.md')) continue;
      const path = `${directory}/${file}`;
      const id = byOutput.get(path);
      // An agent of this run that has not delivered: what lies there is left over from an earlier run.
      if (id !== undefined && scene.state?.agents[id]?.status !== 'done') continue;
      const checked = checkReport(scene.files.text(path) ?? '', {});
      if (checked.ok) {
        reports.push({ agent: id ?? checked.report.agent, path, status: 'done', summary: checked.report.summary });
      } else {
        problems.push({ path, problem: checked.problems[0]?.problem ?? 'not a report' });
      }
    }
  }
  for (const [id, agent] of Object.entries(scene.state?.agents ?? {})) {
    if (agent.status !== 'failed' || !/^(findings|analysis)\//.test(agent.output ?? '')) continue;
    reports.push({ agent: id, path: agent.output ?? '', status: 'failed', reason: agent.reason ?? 'no reason given' });
  }
  return { reports, problems };
}
