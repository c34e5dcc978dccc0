import { describe, expect, it } from 'vitest';
import { quoteLastLines } from '../../../src/documents/command-words.js';

// protocol.md §4: the line that says how a command ended.

describe('the last lines of an output', () => {
  it.each([
    ['a\n\n b \nc\n', '"b" "c"'],
    ['', ''],
    ['1 failed\nnpm notice\nnpm notice To update run: npm install -g npm\nnpm error code 1\n', '"1 failed"'],
    ['npm error Missing script: "test"\nnpm error\n', '"npm error Missing script: "test"" "npm error"'],
  ])('of %j are %s', (output, quoted) => {
    expect(quoteLastLines(output)).toBe(quoted);
  });
});
