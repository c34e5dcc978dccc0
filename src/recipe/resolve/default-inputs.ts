import type { SectionId } from '../../documents/sections.js';
import { runsCommand } from '../own-commands.js';
import type { ResolvedBlock } from '../resolved.js';
import type { BlockSource } from '../source/schema.js';
import { listPlaceholders } from '../template.js';
import { listBlockWrites } from '../writes.js';
import { listSectionsWrittenBy } from './draft.js';

/**
 * Default inputs of blocks and agents: the documents that earlier blocks write, limited to those that the role needs
 * (documents.md, Documents by role).
 */

/** The documents of a run, by kind of content. */
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

/** The documents that shipped roles read. Any other role, such as the plan reviewer, reads all documents. */
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
 * Adds default inputs to blocks and agents that state none. A stated list is kept, even an empty one.
 * @param sources the blocks as written in the recipe file
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

/**
 * Selects what the main agent must read and what it may consult. To generate a plan it reads the draft and the
 * analyses, or the findings if there are none; to fill sections it reads the draft. In other blocks it must read
 * nothing.
 */
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
  // A gate with an artifact already presents the document that matters, so it lists none to consult.
  const isShown = 'artifact' in block && block.artifact !== undefined;
  return { read: [], consult: isShown ? [] : select(written, ALL) };
}

function select(written: Documents, kinds: readonly Kind[] = ALL): string[] {
  return kinds.flatMap((kind) => written[kind]);
}

/** Lists the documents that blocks write under names known before the run. */
function listDocuments(blocks: readonly ResolvedBlock[], required: readonly SectionId[]): Documents {
  const paths = blocks.flatMap((block) => listBlockWrites(block).map(({ path }) => path));
  const known = [...new Set(paths)].filter((path) => listPlaceholders(path).every(({ key }) => key === 'name'));
  const isDrafted = blocks.some((block) => listSectionsWrittenBy(block, required).length > 0);
  return {
    draft: isDrafted ? ['DRAFT.md'] : [],
    findings: known.filter((path) => path.startsWith('findings/')),
    analyses: known.filter((path) => path.startsWith('analysis/')),
    plan: known.filter((path) => path === 'PLAN.md'),
  };
}
