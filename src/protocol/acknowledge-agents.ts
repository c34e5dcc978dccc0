import { type Detail, DevCliError } from '../base/errors.js';
import { advance } from '../effects/advance.js';
import { reportEvidence } from '../effects/evidence.js';
import { fault, noteStep, runOwn } from '../effects/execute.js';
import { shownPath } from '../effects/paths.js';
import { wantsVerdict } from '../effects/prompt.js';
import { record, type Turn } from '../effects/turn.js';
import { roundOf } from '../effects/values.js';
import type { SubagentBlock } from '../recipe/resolved.js';
import type { DispatchAction } from '../run/action.js';
import { type AckInput, type AckResult, type ChangedSources, type Pending, settleAction } from './acknowledgement.js';
import { pendingPart } from './identify.js';
import { passes } from './passes.js';
import { refuseChangedSources } from './sources.js';

interface Finding {
  agent: string;
  path: string;
  missing: boolean;
  problems: Detail[];
}

/** Subagents: every promised output is there and holds up, or is given up with a reason (protocol.md §3). */
export function acknowledgeAgents(
  turn: Turn,
  pending: Pending<SubagentBlock>,
  input: AckInput,
  sources: ChangedSources,
): AckResult {
  const { block, action } = pending;
  if (action.action !== 'dispatch-subagents') throw new DevCliError('INTERNAL', 'Not a dispatch.');
  const without = checkedWithout(turn, action, input);
  const refusal = refuseChangedSources(turn, action.actionId, sources);
  if (refusal !== null) return refusal;
  selfReported(turn, action, input);
  const accepted = new Map<string, string>();
  const findings: Finding[] = [];
  for (const row of action.agents) {
    const agent = turn.state.agents[row.id];
    if (agent?.output === undefined || agent.status !== 'pending') continue;
    const before = pending.state.before[agent.output] ?? null;
    const verdict = wantsVerdict(block, agent.output);
    const evidence = reportEvidence(turn.files, agent.output, before, { agent: row.id, verdict });
    if (evidence.ok) {
      accept(turn, row.id, evidence);
      accepted.set(agent.output, evidence.sha256);
    } else {
      findings.push({ agent: row.id, path: agent.output, missing: evidence.missing, problems: evidence.problems });
    }
  }
  giveUp(turn, pending, findings, without, input.reason ?? '');
  const open = findings.filter((finding) => !without.includes(finding.agent));
  const evidence = Object.fromEntries(accepted);
  if (open.length > 0) {
    if (accepted.size > 0) record(turn, 'accepted', { actionId: action.actionId, block: block.id, evidence });
    return { kind: 'refused', error: refusalFor(turn, action, open) };
  }
  return concluded(turn, { ...pending, action }, evidence);
}

/** All agents of the action have delivered or were given up: what the block does next. */
function concluded(
  turn: Turn,
  pending: Pending<SubagentBlock> & { action: DispatchAction },
  evidence: Record<string, string>,
): AckResult {
  const { block, action } = pending;
  const states = block.agents.flatMap((agent) => turn.state.agents[agent.id] ?? []);
  const failed = action.agents.filter((row) => turn.state.agents[row.id]?.status === 'failed');
  const noneLeft = !states.some((agent) => agent.status === 'done');
  settleAction(turn, pending);
  noteStep(turn, block.id, `${states.filter((agent) => agent.status === 'done').length} of ${states.length} agents`);
  if (failed.length > 0 && (block.onError.kind !== 'continue' || noneLeft)) {
    const names = failed.map((row) => row.id).join(', ');
    record(turn, 'failed', { actionId: action.actionId, block: block.id, reason: `without ${names}` });
    fault(turn, block.id, 'STEP_FAILED', `not delivered: ${names}`);
    advance(turn, { type: 'FAIL' });
    return { kind: 'completed', block: block.id };
  }
  const verdicts = noteVerdicts(turn, block, action);
  if (block.onComplete !== undefined) runOwn(turn, block.onComplete, block.id);
  const rejected = block.kind === 'subagent' && Object.values(verdicts).includes('REJECT');
  if (rejected || !passes(turn, block)) return notPassed(turn, pending, evidence, verdicts);
  record(turn, 'acknowledged', { actionId: action.actionId, block: block.id, evidence });
  advance(turn, { type: 'DONE' });
  return { kind: 'completed', block: block.id };
}

