import { type Detail, DevCliError } from '../base/errors.js';
import { advance } from '../effects/advance.js';
import { reportEvidence } from '../effects/evidence.js';
import { fault, noteStep, runOnComplete } from '../effects/execute.js';
import { resultFile } from '../effects/issue-dispatch.js';
import { shownPath } from '../effects/paths.js';
import { wantsVerdict } from '../effects/prompt.js';
import { record, type Turn } from '../effects/turn.js';
import { rememberResult, roundOf } from '../effects/values.js';
import type { SubagentBlock } from '../recipe/resolved.js';
import type { DispatchAction } from '../run/action.js';
import { type AckInput, type AckResult, type ChangedSources, type Pending, settleAction } from './acknowledgement.js';
import { pendingPart } from './identify.js';
import { noteInputs, refuseOutdated } from './inputs.js';
import { passes, runOrRefuse, warnAtBound } from './passes.js';
import { refuseChangedSources } from './sources.js';

interface Finding {
  agent: string;
  /** Where its output belongs; undefined for an agent that reports through `--result`. */
  path: string | undefined;
  missing: boolean;
  problems: Detail[];
}

/** What an acknowledgement brought: digests by path, agents that reported by themselves, and what does not hold up. */
interface Delivered {
  evidence: Record<string, string>;
  reported: string[];
  findings: Finding[];
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
  refuseOutdated(turn, pending, without);
  const delivered = collect(turn, { ...pending, action }, input);
  const { evidence, reported, findings } = delivered;
  giveUp(turn, pending, findings, without, input.reason ?? '');
  const open = findings.filter((finding) => !without.includes(finding.agent));
  if (open.length === 0) return concluded(turn, { ...pending, action }, delivered);
  if (Object.keys(evidence).length > 0 || reported.length > 0) {
    record(turn, 'accepted', {
      actionId: action.actionId,
      block: block.id,
      evidence,
      ...(reported.length === 0 ? {} : { selfReported: reported }),
    });
  }
  return { kind: 'refused', error: refusalFor(turn, action, open) };
}

type Dispatched = Pending<SubagentBlock> & { action: DispatchAction };

/** Takes what holds up, agent by agent; what was taken before stays taken. */
function collect(turn: Turn, { block, action, state }: Dispatched, input: AckInput): Delivered {
  const delivered: Delivered = { evidence: {}, reported: selfReported(turn, action, input), findings: [] };
  for (const row of action.agents) {
    const agent = turn.state.agents[row.id];
    if (agent?.status !== 'pending') continue;
    if (agent.output === undefined) {
      delivered.findings.push({
        agent: row.id,
        path: undefined,
        missing: true,
        problems: [{ problem: 'not reported' }],
      });
      continue;
    }
    const verdict = wantsVerdict(block, agent.output);
    const before = state.before[agent.output] ?? null;
    const evidence = reportEvidence(turn.files, agent.output, before, { agent: row.id, verdict });
    if (evidence.ok) {
      accept(turn, row.id, evidence);
      delivered.evidence[agent.output] = evidence.sha256;
    } else {
      const { missing, problems } = evidence;
      delivered.findings.push({ agent: row.id, path: agent.output, missing, problems });
    }
  }
  return delivered;
}

/** All agents of the action have delivered or were given up: what the block does next. */
function concluded(turn: Turn, pending: Dispatched, delivered: Delivered): AckResult {
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
    completeAnyway(turn, block);
    advance(turn, { type: 'FAIL' });
    return { kind: 'failed' };
  }
  const verdicts = noteVerdicts(turn, pending);
  if (block.onComplete !== undefined) runOrRefuse(turn, block.onComplete, block.id);
  if (block.kind === 'subagent') {
    // Checked in any case: it may store something.
    const passed = passes(turn, block);
    if (!passed || Object.values(verdicts).includes('REJECT')) warnNotPassed(turn, block, verdicts);
    return acknowledged(turn, pending, delivered);
  }
  return passes(turn, block) ? acknowledged(turn, pending, delivered) : notPassed(turn, pending, delivered, verdicts);
}

/**
 * What a block whose failure lets the run go on leaves behind all the same: the agents that failed are named where others
 * read it (documents.md, `draft import`). It stops nothing any more; what it finds wrong is a warning.
 */
export function completeAnyway(turn: Turn, block: SubagentBlock): void {
  if (block.onError.kind === 'continue') runOnComplete(turn, block);
}

function acknowledged(turn: Turn, pending: Dispatched, { evidence, reported }: Delivered): AckResult {
  const { block, action } = pending;
  record(turn, 'acknowledged', {
    actionId: action.actionId,
    block: block.id,
    evidence,
    ...(reported.length === 0 ? {} : { selfReported: true }),
  });
  noteInputs(turn, pending);
  advance(turn, { type: 'DONE' });
  return { kind: 'completed', block: block.id };
}

