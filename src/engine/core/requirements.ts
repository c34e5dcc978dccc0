import type { PlanAcceptance, PlanContent, PlanRequirement, PlanTodo } from '../../plan/model/schema.js';

/**
 * Judges whether requirements are met, by the acceptances that prove them (engine.md, Requirements at the end). Pure.
 */

/** The state of an acceptance at the end of the execution. */
export type ProofState =
  | 'holds'
  | 'fails'
  /** Nobody has judged it. */
  | 'open'
  /** Its command passed when its todo was judged, but was not run again on the final tree. */
  | 'unrepeated'
  /** It was judged, but files of its todo have changed since. */
  | 'outdated';

/** Returns the state of a todo's acceptance. */
export type ReadProof = (todo: PlanTodo, item: PlanAcceptance) => ProofState;

/** An earlier execution's finding that an acceptance holds. */
interface EarlierProof {
  /** When that execution ended. */
  at: string;
  /** Whether files of the todo have changed since. */
  changed: boolean;
}

/** Returns what an earlier execution found about an acceptance that proves the requirement; null if nothing. */
export type ReadEarlier = (requirement: PlanRequirement, todo: PlanTodo, item: PlanAcceptance) => EarlierProof | null;

/** An acceptance that proves a requirement, and its state. */
interface Proof {
  todo: string;
  item: PlanAcceptance;
  state: ProofState;
  /** The end of the earlier execution that found the acceptance to hold; unset if this execution judged it. */
  since?: string;
}

/** A requirement with its proofs and its result. */
export interface JudgedRequirement {
  requirement: PlanRequirement;
  proofs: Proof[];
  result: 'met' | 'not met' | 'open';
  /** The reason that the code review gave, if the code review decided. */
  why?: string;
}

/** The answers of a code review about requirements. */
export type ReviewedRequirements = readonly { id: string; met: boolean; why: string }[];

/**
 * Judges every requirement. A requirement is met when each acceptance that proves it holds, and not met when one of
 * them fails or the code review says so. If only assertions are unsettled, the code review can find the requirement
 * met; otherwise it stays open. For an acceptance that nobody has judged in this execution, an earlier execution's
 * finding counts.
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
  // The code review may stand in only for assertions. It cannot replace the result of a command or a person's word.
  const isReadable = proofs.every(({ item, state }) => state === 'holds' || item.kind === 'assertion');
  return said !== undefined && isReadable ? { result: 'met', why: said.why } : { result: 'open' };
}