function notPassed(
  turn: Turn,
  pending: Pending<SubagentBlock>,
  evidence: Record<string, string>,
  verdicts: Record<string, string>,
): AckResult {
  const { block, action } = pending;
  const n = roundOf(turn, block.id);
  const judged = Object.keys(verdicts).join(', ');
  fault(turn, block.id, 'ROUND_NOT_PASSED', `round ${n} did not pass${judged === '' ? '' : ` (${judged})`}`);
  if (block.kind === 'subagent') {
    turn.state.warnings.push(`${block.id} did not pass: ${verdictLine(verdicts)}`);
    turn.warnings.push(`${block.id} did not pass: ${verdictLine(verdicts)}; the run goes on`);
    record(turn, 'acknowledged', { actionId: action.actionId, block: block.id, evidence });
    advance(turn, { type: 'DONE' });
    return { kind: 'completed', block: block.id };
  }
  for (const row of block.agents) {
    const output = turn.state.agents[row.id]?.output;
    if (output !== undefined && turn.state.agents[row.id]?.status === 'done') turn.because.push(output);
  }
  record(turn, 'round', { actionId: action.actionId, block: block.id, round: n, saved: [], missing: [], evidence });
  const before = turn.state.machine.counters[block.id]?.round ?? 0;
  advance(turn, { type: 'ROUND', filled: false });
  // At the bound there is no further round: what the block did not reach must not be forgotten.
  if (turn.state.currentBlock !== block.id && (turn.state.steps[block.id]?.status ?? '') === 'failed') {
    const line = `${block.id} did not pass within ${block.maxRounds} rounds (last verdict: ${verdictLine(verdicts)})`;
    turn.state.warnings.push(line);
    turn.warnings.push(line);
  }
  return { kind: 'round', round: { n: before, passed: false, saved: [], missing: [], verdicts } };
}

/** @throws DevCliError `UNKNOWN_AGENT`, `DATA_MISSING` */
function checkedWithout(turn: Turn, action: DispatchAction, input: AckInput): string[] {
  const without = input.without ?? [];
  const ids = action.agents.map((agent) => agent.id);
  const unknown = without.filter((id) => !ids.includes(id));
  if (unknown.length > 0) {
    throw new DevCliError(
      'UNKNOWN_AGENT',
      `This action has no agent ${unknown.map((id) => JSON.stringify(id.slice(0, 40))).join(', ')}.`,
      {
        run: turn.state.name,
        fix: `Its agents: ${ids.join(', ')}.`,
        ...pendingPart(turn),
      },
    );
  }
  if (without.length > 0 && (input.reason ?? '').trim() === '') {
    throw new DevCliError('DATA_MISSING', 'Going on without an agent needs a reason.', {
      run: turn.state.name,
      fix: 'Give it with --reason TEXT; later readers see it.',
      ...pendingPart(turn),
    });
  }
  return without;
}

/** Agents without an output are done by the text of `--result`, marked as self-reported (recipes.md §2). */
function selfReported(turn: Turn, action: DispatchAction, input: AckInput): void {
  const open = action.agents.filter(
    (row) => row.output === undefined && turn.state.agents[row.id]?.status === 'pending',
  );
  if (open.length === 0) {
    if (input.result !== undefined) turn.state.result = input.result;
    return;
  }
  const text = input.result?.trim() ?? '';
  if (text === '') {
    throw new DevCliError('DATA_MISSING', `What ${open.map((row) => row.id).join(', ')} reported is missing.`, {
      run: turn.state.name,
      fix: 'Write what the agent reported to the file that the ack names, then run the ack as printed.',
      ...pendingPart(turn),
    });
  }
  turn.state.result = text;
  for (const row of open) {
    turn.state.agents[row.id] = {
      status: 'done',
      outputHash: null,
      at: turn.at,
      summary: text.slice(0, 300),
      selfReported: true,
    };
  }
}

