import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findOrder } from '../../../src/wings/plan-import/commands/orders.js';
import { CHECKOUT } from '../../support/project.mjs';

// plans-from-elsewhere.md, What becomes of what: Orders. The fixtures have one command per line, as plans write it.

const listLines = (name: string): string[] =>
  readFileSync(join(CHECKOUT, 'tests/fixtures/plan-commands', name), 'utf8')
    .trimEnd()
    .split('\n');

describe('commands that only check', () => {
  it.each(listLines('checks.txt'))('%s', (line) => {
    expect(findOrder(line)).toBeNull();
  });
});

describe('commands that do something, do not end, or hide what they start', () => {
  it.each(listLines('orders.txt'))('%s', (line) => {
    expect(findOrder(line)).not.toBeNull();
  });
});
