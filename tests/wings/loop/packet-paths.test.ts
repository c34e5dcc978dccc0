import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findHandedInPathFault, listChangeFaults, listHeaderFaults } from '../../../src/wings/loop/packets/findings.js';

/** Paths that handed-in work may touch, for any form of diff (loop-operations.md, Packets). */

const CLOSED = ['.git', '.ai', '.dev', '.GIT', '.Ai', '.dEv', '.git.', '.ai ', '.d\u200bev', '..'];
const plain = fc.stringMatching(/^[a-z][a-z .\\_-]{0,6}[a-z]$/).filter((name) => !name.includes('\\'));
const open = fc.array(plain, { minLength: 1, maxLength: 4 }).map((names) => names.join('/'));
const closed = fc
  .tuple(fc.array(plain, { maxLength: 2 }), fc.constantFrom(...CLOSED), fc.array(plain, { minLength: 1, maxLength: 2 }))
  .map(([before, name, after]) => [...before, name, ...after].join('/'));

/** Quotes a name as git does, with some bytes as octal numbers. */
const quote = (name: string, each: number): string =>
  `"${[...Buffer.from(name)].map((byte, at) => (at % each === 0 || byte > 127 ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte))).join('')}"`;

/** A hunk whose lines look like headers. */
const hunk = fc
  .array(
    fc.tuple(
      fc.constantFrom(' ', '+', '-'),
      fc.constantFrom('-- a/.ai/x', '++ b/.git/x', '@@ -1 +1 @@', '', 'rename to .dev/x'),
    ),
  )
  .map((lines) => {
    const count = (sign: string) => lines.filter(([kind]) => kind === ' ' || kind === sign).length;
    return [`@@ -1,${count('-')} +1,${count('+')} @@`, ...lines.map((line) => line.join(''))];
  });

describe('the paths of work that is handed in', () => {
  it('are open, whatever their names, but for what is closed in any case, at any depth', () => {
    fc.assert(fc.property(open, (path) => findHandedInPathFault(path) === null));
    fc.assert(fc.property(closed, (path) => findHandedInPathFault(path) !== null));
    fc.assert(fc.property(open, (path) => findHandedInPathFault(`/${path}`) === 'leaves the tree'));
  });

  it('are read of headers alone, not of what hunks hold', () => {
    fc.assert(
      fc.property(open, hunk, (path, lines) => {
        const diff = [`diff --git a/${path} b/${path}`, `--- a/${path}`, `+++ b/${path}`, ...lines].join('\n');
        expect(listHeaderFaults(diff)).toEqual([]);
      }),
    );
  });

  it('are found in every header, quoted or not, behind any hunk', () => {
    const headers = ['--- a/', '+++ b/', 'rename from ', 'rename to ', 'copy from ', 'copy to ', '--- ', '+++ '];
    const named = fc.tuple(fc.constantFrom(...headers), fc.integer({ min: 0, max: 3 }));
    fc.assert(
      fc.property(closed, hunk, named, (path, lines, [header, each]) => {
        const [, sign = '', prefix = ''] = /^(.* )(.*)$/.exec(header) ?? [];
        const name = each === 0 ? `${prefix}${path}` : quote(`${prefix}${path}`, each);
        expect(listHeaderFaults([...lines, `${sign}${name}`, ''].join('\n'))).toHaveLength(1);
      }),
    );
  });

  it('end where a new link leads', () => {
    const plain = { isSubmodule: false };
    fc.assert(
      fc.property(
        open,
        closed.filter((name) => !name.includes('..')),
        (path, target) => {
          const up = '../'.repeat(path.split('/').length - 1);
          expect(listChangeFaults([{ ...plain, path, link: `${up}${target}` }])).toHaveLength(1);
          expect(listChangeFaults([{ ...plain, path, link: `${up}../x` }])).toHaveLength(1);
          expect(listChangeFaults([{ ...plain, path, link: 'x' }])).toEqual([]);
          // A link through a directory and back by `..` is refused, because the directory may itself be a link.
          expect(listChangeFaults([{ ...plain, path, link: 's/../x' }])).toHaveLength(1);
          expect(listChangeFaults([{ path, link: null, isSubmodule: true }])).toHaveLength(1);
        },
      ),
    );
  });
});
