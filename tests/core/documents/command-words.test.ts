import { describe, expect, it } from 'vitest';
import { quoteLastLines } from '../../../src/documents/command-words.js';

// protocol.md §4: the line that says how a command ended.

describe('the last lines of an output', () => {
  it.each([
    ['a\n\n b \nc\n', '"b" "c"'],
    ['', ''],
    ['1 failed\nnpm notice\nnpm notice To update run: npm install -g npm\n', '"1 failed"'],
    ['> a@1 test\nnpm error Missing script: x\nnpm notice new\n', '"> a@1 test" "npm error Missing script: x"'],
    ['npm notice\nnpm notice new\n', '"npm notice" "npm notice new"'],
  ])('of %j are %s', (output, quoted) => {
    expect(quoteLastLines(output)).toBe(quoted);
  });
});
