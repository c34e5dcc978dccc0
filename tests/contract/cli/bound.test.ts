import { describe, expect, it } from 'vitest';
import { ALSO_HEARD, createPorts } from '../../../src/app/ports.js';
import { USE_CASES } from '../../../src/app/use-cases.js';
import { HANDLERS } from '../../../src/app/wings.js';
import { REGISTRY } from '../../../src/registry/find.js';

/** Commands that have no use case, because the front door (src/cli/front.ts) answers them itself. */
const ELSEWHERE = ['help', 'mcp'];

describe('registry and use cases', () => {
  it('every command is bound once, and nothing is bound that is no command', async () => {
    const wings = await Promise.all(Object.values(HANDLERS).map((load) => load()));
    const bound = [USE_CASES, ...wings].flatMap(Object.keys);
    expect([...bound, ...ELSEWHERE].sort()).toEqual(REGISTRY.commands.map(({ name }) => name).sort());
  });

  it('no program of its own answers an event that another wing hears of', async () => {
    // The hook program (app/hearing.ts) contains the handlers of the neutral contract, of harnesses and of memory. The
    // guard's program lacks those of memory, so memory must not handle the guard's event.
    const [, , memory, ...others] = await Promise.all(createPorts().hookHandlers.map((load) => load()));
    expect(new Set(others.flat().map(({ on }) => on))).toEqual(new Set(ALSO_HEARD));
    expect(memory?.map(({ on }) => on)).not.toContain('pre-tool-use');
  });
});
