import type { EngineEffect } from '../../core/events.js';

type EngineGate = Extract<EngineEffect, { type: 'gate' }>;

/** Returns the key of a gate's decision in `gates`. */
export function getGateKey({ todo, stage, part }: Pick<EngineGate, 'todo' | 'stage' | 'part'>): string {
  if (todo === null) return stage;
  if (part === 'human') return todo;
  return part === 'question' ? `${todo}/question` : `${todo}/${stage}`;
}
