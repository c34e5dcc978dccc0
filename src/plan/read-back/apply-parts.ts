import { type Chunk, type ParsedChunk, parseChunk } from '../markdown/chunks.js';
import { type Token, writeTyped } from '../markdown/tokens.js';
import type { PlanContent } from '../model/schema.js';
import { applyAssumptions, applyContext } from './apply-context.js';
import {
  applyCommits,
  applyMustNots,
  applyNeeds,
  applyObjectives,
  applyRisks,
  type ReadBackPart,
} from './apply-lists.js';
import { applyDecisions, applyRequirements, type ProofChange } from './apply-tables.js';
import type { Notes } from './fault.js';
import { describePiece, type PlanPart, type PlanText } from './parts.js';
import { applyText } from './restore.js';

/** The rendered and the edited text, split into parts, and the faults found in each. */
export interface PlanTexts {
  before: PlanText;
  after: PlanText;
  /** Faults of the rendered text, which are ignored because nobody typed it. */
  unheard: Notes;
  notes: Notes;
}

/** Applies the edits to all parts except the todos. */
export function applyParts(
  plan: PlanContent,
  { before, after, unheard, notes }: PlanTexts,
): { plan: PlanContent; proofs: readonly ProofChange[] } {
  const apply = <T>(part: PlanPart, old: T, edit: (reading: ReadBackPart) => T): T => {
    const [was, is] = [before.parts.get(part), after.parts.get(part)];
    for (const pointer of POINTERS[part] ?? []) if (is !== undefined) notes.place(pointer, is.line);
    return was?.text === is?.text ? old : edit({ before: was, after: is, unheard, notes });
  };
  const head = { before: before.head ?? undefined, after: after.head ?? undefined, unheard, notes };
  const { objectives } = plan;
  const { size, core } = (head.before?.text === head.after?.text ? null : applyHead(plan, head)) ?? {
    size: plan.size,
    core: objectives.core,
  };
  let proofs: readonly ProofChange[] = [];
  const requirements = apply('requirements', plan.requirements, (reading) => {
    const edited = applyRequirements(plan.requirements ?? [], reading, unheard, notes);
    proofs = edited.proofs;
    return filled(edited.requirements, plan.requirements);
  });
  const decisions = apply('decisions', plan.decisions, (reading) =>
    filled(applyDecisions(plan.decisions ?? [], reading, unheard, notes), plan.decisions),
  );
  const changes = apply('changes', objectives, (reading) => ({ ...objectives, ...applyObjectives(plan, reading) }));
  const mustNotDo = apply('mustNotDo', objectives.mustNotDo, (reading) => applyMustNots(objectives.mustNotDo, reading));
  const { assumptions: old, ...others } = plan.context;
  const assumptions = apply('assumptions', old, (reading) => applyAssumptions(old, reading));
  const context = apply<PlanContent['context']>('context', others, (reading) => applyContext(others, reading));
  const listed = {
    requirements,
    decisions,
    commits: apply('commits', plan.commits, (reading) =>
      filled(applyCommits(plan.commits ?? [], reading), plan.commits),
    ),
    risks: apply('risks', plan.risks, (reading) => filled(applyRisks(plan.risks ?? [], reading), plan.risks)),
    externalDependencies: apply('people', plan.externalDependencies, (reading) =>
      filled(applyNeeds(plan.externalDependencies ?? [], reading), plan.externalDependencies),
    ),
  };
  const made = {
    ...plan,
    ...listed,
    size,
    context: { ...plan.context, ...context, assumptions },
    objectives: { ...changes, core, mustNotDo },
  };
  return { plan: withoutUndefined({ ...made, context: withoutUndefined(made.context) }) as PlanContent, proofs };
}

/** Returns undefined for an empty list that the plan did not have before, so that the plan still leaves it out. */
function filled<T>(list: readonly T[], before: readonly T[] | undefined): readonly T[] | undefined {
  return list.length === 0 && before === undefined ? undefined : list;
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** The JSON pointers of each part's content. */
const POINTERS: Partial<Record<PlanPart, readonly string[]>> = {
  requirements: ['/requirements'],
  decisions: ['/decisions'],
  changes: ['/objectives/deliverables', '/objectives/definitionOfDone'],
  mustNotDo: ['/objectives/mustNotDo'],
  assumptions: ['/context/assumptions'],
  context: ['/context'],
  commits: ['/commits'],
  risks: ['/risks'],
  people: ['/externalDependencies'],
};

/** The content of the text above the first part: the size of the plan, from the title, and the objective. */
type Head = Pick<PlanContent, 'size'> & { core: string };

interface HeadText {
  line: number;
  name: string;
  size: string;
  core: { line: number; tokens: Token[] } | null;
}

/** Applies the edits to the head. Returns null if the edited head is refused. */
function applyHead(plan: PlanContent, { before, after, unheard, notes }: ReadBackPart): Head | null {
  if (after === undefined) {
    notes.refuse(1, 'the title, # Plan, is missing');
    return null;
  }
  const [was, is] = [readHead(before, unheard), readHead(after, notes)];
  if (is === null) return null;
  if (was !== null && is.name !== was.name) {
    notes.refuse(
      is.line,
      `the title of the plan is "# Plan${was.name}", optionally followed by its size: (small), (middle) or (large)`,
    );
  }
  notes.place('/size', is.line);
  if (is.core === null) {
    notes.refuse(is.line, 'the objective, one paragraph below the title, is missing');
    return null;
  }
  notes.place('/objectives/core', is.core.line);
  const { core } = plan.objectives;
  const size = was?.size === is.size ? plan.size : readSize(is.size);
  return {
    ...(size === undefined ? {} : { size }),
    core: applyText(is.core.tokens, was?.core?.tokens, core),
  };
}

function readSize(word: string): PlanContent['size'] {
  return word === 'small' || word === 'middle' || word === 'large' ? word : undefined;
}

const FORM = /^<!--\s*dev-cli\s+plan\s+2\s[\s\S]*-->$/;

function readHead(chunk: Chunk | undefined, notes: Notes): HeadText | null {
  if (chunk === undefined) return null;
  const { title, pieces, line }: ParsedChunk = parseChunk(chunk);
  const [, name = '', size = ''] = /^Plan(.*?)(?: \((small|middle|large)\))?$/.exec(writeTyped(title)) ?? ['', '\0'];
  let core: HeadText['core'] = null;
  for (const piece of pieces) {
    if (piece.kind === 'other' && piece.html !== undefined && FORM.test(piece.html)) continue;
    if (piece.kind === 'paragraph' && core === null) core = { line: piece.line, tokens: piece.tokens };
    else if (piece.kind === 'paragraph')
      notes.refuse(piece.line, 'the objective is one paragraph: put further text into a part below');
    else notes.refuse(piece.line, `${describePiece(piece)} is not allowed above the first part`);
  }
  return { line, name, size, core };
}