function accept(
  turn: Turn,
  id: string,
  { checked, sha256 }: Extract<ReturnType<typeof reportEvidence>, { ok: true }>,
): void {
  const agent = turn.state.agents[id];
  if (agent?.output === undefined) return;
  turn.files.keep(agent.output);
  const { verdict, summary } = checked.report;
  turn.state.agents[id] = {
    status: 'done',
    outputHash: sha256,
    at: turn.at,
    output: agent.output,
    summary,
    ...(verdict === undefined ? {} : { verdict }),
  };
  turn.state.result = checked.body;
  turn.warnings.push(...checked.warnings.map((warning) => `${agent.output}: ${warning}`));
}

/** Agents named in `--without` whose output is really not there are failed; one that did deliver stays accepted. */
function giveUp(turn: Turn, { action, block }: Pending, findings: Finding[], without: string[], reason: string): void {
  const given = without.filter((id) => findings.some((finding) => finding.agent === id));
  for (const id of without) {
    if (!given.includes(id) && turn.state.agents[id]?.status === 'done') {
      turn.warnings.push(`${id} has delivered; its output is taken`);
    }
  }
  if (given.length === 0) return;
  for (const id of given) {
    const agent = turn.state.agents[id];
    if (agent !== undefined) turn.state.agents[id] = { ...agent, status: 'failed', reason, at: turn.at };
  }
  record(turn, 'given-up', { actionId: action.actionId, block: block.id, agents: given, reason });
}

function noteVerdicts(turn: Turn, block: SubagentBlock, action: DispatchAction): Record<string, string> {
  const verdicts: Record<string, string> = {};
  for (const row of action.agents) {
    const agent = turn.state.agents[row.id];
    if (agent === undefined || agent.status !== 'done' || agent.verdict === undefined) continue;
    verdicts[row.id] = agent.verdict;
    turn.state.reviewRounds.push({
      block: block.id,
      round: roundOf(turn, block.id),
      agent: row.id,
      verdict: agent.verdict,
      summary: agent.summary ?? '',
      output: agent.output ?? null,
    });
  }
  return verdicts;
}

/** Repeats only what is missing (protocol.md §1, Errors); what is good stays accepted. */
function refusalFor(turn: Turn, action: DispatchAction, open: Finding[]): DevCliError {
  const { state, place } = turn;
  const names = open.map((finding) => finding.agent);
  const missing = open.some((finding) => finding.missing);
  const total = action.agents.length;
  const good = total - open.length;
  const kept =
    good === 0
      ? ''
      : ` The other ${good === 1 ? 'one is' : `${good} are`} accepted and stay${good === 1 ? 's' : ''} accepted.`;
  const reason = shownPath(place, state.name, `actions/${action.actionId}/reason.md`);
  const instead = {
    command: 'step complete',
    input: { name: state.name, action: action.actionId, without: names, reason: `@${reason}` },
  };
  const again = names.length === 1 ? `agent ${names[0]}` : `only ${names.join(', ')}`;
  return new DevCliError(
    missing ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
    `${open.length} of ${total} promised files ${open.length === 1 ? 'does' : 'do'} not hold up.${kept}`,
    {
      run: state.name,
      details: open.flatMap((finding) =>
        finding.problems.map((problem) => ({
          agent: finding.agent,
          target: shownPath(place, state.name, finding.path),
          ...problem,
        })),
      ),
      fix: `Start ${again} again with the same promptFile, wait, then repeat the ack. If it cannot be done, write why to ${reason} and run \`instead\`.`,
      instead,
      ...pendingPart(turn),
    },
  );
}

function verdictLine(verdicts: Record<string, string>): string {
  return Object.entries(verdicts)
    .map(([agent, verdict]) => `${agent} ${verdict}`)
    .join(', ');
}
