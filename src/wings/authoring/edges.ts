import { BLOCK_KINDS } from '../../machine/block-kinds.js';
import { compileProgram } from '../../machine/config.js';
import type { Effect } from '../../machine/events.js';
import type { TransitionConfig } from '../../machine/machine-config.js';
import { findRestingState, getStateKey } from '../../machine/position.js';
import type { Program, ProgramBlock } from '../../machine/program.js';
import type { CapturedRecipe } from '../../recipe/captured.js';
import { hasTrait } from '../../recipe/declared.js';
import type { ResolvedBlock, ResolvedRecipe } from '../../recipe/resolved.js';
import type { MachineDecision } from '../../run/simulation.js';
import { listPhaseEdges, listTakenPhases } from './phase-edges.js';
import { listStageEdges, nameStage } from './stage-edges.js';

/**
 * Gives a recipe's transitions readable names, and finds those that a rehearsal has taken (authoring.md, Coverage). All
 * transitions are derived from the compiled machine.
 */

/**
 * Lists the transitions that tests have to cover: of a workflow, those between its phases; otherwise those of blocks
 * and stages.
 */
export function listEdges({ recipe, workflow }: CapturedRecipe): string[] {
  if (workflow !== undefined) return [...new Set(listPhaseEdges(workflow))];
  return [...new Set([...listBlockWays(recipe).map(({ name }) => name), ...listStageEdges(recipe)])];
}

/** Lists the transitions that decisions have taken; ignores decisions about any recipe other than `captured`. */
export function listTaken({ recipe, workflow }: CapturedRecipe, decided: readonly MachineDecision[]): string[] {
  if (workflow !== undefined) return listTakenPhases(workflow, decided);
  return decided.flatMap((one) => nameTaken(recipe, one));
}

function nameTaken(recipe: ResolvedRecipe, one: MachineDecision): string[] {
  switch (one.kind) {
    case 'workflow':
      return [];
    case 'recipe':
      return one.recipe === recipe.name ? listTakenBlocks(recipe.program, one) : [];
    case 'stage':
      return [`${recipe.engine === undefined ? one.stage : nameStage(recipe.engine, one.stage)}: ${one.outcome}`];
    case 'todo':
      return one.outcome === 'done' ? [] : [`todo: ${one.outcome}`];
  }
}

/** A transition of a block. */
export interface BlockWay {
  block: string;
  /** Its name in coverage: `review: not passed → plan`. */
  name: string;
  /** What happened: `done`, `chose revise`, `at its bound, chose more`. */
  what: string;
  /** Its target state in the compiled machine. */
  target: string;
}

/** Lists the transitions of a recipe's blocks that can occur, in the order of the machine. */
export function listBlockWays({ program, blocks }: ResolvedRecipe): BlockWay[] {
  const config = compileProgram(program);
  return program.blocks.flatMap((block) => {
    if (block.standsForInit === true) return [];
    const state = config.states[getStateKey(block.id)];
    const [unmet, begun] = block.when === undefined ? [] : (state?.states?.['entering']?.always ?? []);
    const entering = [
      ...(begun === undefined ? [] : [buildEntryWay(block, 'begun', begun)]),
      ...(unmet === undefined ? [] : [buildEntryWay(block, 'skipped', unmet)]),
    ];
    const inside = ['active', 'bound'].flatMap((at) =>
      // No recipe can cause HALT: it ends a run, for example, because somebody changed sources that must stay
      // unchanged.
      Object.entries(state?.states?.[at]?.on ?? {}).flatMap(([event, transitions]) =>
        event === 'HALT' || (event === 'FAIL' && cannotFail(block, at))
          ? []
          : transitions.map((transition) => buildWay(block.id, at, event, transition)),
      ),
    );
    const isCertain = failsOnlyWhenDamaged(blocks.find(({ id }) => id === block.id));
    return [...entering, ...inside].filter(({ name }) => !(isCertain && name === `${block.id}: failed → halted`));
  });
}

/**
 * Returns whether a block never fails. A gate can only be answered; and when a command with `revise` fails, that counts
 * as a round that was not passed.
 */
function cannotFail({ kind, revise }: ProgramBlock, at: string): boolean {
  const { by } = BLOCK_KINDS[kind];
  return by === 'person' || at === 'bound' || (by === 'cli' && revise !== undefined);
}

/**
 * Returns whether a block is one of dev-cli's own commands and halts on failure. Only a damaged document can make such
 * a command fail, which no test of a recipe has to cover.
 */
