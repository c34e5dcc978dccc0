import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { checkReport } from '../../documents/report.js';
import { type CommandContext, type CommandReport, requireRun } from './command-context.js';
import { readCommandData } from './data.js';

/**
 * `analysis save --agent ID`: stores the report of an agent that could only print it (documents.md, analysis save).
 * @throws DevCliError `EVIDENCE_INVALID` for an invalid report, `UNKNOWN_AGENT` for a malformed id, `DATA_MISSING`
 */
export function saveAnalysis(scene: CommandContext, input: JsonObject): CommandReport {
  const { state, recipe } = requireRun(scene);
  const agent = String(input['agent']);
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(agent)) {
    throw new DevCliError('UNKNOWN_AGENT', `${JSON.stringify(agent.slice(0, 80))} cannot be an agent's id.`, {
      fix: 'Use the id that the action gives.',
    });
  }
  const path = state.agents[agent]?.output ?? `analysis/${agent}.md`;
  const { text } = readCommandData(input['data'] ?? { source: 'stdin', text: '' }, scene.files);
  const checked = checkReport(text, { agent, verdict: path.startsWith('reviews/') });
  if (!checked.ok) {
    throw new DevCliError('EVIDENCE_INVALID', 'The report is not valid; nothing was saved.', {
      details: checked.problems.map((problem) => ({ target: path, ...problem })),
      fix: 'Begin the report with front matter: agent, timestamp, summary.',
    });
  }
  scene.files.write(path, text);
  scene.warnings.push(...checked.warnings);
  const dispatched = recipe.blocks.some((block) => 'agents' in block && block.agents.some(({ id }) => id === agent));
  // The report of an agent that was dispatched is accepted by the acknowledgement of its action.
  if (!dispatched || state.agents[agent] === undefined) {
    const { summary, verdict } = checked.report;
    state.agents[agent] = {
      status: 'done',
      outputHash: scene.files.digest(path),
      at: null,
      output: path,
      summary,
      ...defined({ verdict }),
    };
  }
  return { ok: true, report: { agent, path, summary: checked.report.summary }, summary: `saved ${path}` };
}
