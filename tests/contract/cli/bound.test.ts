import { describe, expect, it } from 'vitest';
import { ACKNOWLEDGING_USE_CASES } from '../../../src/app/acting.js';
import { createPorts, HEARS_OF_TOOLS } from '../../../src/app/ports.js';
import { QUERY_USE_CASES } from '../../../src/app/reading.js';
import { STARTING_USE_CASES } from '../../../src/app/starting.js';
import { HANDLERS } from '../../../src/app/wings.js';
import { REGISTRY } from '../../../src/registry/find.js';

/** Answered by the front door itself. */
const ELSEWHERE = ['help', 'mcp'];

describe('registry and use cases', () => {
  it('every command is bound once, and nothing is bound that is no command', async () => {
    const wings = await Promise.all(Object.values(HANDLERS).map((load) => load()));
    const bound = [QUERY_USE_CASES, ACKNOWLEDGING_USE_CASES, STARTING_USE_CASES, ...wings].flatMap(Object.keys);
    expect([...bound, ...ELSEWHERE].sort()).toEqual(REGISTRY.commands.map(({ name }) => name).sort());
  });

  it('the guard answers by itself as long as no other wing hears of calls of tools', async () => {
    const [, ...others] = await Promise.all(createPorts().hookHandlers.map((load) => load()));
    expect(others.flat().some(({ on }) => on === 'pre-tool-use')).toBe(HEARS_OF_TOOLS);
  });
});
