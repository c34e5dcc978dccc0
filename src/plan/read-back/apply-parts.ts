import type { PlanContent } from '../model/schema.js';
import { applyAssumptions, applyContext } from './apply-context.js';
import { applyHead } from './apply-head.js';
import { applyChanges, applyCommits, applyMustNots, applyNeeds, applyRisks, type Reading } from './apply-lists.js';
import { applyDecisions, applyRequirements, type ProofChange } from './apply-tables.js';
import type { Notes } from './fault.js';
import type { PlanPart, PlanText } from './parts.js';

/** The two texts, cut, and what is found in them. */
export interface BothTexts {
  before: PlanText;
  after: PlanText;
  /** For what is found in the rendered text: nobody typed it. */
  unheard: Notes;
  notes: Notes;
}

/** Applies the edits of all parts but the todos. */
export function applyParts(
  plan: PlanContent,
  { before, after, unheard, notes }: BothTexts,
): { plan: PlanContent; proofs: readonly ProofChange[] } {
  const apply = <T>(part: PlanPart, old: T, edit: (reading: Reading) => T): T => {
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
  const changes = apply('changes', objectives, (reading) => ({ ...objectives, ...applyChanges(plan, reading) }));
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

/** An empty list is none where there was none. */
function filled<T>(list: readonly T[], before: readonly T[] | undefined): readonly T[] | undefined {
  return list.length === 0 && before === undefined ? undefined : list;
}

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));
}

/** What a part says, as JSON pointers. */
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
