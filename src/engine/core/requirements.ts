import type { PlanAcceptance, PlanContent, PlanRequirement, PlanTodo } from '../../documents/plan-schema.js';

/** Whether requirements are met, judged by what proves them (engine.md, Requirements at the end). Pure. */

/** What is known of an acceptance at the end. */
export type ProofState =
  | 'holds'
  | 'fails'
  /** Nobody has judged it, or not on the final tree. */
  | 'open'
  /** It was judged, and files of its todo changed since. */
  | 'outdated';

/** What is known of every acceptance. */
export type ReadProof = (todo: PlanTodo, item: PlanAcceptance) => ProofState;

/** An acceptance that proves a requirement. */
interface Proof {
  todo: string;
  item: PlanAcceptance;
  state: ProofState;
}

/** A requirement, with what proves it. */
export interface JudgedRequirement {
  requirement: PlanRequirement;
  proofs: Proof[];
  result: 'met' | 'not met' | 'open';
  /** What the code review says, where it decided. */
  why?: string;
}

/** What a code review says of requirements. */
export type ReviewedRequirements = readonly { id: string; met: boolean; why: string }[];

/**
 * Judges every requirement: one is met when each acceptance that proves it holds, not met when one of them fails. Where
 * that is open, the code review stands in; without it the requirement is open.
 */
export function judgeRequirements(
  { requirements = [], todos }: Pick<PlanContent, 'requirements' | 'todos'>,
  readProof: ReadProof,
  reviewed: ReviewedRequirements,
): JudgedRequirement[] {
  const byRequirement = new Map<string, Proof[]>(requirements.map(({ id }) => [id, []]));
  for (const todo of todos) {
    for (const item of todo.acceptance) {
      const state = (item.proves ?? []).length === 0 ? null : readProof(todo, item);
      if (state === null) continue;
      for (const id of item.proves ?? []) byRequirement.get(id)?.push({ todo: todo.id, item, state });
    }
  }
  return requirements.map((requirement) => {
    const proofs = byRequirement.get(requirement.id) ?? [];
    const said = reviewed.find(({ id }) => id === requirement.id);
    return { requirement, proofs, ...decide(proofs, said) };
  });
}

function decide(
  proofs: readonly Proof[],
  said: ReviewedRequirements[number] | undefined,
): Pick<JudgedRequirement, 'result' | 'why'> {
  if (proofs.some(({ state }) => state === 'fails')) return { result: 'not met' };
  if (said !== undefined && !said.met) return { result: 'not met', why: said.why };
  if (proofs.length > 0 && proofs.every(({ state }) => state === 'holds')) return { result: 'met' };
  // What a command or a person has to say is not for a reader to say in their place.
  const isReadable = proofs.every(({ item, state }) => state === 'holds' || item.kind === 'assertion');
  return said !== undefined && isReadable ? { result: 'met', why: said.why } : { result: 'open' };
}