/** A block that is no loop has one round only: what did not pass is told and the run goes on. */
function warnNotPassed(turn: Turn, block: SubagentBlock, verdicts: Record<string, string>): void {
  const line = `${block.id} did not pass: ${verdictLine(verdicts)}`;
  turn.state.warnings.push(line);
  turn.warnings.push(`${line}; the run goes on`);
}

function notPassed(
  turn: Turn,
  { block, action }: Dispatched,
  { evidence }: Delivered,
  verdicts: Record<string, string>,
): AckResult {
  const n = roundOf(turn, block.id);
  const judged = verdictLine(verdicts);
  fault(turn, block.id, 'ROUND_NOT_PASSED', `round ${n} did not pass (${judged})`);
  for (const row of block.agents) {
    const output = turn.state.agents[row.id]?.output;
    if (output !== undefined && turn.state.agents[row.id]?.status === 'done') turn.because.push(output);
  }
  record(turn, 'round', { actionId: action.actionId, block: block.id, round: n, saved: [], missing: [], evidence });
  warnAtBound(turn, block, `last: ${judged}`);
  advance(turn, { type: 'ROUND', filled: false });
  return { kind: 'round', round: { n, passed: false, saved: [], missing: [], verdicts } };
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

/**
 * Agents without an output are done by the text of `--result`, marked as self-reported (recipes.md §2). It speaks for all
 * that have not reported yet and are not given up; gives their ids.
 */
function selfReported(turn: Turn, action: DispatchAction, input: AckInput): string[] {
  const text = input.result?.trim() ?? '';
  if (text === '') return [];
  turn.state.result = text;
  const reporting = action.agents.filter(
    ({ id, output }) =>
      output === undefined && turn.state.agents[id]?.status === 'pending' && input.without?.includes(id) !== true,
  );
  for (const { id } of reporting) {
    turn.state.agents[id] = {
      status: 'done',
      outputHash: null,
      at: turn.at,
      summary: text.slice(0, 300),
      selfReported: true,
    };
  }
  return reporting.map(({ id }) => id);
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
  rememberResult(turn, checked.body);
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

/**
 * Notes the verdicts of the round. One that was started again judges together with those that had delivered before it:
 * a rejection stays one.
 */
function noteVerdicts(turn: Turn, { block, action, state }: Dispatched): Record<string, string> {
  const verdicts: Record<string, string> = {};
  const rows = state.cause === 'retry' ? block.agents : action.agents;
  for (const row of rows) {
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
  const shown = (file: string) => shownPath(place, state.name, file);
  const names = open.map((finding) => finding.agent);
  const total = action.agents.length;
  const good = total - open.length;
  const kept =
    good === 0
      ? ''
      : ` The other ${good === 1 ? 'one is' : `${good} are`} accepted and stay${good === 1 ? 's' : ''} accepted.`;
  const promised = open.every((finding) => finding.path === undefined) ? 'reports' : 'files';
  const reason = shown(`actions/${action.actionId}/reason.md`);
  const result = shown(resultFile(action.actionId));
  return new DevCliError(
    open.some((finding) => finding.missing) ? 'EVIDENCE_MISSING' : 'EVIDENCE_INVALID',
    `${open.length} of ${total} promised ${promised} ${open.length === 1 ? 'does' : 'do'} not hold up.${kept}`,
    {
      run: state.name,
      details: open.flatMap((finding) =>
        finding.problems.map((problem) => ({
          agent: finding.agent,
          target: finding.path === undefined ? result : shown(finding.path),
          ...problem,
        })),
      ),
      fix: `${againFix(open, result)} If it cannot be done, write why to ${reason} and run \`instead\`.`,
      instead: {
        command: 'step complete',
        input: { name: state.name, action: action.actionId, without: names, reason: `@${reason}` },
      },
      ...pendingPart(turn),
    },
  );
}

/** How to go on: files are written by their agents; what an agent only reports is written down by who started it. */
function againFix(open: Finding[], result: string): string {
  const writers = open.filter((finding) => finding.path !== undefined).map((finding) => finding.agent);
  const reporters = open.filter((finding) => finding.path === undefined).map((finding) => finding.agent);
  const report = `write what ${reporters.join(', ')} reported to ${result}`;
  if (writers.length === 0) return `W${report.slice(1)}, then run the ack as printed.`;
  const again = writers.length === 1 ? `agent ${writers[0]}` : `only ${writers.join(', ')}`;
  const also = reporters.length === 0 ? '' : `${report}, `;
  return `Start ${again} again with the same promptFile, wait, ${also}then repeat the ack.`;
}

/** The verdicts in words; a round may have failed its condition without any. */
function verdictLine(verdicts: Record<string, string>): string {
  const line = Object.entries(verdicts).map(([agent, verdict]) => `${agent} ${verdict}`);
  return line.length === 0 ? 'no verdict' : line.join(', ');
}
