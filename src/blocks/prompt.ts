import { foreignBlock, wholeLine } from '../documents/foreign.js';
import { planTemplate } from '../documents/plan-template.js';
import type { AskingBlock, CapturedAgent, ResolvedAgent, ResolvedBlock, SubagentBlock } from '../recipe/resolved.js';
import { variantKey } from '../recipe/variant-key.js';
import { writtenFor } from '../registry/written-out.js';
import { absolutePath } from '../run/paths.js';
import type { Turn } from '../run/turn.js';
import { filledPath, wholeProse } from './values.js';

/** Whether the block's round is judged by a verdict, so that its reports must carry one. */
export function wantsVerdict(block: SubagentBlock, output: string): boolean {
  return output.startsWith('reviews/') || (block.exitWhen ?? '').includes('verdict');
}

/** A subagent's whole task in one file (protocol.md, Prompt files). `output` is relative to the run. */
export function agentPrompt(turn: Turn, block: SubagentBlock, agent: ResolvedAgent, output: string | null): string {
  const definition = definitionOf(turn, agent);
  const task = [agent.prompt, agent.promptHint]
    .filter((part) => part !== undefined && part !== '')
    .map((part) => wholeProse(turn, part ?? '', block.id).trim());
  const parts = [
    `# ${agent.id}, for the run ${turn.state.name}`,
    definition?.role ?? `You are ${agent.type}.`,
    `## Task\n\n${task.length === 0 ? (definition?.body ?? block.instruction) : task.join('\n\n')}`,
    request(turn),
    inputs(turn, agent.readsFrom, block.id),
    output === null ? REPLY_ONLY : outputRules(turn, block, agent, output),
  ];
  return `${parts.join('\n\n')}\n`;
}

/** The role's variant where the recipe asks for one and it is there, else the role. */
function definitionOf(
  { captured: { agents } }: Turn,
  { type, promptVariant }: ResolvedAgent,
): CapturedAgent | undefined {
  const variant = promptVariant === undefined ? undefined : agents[variantKey(type, promptVariant)];
  return variant ?? agents[type];
}

const REPLY_ONLY =
  '## What to deliver\n\nYour result in your reply, in at most ten lines; whoever started you passes it on. Write no file, edit no sources, do not commit, run neither `dev-cli next` nor `dev-cli step`.';

function request(turn: Turn): string {
  if (turn.state.goal === null) return '## The request\n\nNone was given.';
  return `## The request\n\n${foreignBlock(turn.state.goal, { label: 'the request, as the user gave it' })}`;
}

function inputs(turn: Turn, readsFrom: readonly string[], block: string): string {
  const { place, state } = turn;
  const lines = [`- project root: ${place.root}`];
  if (place.workTree !== place.root) lines.push(`- work tree, where the sources are: ${place.workTree}`);
  for (const path of turn.because) {
    lines.push(`- read first, why this is done again: ${absolutePath(place, state.name, path)}`);
  }
  for (const template of readsFrom) {
    const path = filledPath(turn, template, block);
    lines.push(`- read: ${absolutePath(place, state.name, path)}${absence(turn, path)}`);
  }
  const preferences = Object.entries(state.preferences).map(([key, value]) => `${key}=${wholeLine(String(value))}`);
  if (preferences.length > 0) lines.push(`- preferences: ${preferences.join(', ')}`);
  return `## Where things are\n\n${lines.join('\n')}`;
}

/** Why a document that should be read is not there, in words; empty when it is. `said`: how the reason of its writer is told. */
export function absence(turn: Turn, path: string, said: (reason: string) => string = wholeLine): string {
  if (turn.files.facts(path).kind === 'file') return '';
  const writer = Object.entries(turn.state.agents).find(([, agent]) => agent.output === path);
  if (writer === undefined) return ' (not there)';
  const [id, agent] = writer;
  const reason = agent.status === 'failed' ? `: ${said(agent.reason ?? 'no reason given')}` : '';
  return ` (not there: ${id} ${agent.status === 'failed' ? 'failed' : 'did not run'}${reason})`;
}

function outputRules(turn: Turn, block: SubagentBlock, agent: ResolvedAgent, output: string): string {
  const path = absolutePath(turn.place, turn.state.name, output);
  const frontMatter = [
    '---',
    `agent: ${agent.id}`,
    `timestamp: ${turn.at}`,
    'summary: "<one sentence, at most 300 characters>"',
    ...(wantsVerdict(block, output) ? ['verdict: <OKAY or REJECT>'] : []),
    '---',
  ].join('\n');
  return `## What to deliver

One file: \`${path}\`. It begins with this front matter, filled in:

\`\`\`yaml
${frontMatter}
\`\`\`

- Write it once, whole: to \`${path}.tmp\`, then rename.
- Nothing found is a valid result; say so in the summary.
- Touch nothing else: edit no sources, do not commit, run neither \`dev-cli next\` nor \`dev-cli step\`.
- Then run \`${checkCommand(turn, path)}\` and mend what it names.
- Reply with two lines: the path, and the summary.`;
}

/** Runs as printed wherever the agent works: nothing in it depends on the directory. */
function checkCommand({ place }: Turn, file: string): string {
  return writtenFor(place.root)({ command: 'check', input: { subject: file } });
}

/**
 * The file beside an action of the main agent: the block's rules, the request, an example where one helps.
 * Null when there is nothing beyond the instruction.
 */
export function blockPrompt(turn: Turn, block: ResolvedBlock & AskingBlock): string | null {
  const example = block.kind === 'llm+cli' && block.schema === 'plan-content' ? planTemplate() : null;
  if (block.instructionText === undefined && example === null) return null;
  const parts = [wholeProse(turn, block.instructionText ?? block.instruction, block.id).trim(), request(turn)];
  if (example !== null) parts.push(`## Example\n\n${example.trim()}`);
  return `${parts.join('\n\n')}\n`;
}
