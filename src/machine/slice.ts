import type { MachineEvent } from './events.js';
import type { MachineConfig, StateConfig, TransitionConfig } from './machine-config.js';
import { type BlockState, getStateKey } from './position.js';

/** Where a run rests; null before the first block. */
export type RestingState = { block: string; state: BlockState } | null;

/**
 * Cuts out the part of a compiled program that one event can reach: the resting state, its transitions for the event,
 * and the states on the way to the next resting state. XState builds a node for every state before the first step,
 * which for a whole recipe would take longer than the rest of an acknowledgement (house.md, Speed).
 * @param event START if `resting` is null
 */
export function sliceMachine(
  whole: MachineConfig,
  resting: RestingState,
  event: MachineEvent | { type: 'START' },
): MachineConfig {
  const states: Record<string, StateConfig> = { ready: {} };

  function take(key: string, name: string | undefined, part: (all: StateConfig) => StateConfig): void {
    const found = whole.states[key] as StateConfig;
    if (found.states === undefined) {
      states[key] = part(found);
      return;
    }
    const sub = name ?? (found.initial as string);
    const here = states[key] ?? { initial: sub, states: {} };
    states[key] = here;
    const kept = here.states as Record<string, StateConfig>;
    // A target that names no substate enters the block through its initial state.
    if (name === undefined) here.initial = sub;
    if (sub in kept) return;
    kept[sub] = part(found.states[sub] as StateConfig);
    follow(kept[sub].always);
  }

  function follow(ways: readonly TransitionConfig[] = []): void {
    for (const { target } of ways) {
      const [, key = '', name] = target.split('.');
      take(key, name, dropEvents);
    }
  }

  const onlyThis = (on: StateConfig['on'] = {}) => ({ [event.type]: (on[event.type] ?? []).filter(isMeant(event)) });
  const on = onlyThis(whole.on);
  const [key, name] = resting === null ? ['ready', undefined] : [getStateKey(resting.block), resting.state];
  const found: { ways?: TransitionConfig[] } = {};
  take(key, name, (state) => {
    const kept = onlyThis(state.on);
    found.ways = kept[event.type] ?? [];
    return { ...dropEvents(state), on: kept };
  });
  follow(found.ways);
  follow(on[event.type]);
  return { ...whole, states, on };
}

function dropEvents({ on: _, ...state }: StateConfig): StateConfig {
  return state;
}

/** Creates a filter that, for INVALIDATE, keeps only the transition to the block that the event names. */
function isMeant(event: MachineEvent | { type: 'START' }): (way: TransitionConfig) => boolean {
  return ({ guard }) =>
    event.type !== 'INVALIDATE' || guard?.type !== 'invalidates' || guard.params.block === event.block;
}
