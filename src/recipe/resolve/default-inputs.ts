import type { SectionId } from '../../documents/sections.js';
import { runsCommand } from '../own-commands.js';
import type { ResolvedBlock } from '../resolved.js';
import type { BlockSource } from '../source/schema.js';
import { listPlaceholders } from '../template.js';
import { listWrites } from '../writes.js';
import { listSectionsWrittenBy } from './draft.js';

/**
 * What a block or an agent reads where its recipe does not say: the documents that blocks before it write, as far as its role has
 * use for them (documents.md, Documents by role).
 */

/** The documents of a run, by what they hold. */
interface Documents {
  draft: readonly string[];
  findings: readonly string[];
  analyses: readonly string[];
  plan: readonly string[];
}
type Kind = keyof Documents;

const LOOKS: readonly Kind[] = [];
const ANALYSES: readonly Kind[] = ['draft', 'findings'];
const ALL: readonly Kind[] = ['draft', 'plan', 'findings', 'analyses'];

/** What the shipped roles read; any other, such as the reviewer of a plan, reads all that there is. */
const ROLES: ReadonlyMap<string, readonly Kind[]> = new Map([
  ['code-explorer', LOOKS],
  ['docs-researcher', LOOKS],
  ['ux-reviewer', LOOKS],
  ['external-researcher', ANALYSES],
  ['gap-analyzer', ANALYSES],
  ['tradeoff-analyzer', ANALYSES],
  ['verification-planner', ANALYSES],
  ['codex-strategist', ['draft', 'analyses']],
]);

/**
 * Gives the blocks and agents that state no inputs those of their role. What is stated, and be it an empty list, stays.
 * @param sources the blocks as written
 * @param required the sections that the recipe requires of its draft
 */
export function addDefaultInputs(
  blocks: readonly ResolvedBlock[],
  sources: readonly BlockSource[],
  required: readonly SectionId[],
): ResolvedBlock[] {
  return blocks.map((block, index) => {
    const source = sources[index];
    if (source === undefined || !('read' in block)) return block;
    const written = listDocuments(blocks.slice(0, index), required);
    if ('agents' in block) {
      const stated = 'agents' in source ? source.agents : [];
      const agents = block.agents.map((agent, at) =>
        stated[at]?.readsFrom === undefined ? { ...agent, readsFrom: select(written, ROLES.get(agent.type)) } : agent,
      );
      return { ...block, agents };
    }
    const isStated = 'read' in source || 'consult' in source;
    return isStated ? block : { ...block, ...selectForAction(block, written) };
  });
}

/** What the main agent reads: all that a plan is made from, the draft that it is to fill, and in other steps only what it needs. */
function selectForAction(block: ResolvedBlock, written: Documents): { read: string[]; consult: string[] } {
  if (runsCommand(block, 'plan generate')) {
    const condensed: Kind = written.analyses.length > 0 ? 'analyses' : 'findings';
    return {
      read: select(written, ['draft', condensed]),
      consult: condensed === 'findings' ? [] : select(written, ['findings']),
    };
  }
  if ('sections' in block && block.sections.length > 0) {
    return { read: select(written, ['draft']), consult: select(written, ['findings', 'analyses']) };
  }
  // A gate shows its artifact.
  const isShown = 'artifact' in block && block.artifact !== undefined;
  return { read: [], consult: isShown ? [] : select(written, ALL) };
}

function select(written: Documents, kinds: readonly Kind[] = ALL): string[] {
  return kinds.flatMap((kind) => written[kind]);
}

/** The documents that blocks write whose names are known before the run. */
function listDocuments(blocks: readonly ResolvedBlock[], required: readonly SectionId[]): Documents {
  const paths = blocks.flatMap((block) => listWrites(block).map(({ path }) => path));
  const known = [...new Set(paths)].filter((path) => listPlaceholders(path).every(({ key }) => key === 'name'));
  const isDrafted = blocks.some((block) => listSectionsWrittenBy(block, required).length > 0);
  return {
    draft: isDrafted ? ['DRAFT.md'] : [],
    findings: known.filter((path) => path.startsWith('findings/')),
    analyses: known.filter((path) => path.startsWith('analysis/')),
    plan: known.filter((path) => path === 'PLAN.md'),
  };
}
