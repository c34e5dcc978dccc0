import { describe, expect, it } from 'vitest';
import { asksForAutopilot } from '../../../src/protocol/trust/autopilot.js';

describe('a prompt that asks for autopilot (harness.md, Human gates)', () => {
  it.each([
    '/execute build --autopilot',
    '/specify add-auth --autopilot Add JWT auth. It must not be slow.',
    '--autopilot',
    'Autopilot!',
    'autopilot, please',
    'Carry the plan out in autopilot, please.',
    'Work on it on auto-pilot.',
    'Use autopilot mode: I am away.',
    'Plan and build this in autopilot: add `x` to src/a.ts',
    'Mach das im Autopilot.',
    'Fix src/a.ts.\nThen run the rest in autopilot',
  ])('%j', (prompt) => expect(asksForAutopilot(prompt)).toBe(true));

  it.each([
    'Please do NOT use autopilot here.',
    "Don't work in autopilot.",
    'Without autopilot, please.',
    'Ask me instead of going on in autopilot.',
    'Nicht im Autopilot!',
    'Fix the bug in src/autopilot.ts',
    'Fix the bug in autopilot.ts',
    'please read autopilot.md',
    'Rename autopilot-page to x',
    'Remove --autopilot-old from the docs',
    'What happens in autopilot?',
    'Document the flag `--autopilot`.',
    'The page says "work in autopilot". Mend it.',
    '> in autopilot\nIs that so',
    '```\ndev-cli init x --autopilot\n```\nExplain that.',
    'Write about the autopilot of aircraft.',
    'Carry it out.',
    '',
  ])('not %j', (prompt) => expect(asksForAutopilot(prompt)).toBe(false));
});
