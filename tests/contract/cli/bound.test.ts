import { describe, expect, it } from 'vitest';
import { ACTING } from '../../../src/app/acting.js';
import { READING } from '../../../src/app/reading.js';
import { STARTING } from '../../../src/app/starting.js';
import { REGISTRY } from '../../../src/registry/find.js';

/** Answered by the front door itself. */
const ELSEWHERE = ['help'];

describe('registry and use cases', () => {
  it('every command is bound once, and nothing is bound that is no command', () => {
    const bound = [READING, ACTING, STARTING].flatMap((group) => Object.keys(group));
    expect([...bound, ...ELSEWHERE].sort()).toEqual(REGISTRY.commands.map(({ name }) => name).sort());
  });
});
