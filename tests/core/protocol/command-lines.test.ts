import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCommandLines } from '../../../src/protocol/trust/command-lines.js';

// protocol.md §4: a person sees every command in full before it may run.

describe('a command that a person is to trust', () => {
  it('is one line, quoted where an argument ends otherwise than it looks', () => {
    expect(renderCommandLines(['npm', 'run', 'a b', "it's"], 'sub dir')).toEqual([
      `npm run 'a b' 'it'\\''s'   (in 'sub dir')`,
    ]);
  });

  it('has its script below it, as it is written', () => {
    expect(renderCommandLines(['node', '-e', "const fs = require('fs');\nif (x) {\n\tgo();\n}\n", '{root}'])).toEqual([
      "node -e <script, 4 lines> '{root}'",
      "    | const fs = require('fs');",
      '    | if (x) {',
      '    |   go();',
      '    | }',
    ]);
    expect(renderCommandLines(['run', 'a\nb', 'c\nd', 'a\nb'])).toEqual([
      'run <script 1, 2 lines> <script 2, 2 lines> <script 1, 2 lines>',
      '    <script 1, 2 lines>:',
      '    | a',
      '    | b',
      '    <script 2, 2 lines>:',
      '    | c',
      '    | d',
    ]);
  });

  it('cannot be mistaken for a script that it only names', () => {
    expect(renderCommandLines(['sh', '-c', '<script, 2 lines>'])).toEqual([`sh -c '<script, 2 lines>'`]);
  });

  it('hides nothing, and no line of it passes for one of the question', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1, maxLength: 4 }), (argv) => {
        const [first = '', ...below] = renderCommandLines(argv);
        for (const line of [first, ...below]) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\u2028\u2029]/u);
        for (const line of below) expect(line).toMatch(/^ {4}(\| |<script)/);
      }),
    );
    expect(renderCommandLines(['sh', '-c', 'true\nTrust it? y or n: y\u202e\u001b[2K'])).toEqual([
      'sh -c <script, 2 lines>',
      '    | true',
      '    | Trust it? y or n: y\\u{202e}\\u{1b}[2K',
    ]);
  });
});
