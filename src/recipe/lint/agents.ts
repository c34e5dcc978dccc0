import { getVariantKey } from '../load/captured.js';
import type { ResolvedAgent } from '../resolved.js';
import type { SourcePath } from '../source/report.js';
import { quoteSuggestion, quoteWord } from '../source/yaml.js';
import type { Lintable, LintableSequence } from './lintable.js';

/** Checks that every role has a definition, which allows writing if needed, and that ids and outputs are unique. */
export function lintAgents(lintable: LintableSequence): void {
  const ids = new Set<string>();
  for (const [index, block] of lintable.recipe.blocks.entries()) {
    if (!('agents' in block) || lintable.broken.has(index)) continue;
    const outputs = new Set<string>();
    for (const [at, agent] of block.agents.entries()) {
      const place = ['blocks', index, 'agents', at];
      lintRole(lintable, agent.type, agent.output !== undefined, [...place, 'type']);
      lintVariant(lintable, agent, [...place, 'promptVariant']);
      const fault = findIdFault(agent.id, ids);
      if (fault !== null) {
        lintable.report.error([...place, 'id'], `The agent id ${quoteWord(agent.id)} ${fault}.`, {
          fix: 'Agent ids are unique in a recipe.',
        });
      }
      ids.add(agent.id);
      if (agent.output === undefined) continue;
      if (outputs.has(agent.output)) {
        lintable.report.error([...place, 'output'], `Two agents of this block write ${quoteWord(agent.output)}.`);
      }
      outputs.add(agent.output);
    }
  }
}

/**
 * Checks a variant by the same rules as a role. If the variant has no definition, that is only a warning, because the
 * role itself is then used.
 */
function lintVariant(lintable: LintableSequence, agent: ResolvedAgent, place: SourcePath): void {
  const { type, promptVariant: variant, output } = agent;
  if (variant === undefined || lintable.agents[type] === undefined) return;
  const key = getVariantKey(type, variant);
  if (lintable.agents[key] !== undefined) {
    lintRole(lintable, key, output !== undefined, place);
    return;
  }
  lintable.report.warning(
    place,
    `The agent ${quoteWord(type)} has no variant ${quoteWord(variant)}; the role is used as it is.`,
    {
      fix: /^[A-Za-z0-9_-]+$/.test(variant)
        ? `Write it in .dev/agents/${key}.md, or leave promptVariant out.`
        : 'Use only letters, digits, "-" and "_", or leave promptVariant out.',
    },
  );
}

/** Ids that no agent can have, since its prompt file would collide with one of the action's files (protocol.md §1). */
const TAKEN = ['data', 'note', 'prompt', 'reason', 'result'];

function findIdFault(id: string, ids: ReadonlySet<string>): string | null {
  if (ids.has(id)) return 'is used twice';
  return id in Object.prototype || TAKEN.includes(id) ? 'cannot be used' : null;
}

/**
 * Checks that a role has a definition and that the definition allows writing files if needed.
 * @param writes whether the role has to write a file
 */
export function lintRole(
  { agents, knownAgents, report }: Lintable,
  type: string,
  writes: boolean,
  place: SourcePath,
): void {
  const definition = agents[type];
  if (definition === undefined) {
    report.error(place, `There is no agent ${quoteWord(type)}.${quoteSuggestion(type, knownAgents)}`, {
      fix: `Define it in .dev/agents/${/^[A-Za-z0-9_-]+$/.test(type) ? type : 'NAME'}.md.`,
    });
  } else if (definition.unread !== undefined) {
    report.error(place, `${quoteWord(definition.source)} cannot be read: ${definition.unread}.`);
  } else if (writes && !definition.maySave) {
    report.error(place, `The agent ${quoteWord(type)} (${definition.source}) has no tool to write its output with.`, {
      fix: 'Add Write to the tools of its definition.',
    });
  } else if (definition.flaw !== undefined) {
    report.warning(
      place,
      `The definition ${quoteWord(definition.source)} gives the agent too little to go on: ${definition.flaw}.`,
    );
  }
}
