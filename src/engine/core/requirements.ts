import type { PlanAcceptance, PlanContent, PlanRequirement, PlanTodo } from '../../plan/model/schema.js';

/** Whether requirements are met, judged by what proves them (engine.md, Requirements at the end). Pure. */

/** What is known of an acceptance at the end. */
export type ProofState =
  | 'holds'
  | 'fails'
  /** Nobody has judged it. */
  | 'open'
  /** Its command passed when its todo was judged, and was not run on the final tree. */
  | 'unrepeated'
  /** It was judged, and files of its todo changed since. */
  | 'outdated';

/** What is known of every acceptance. */
export type ReadProof = (todo: PlanTodo, item: PlanAcceptance) => ProofState;

/** An execution before has found the acceptance to hold. */
interface EarlierProof {
  /** When that execution ended. */
  at: string;
  /** Files of the todo have changed since. */
  changed: boolean;
}

/** Finds what an earlier execution knew of an acceptance as a proof of the requirement. */
export type ReadEarlier = (requirement: PlanRequirement, todo: PlanTodo, item: PlanAcceptance) => EarlierProof | null;

/** An acceptance that proves a requirement. */
interface Proof {
  todo: string;
  item: PlanAcceptance;
  state: ProofState;
  /** It holds by what was found in the execution that ended then. */
  since?: string;
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
 * that is open, the code review stands in; without it the requirement is open. What nobody has judged in this execution
 * holds as an earlier one has found it.
 */
export function judgeRequirements(
  { requirements = [], todos }: Pick<PlanContent, 'requirements' | 'todos'>,
  readProof: ReadProof,
  reviewed: ReviewedRequirements,
  readEarlier: ReadEarlier = () => null,
): JudgedRequirement[] {
  const known = new Map(requirements.map((requirement) => [requirement.id, { requirement, proofs: [] as Proof[] }]));
  for (const todo of todos) {
    for (const item of todo.acceptance.filter(({ proves = [] }) => proves.length > 0)) {
      const state = readProof(todo, item);
      for (const { requirement, proofs } of (item.proves ?? []).flatMap((id) => known.get(id) ?? [])) {
        const earlier = state === 'open' || state === 'unrepeated' ? readEarlier(requirement, todo, item) : null;
        proofs.push({ todo: todo.id, item, ...decideProof(state, earlier) });
      }
    }
  }
  return requirements.map((requirement) => {
    const proofs = known.get(requirement.id)?.proofs ?? [];
    const said = reviewed.find(({ id }) => id === requirement.id);
    return { requirement, proofs, ...decide(proofs, said) };
  });
}

function decideProof(state: ProofState, earlier: EarlierProof | null): Pick<Proof, 'state' | 'since'> {
  if (earlier === null) return { state };
  return earlier.changed ? { state: 'outdated' } : { state: 'holds', since: earlier.at };
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
