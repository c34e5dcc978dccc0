import { toWholeLine } from '../../documents/foreign.js';
import type { CapturedAgent } from '../../recipe/captured.js';
import { needsVerdict } from '../../recipe/declared.js';
import { getVariantKey } from '../../recipe/load/captured.js';
import type { ResolvedAgent, SubagentBlock } from '../../recipe/resolved.js';
import { createFormatterFor } from '../../registry/render.js';
import { PLAN, toAbsolutePath } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';
import { findRequestDocument, renderNotes, renderRequest } from '../request.js';
import { explainAbsence, listReadable } from '../values/readable.js';
import { fillWholeText } from '../values/values.js';
import { renderSinceReview } from './second-review.js';

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
  const filled = (text: string | undefined) => (text === undefined ? '' : fillWholeText(tx, text, block.id).trim());
  const body = definition === undefined ? block.instruction : definition.body;
  const changes = renderSecondReview(tx, block, agent);
  const papers = listReadable(tx, agent.readsFrom, block.id);
  const holder = findRequestDocument(tx, papers);
  const parts = [
    `# ${agent.id}, for the run ${tx.state.name}`,
    // The role definition, if there is one, takes the place of this sentence.
    agent.prompt === undefined ? '' : (definition?.role ?? `You are ${agent.type}.`),
    `## Task\n\n${agent.prompt === undefined ? body : filled(agent.prompt)}`,
    filled(agent.promptHint),
    changes ?? '',
    holder === undefined ? renderRequest(tx) : '',
    renderNotes(tx),
    renderInputs(tx, papers, holder, changes === null ? 'read' : 'consult'),
    output === null ? REPLY_ONLY : renderOutputRules(tx, block, agent, output),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/**
 * For a reviewer that has judged the plan before, renders what has changed, to be read instead of the whole plan; null
 * for everybody else.
 */
function renderSecondReview(tx: Transaction, block: SubagentBlock, agent: ResolvedAgent): string | null {
  if (!agent.readsFrom.includes(PLAN)) return null;
  const last = tx.state.reviews.findLast((review) => review.block === block.id && review.agent === agent.id);
  return last === undefined ? null : renderSinceReview(tx, last);
}

/**
 * Finds the definition of an agent's role: the variant that the recipe asks for if it exists, otherwise the role
 * itself.
 */
function findDefinition(
  { captured: { agents } }: Transaction,
  { type, promptVariant }: ResolvedAgent,
): CapturedAgent | undefined {
  const variant = promptVariant === undefined ? undefined : agents[getVariantKey(type, promptVariant)];
  return variant ?? agents[type];
}

const REPLY_ONLY =
  '## What to deliver\n\nYour result in your reply, in at most ten lines; the agent that started you passes it on. Write no file, edit no sources, do not commit, run neither `dev-cli next` nor `dev-cli step`.';

/**
 * Renders the list of files that the agent should read.
 * @param papers the documents that the recipe gives the agent
 * @param holder which of the papers contains the request
 * @param how the word before each paper: whether the agent must read it, or may only consult it; DRAFT.md must always
 * be read
 */
function renderInputs(
  tx: Transaction,
  papers: readonly string[],
  holder: string | undefined,
  how: 'read' | 'consult',
): string {
  const { place, state } = tx;
  const lines = [`- project root: ${place.root}`];
  if (place.workTree !== place.root) lines.push(`- work tree, where the sources are: ${place.workTree}`);
  for (const path of tx.because) {
    lines.push(`- read first, why this is done again: ${toAbsolutePath(place, state.name, path)}`);
  }
  for (const path of papers) {
    const isHolder = path === holder ? ' (holds the request, word for word)' : '';
    const verb = path === 'DRAFT.md' ? 'read' : how;
    lines.push(`- ${verb}: ${toAbsolutePath(place, state.name, path)}${isHolder}${explainAbsence(tx, path)}`);
  }
  const preferences = Object.entries(state.preferences).map(([key, value]) => `${key}=${toWholeLine(String(value))}`);
  if (preferences.length > 0) lines.push(`- preferences: ${preferences.join(', ')}`);
  return `## Where things are\n\n${lines.join('\n')}`;
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
- Then run \`${renderCheckCommand(tx, path)}\` and fix what it reports.
- Reply with two lines: the path, and the summary.`;
}

/** Renders the command that checks a report, with absolute paths, so that it runs wherever the agent works. */
function renderCheckCommand({ place }: Transaction, file: string): string {
  return createFormatterFor(place.root)({ command: 'check', input: { subject: file } });
}
