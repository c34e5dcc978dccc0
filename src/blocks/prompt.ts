import { renderForeignBlock, toWholeLine } from '../documents/foreign.js';
import { renderPlanTemplate } from '../documents/plan-template.js';
import type {
  CapturedAgent,
  InstructedBlock,
  ResolvedAgent,
  ResolvedBlock,
  SubagentBlock,
} from '../recipe/resolved.js';
import { getVariantKey } from '../recipe/variant-key.js';
import { needsVerdict } from '../recipe/verdict.js';
import { createFormatterFor } from '../registry/render.js';
import { toAbsolutePath } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';
import { listReadable } from './readable.js';
import { fillWholeText } from './values.js';

/**
 * Renders an agent's whole task as one file (protocol.md, Prompt files).
 * @param output relative to the run's directory; null for an agent that only replies
 */
export function renderAgentPrompt(
  tx: Transaction,
  block: SubagentBlock,
  agent: ResolvedAgent,
  output: string | null,
): string {
  const definition = findDefinition(tx, agent);
  const task = [agent.prompt, agent.promptHint]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => fillWholeText(tx, part ?? '', block.id).trim());
  const parts = [
    `# ${agent.id}, for the run ${tx.state.name}`,
    definition?.role ?? `You are ${agent.type}.`,
    `## Task\n\n${task.length === 0 ? (definition?.body ?? block.instruction) : task.join('\n\n')}`,
    renderRequest(tx),
    renderInputs(tx, agent.readsFrom, block.id),
    output === null ? REPLY_ONLY : renderOutputRules(tx, block, agent, output),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The definition of an agent's role: the variant that the recipe asks for if it exists, otherwise the role itself. */
function findDefinition(
  { captured: { agents } }: Transaction,
  { type, promptVariant }: ResolvedAgent,
): CapturedAgent | undefined {
  const variant = promptVariant === undefined ? undefined : agents[getVariantKey(type, promptVariant)];
  return variant ?? agents[type];
}

const REPLY_ONLY =
  '## What to deliver\n\nYour result in your reply, in at most ten lines; whoever started you passes it on. Write no file, edit no sources, do not commit, run neither `dev-cli next` nor `dev-cli step`.';

function renderRequest(tx: Transaction): string {
  if (tx.state.goal === null) return '## The request\n\nNone was given.';
  return `## The request\n\n${renderForeignBlock(tx.state.goal, { label: 'the request, as the user gave it' })}`;
}

function renderInputs(tx: Transaction, readsFrom: readonly string[], block: string): string {
  const { place, state } = tx;
  const lines = [`- project root: ${place.root}`];
  if (place.workTree !== place.root) lines.push(`- work tree, where the sources are: ${place.workTree}`);
  for (const path of tx.because) {
    lines.push(`- read first, why this is done again: ${toAbsolutePath(place, state.name, path)}`);
  }
  for (const path of listReadable(tx, readsFrom, block)) {
    lines.push(`- read: ${toAbsolutePath(place, state.name, path)}${explainAbsence(tx, path)}`);
  }
  const preferences = Object.entries(state.preferences).map(([key, value]) => `${key}=${toWholeLine(String(value))}`);
  if (preferences.length > 0) lines.push(`- preferences: ${preferences.join(', ')}`);
  return `## Where things are\n\n${lines.join('\n')}`;
}

/**
 * Why a document that should be read is not there, in words; empty when it is. `said`: how the reason of its writer is
 * told.
 */
export function explainAbsence(tx: Transaction, path: string, said: (reason: string) => string = toWholeLine): string {
  if (tx.files.facts(path).kind === 'file') return '';
  const writer = Object.entries(tx.state.agents).find(([, agent]) => agent.output === path);
  if (writer === undefined) return ' (not there)';
  const [id, agent] = writer;
  const reason = agent.status === 'failed' ? `: ${said(agent.reason ?? 'no reason given')}` : '';
  return ` (not there: ${id} ${agent.status === 'failed' ? 'failed' : 'did not run'}${reason})`;
}

function renderOutputRules(tx: Transaction, block: SubagentBlock, agent: ResolvedAgent, output: string): string {
  const path = toAbsolutePath(tx.place, tx.state.name, output);
  const frontMatter = [
    '---',
    `agent: ${agent.id}`,
    `timestamp: ${tx.at}`,
    'summary: "<one sentence, at most 300 characters>"',
    ...(needsVerdict(block, output) ? ['verdict: <OKAY or REJECT>'] : []),
    '---',
  ].join('\n');
  return `## What to deliver

One file: \`${path}\`. It begins with this front matter, filled in:

\`\`\`yaml
${frontMatter}
\`\`\`

- Write it whole, in one go.
- Nothing found is a valid result; say so in the summary.
- Touch nothing else: edit no sources, do not commit, run neither \`dev-cli next\` nor \`dev-cli step\`.
- Then run \`${renderCheckCommand(tx, path)}\` and mend what it names.
- Reply with two lines: the path, and the summary.`;
}

/** The command that checks a report, with absolute paths, so that it runs wherever the agent works. */
function renderCheckCommand({ place }: Transaction, file: string): string {
  return createFormatterFor(place.root)({ command: 'check', input: { subject: file } });
}

/**
 * The file beside an action of the main agent: the block's rules behind the paragraph that is the instruction, the request, an
 * example where one helps. Null when there is nothing beyond the instruction.
 */
export function renderBlockPrompt(tx: Transaction, block: ResolvedBlock & InstructedBlock): string | null {
  const example = block.kind === 'llm+cli' && block.schema === 'plan-content' ? renderPlanTemplate() : null;
  if (block.instructionText === undefined && example === null) return null;
  const parts = [...listRules(tx, block), ...(isRequestNamed(block) ? [] : [renderRequest(tx)])];
  if (example !== null) parts.push(`## Example\n\n${example.trim()}`);
  return parts.length === 0 ? null : `${parts.join('\n\n')}\n`;
}

/** What a block's text says beyond its instruction. */
function listRules(
  tx: Transaction,
  { id, instruction, instructionText = instruction }: ResolvedBlock & InstructedBlock,
) {
  const rules = instructionText.startsWith(`${instruction}\n`)
    ? instructionText.slice(instruction.length)
    : instructionText;
  const text = fillWholeText(tx, rules, id).trim();
  return text === '' || text === instruction ? [] : [text];
}

/** DRAFT.md holds the request under Purpose; a plan quotes it word for word, so whoever writes one has it at hand. */
function isRequestNamed(block: ResolvedBlock & InstructedBlock): boolean {
  const isPlan = block.kind === 'llm+cli' && block.schema === 'plan-content';
  return !isPlan && block.read.includes('DRAFT.md');
}