function failsOnlyWhenDamaged(block: ResolvedBlock | undefined): boolean {
  if (block === undefined || !hasTrait(block, 'by', 'cli')) return false;
  return block.onError.kind === 'halt' && block.revise === undefined && block.command.kind === 'own';
}

const nameEntry = ({ id }: Pick<ProgramBlock, 'id'>, how: 'begun' | 'skipped') => `${id}: ${how}`;

const WORDS: Readonly<Record<string, string>> = { DONE: 'done', ROUND: 'not passed', FAIL: 'failed', HALT: 'failed' };

function buildEntryWay({ id }: ProgramBlock, what: 'begun' | 'skipped', { target }: TransitionConfig): BlockWay {
  return { block: id, name: nameEntry({ id }, what), what, target };
}

function buildWay(block: string, at: string, event: string, { guard, target }: TransitionConfig): BlockWay {
  const chosen = guard?.type === 'chose' || guard?.type === 'choseBack' ? guard.params.choice : undefined;
  const word = event === 'CHOOSE' ? `chose ${chosen ?? ''}` : (WORDS[event] ?? event);
  const what = `${at === 'bound' ? 'at its bound, ' : ''}${word}`;
  return { block, name: `${block}: ${what} → ${nameTarget(block, target)}`, what, target };
}

/**
 * Names a transition's target: `plan` for `#program.block-plan.active`, `halted` for a halted state. The block's own
 * `active` state becomes `again`; its own `bound` state, in which its rounds are used up, becomes `its bound`.
 */
function nameTarget(block: string, target: string): string {
  const [, state = '', inside] = target.split('.');
  const id = state.replace(/^block-/, '');
  if (inside === 'halted') return 'halted';
  if (inside === 'bound' && id === block) return 'its bound';
  return inside === 'active' && id === block ? 'again' : id;
}

type Taken = Extract<MachineDecision, { kind: 'recipe' }>;

/**
 * Lists the transitions that one event caused: the one out of the block where it occurred, and those into later blocks.
 */
function listTakenBlocks(program: Program, { from, event, effects }: Taken): string[] {
  const place = from === null ? null : findRestingState(from);
  const entered = effects.flatMap((effect) => {
    const block = 'block' in effect ? program.blocks.find(({ id }) => id === effect.block) : undefined;
    if (block?.when === undefined) return [];
    if (effect.type === 'settle') return effect.status === 'skipped' ? [nameEntry(block, 'skipped')] : [];
    return 'cause' in effect && effect.cause === 'enter' ? [nameEntry(block, 'begun')] : [];
  });
  if (place === null || event.type === 'INVALIDATE' || event.type === 'ABORT') return entered;
  const states = compileProgram(program).states[getStateKey(place.block)]?.states ?? {};
  const candidates = states[place.state]?.on?.[event.type] ?? [];
  const taken = candidates.find(
    (transition) => fitsChoice(transition, event) && fitsEffects(program, place.block, transition, effects),
  );
  return taken === undefined ? entered : [buildWay(place.block, place.state, event.type, taken).name, ...entered];
}

function fitsChoice({ guard }: TransitionConfig, event: Taken['event']): boolean {
  if (guard?.type !== 'chose' && guard?.type !== 'choseBack') return true;
  return event.type === 'CHOOSE' && event.choice === guard.params.choice;
}

/**
 * Returns whether a transition can have caused these effects: they begin with the effects that the transition
 * prescribes, and halt the run if and only if it does.
 */
function fitsEffects(
  program: Program,
  block: string,
  { target, actions }: TransitionConfig,
  effects: readonly Effect[],
): boolean {
  const wanted = actions.filter(({ type }) => ['settle', 'issue', 'execute', 'engine', 'retract'].includes(type));
  const fits = wanted.every(({ type, params }, index) => {
    const effect = effects[index];
    if (type === 'retract') return effect?.type === 'stale';
    if (effect?.type !== type || !('block' in params) || !('block' in effect)) return false;
    if (params.block !== effect.block) return false;
    if (effect.type === 'settle') return 'status' in params && params.status === effect.status;
    return 'cause' in params && 'cause' in effect && params.cause === effect.cause;
  });
  const halts = nameTarget(block, target) === 'halted';
  const rest = effects[wanted.length];
  return fits && halts === (rest?.type === 'end' && rest.outcome === 'halted' && program.blocks.length > 0);
}
