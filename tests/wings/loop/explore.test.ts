import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTest, LANGUAGES, nameForImports } from '../../../src/wings/loop/explore/imports.js';
import { buildSearchPatterns, listTerms, rankLines } from '../../../src/wings/loop/explore/terms.js';

// loop-operations.md, Explore: its pure functions.

describe('the terms of a question', () => {
  it.each([
    ['Where is parseConfigFile used?', ['where', 'parseconfigfile', 'parse', 'config', 'file', 'used']],
    ['max_open_HTTPServers', ['max_open_httpservers', 'max', 'open', 'http', 'servers']],
    ['a b', ['a', 'b']],
    ['a login', ['login']],
    ['do we log in?', ['log']],
    ['do it', ['do', 'it']],
    ['Где ПОИСК поиск', ['где', 'поиск']],
    ['تسجيل الدخول', ['تسجيل', 'الدخول']],
    ['登录失败', ['登录', '失败']],
    ['ภาษาไทย', ['ภาษา', 'ไทย']],
    [' \u0000 …?!', []],
  ])('of %j', (question, terms) => {
    expect(listTerms(question)).toEqual(terms);
  });

  it('are bounded, each once, and lower-cased', () => {
    expect(listTerms('word77 '.repeat(20_000))).toEqual(['word77']);
    expect(listTerms('x'.repeat(100_000))).toEqual(['x'.repeat(80)]);
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 400 }), (question) => {
        const terms = listTerms(question);
        expect(terms.length).toBeLessThanOrEqual(32);
        expect(new Set(terms).size).toBe(terms.length);
        expect(terms.filter((term) => /^\s*$/.test(term))).toEqual([]);
      }),
    );
  });

  it('are searched for in the cases that git does not know to be one, and none within another', () => {
    expect(buildSearchPatterns(['parseconfig', 'parse', 'поиск'])).toEqual(
      expect.arrayContaining(['parse', 'Поиск', 'ПОИСК']),
    );
    expect(buildSearchPatterns(['parseconfig', 'parse'])).not.toContain('parseconfig');
  });
});

describe('lines', () => {
  const file = (...texts: string[]) => texts.map((text, n) => ({ line: n + 1, text }));

  it('come with the rarest terms first, without what a third of the files have', () => {
    const found = new Map([
      ['a', file('the', 'the login', 'login lease')],
      ['b', file('THE Login')],
      ['c', file('the')],
    ]);
    const { terms, dropped, matches } = rankLines(['the', 'login', 'lease'], found, 9, 3);
    expect([terms, dropped]).toEqual([['lease', 'login'], ['the']]);
    expect(matches.map(({ path, line, terms: own }) => [path, line, ...own])).toEqual([
      ['a', 3, 'lease', 'login'],
      ['a', 2, 'login'],
      ['b', 1, 'login'],
    ]);
    expect(rankLines(['the', 'none'], found, 3, 9).matches).toHaveLength(4);
  });
});

describe('imports', () => {
  const files = new Set([
    ...['src/a.ts', 'src/lib/index.ts', 'src/lib/x.d.ts', 'src/view.tsx', 'src/old.js', 'index.js', 'data.json'],
    ...['pkg/__init__.py', 'pkg/mod.py', 'pkg/sub/__init__.py', 'pkg/sub/deep.py', 'src/other/app.py', 'tool.py'],
  ]);
  const imported = (importer: string, code: string) => {
    const lines = code.split('\n').map((text, n) => ({ line: n + 1, text }));
    const language = LANGUAGES.find(({ ends }) => (ends as readonly string[]).some((end) => importer.endsWith(end)));
    return (language?.listImported(importer, lines) ?? []).flatMap((all) => all.find((one) => files.has(one)) ?? []);
  };

  it.each([
    ["import { a } from './a.js';", ['src/a.ts']],
    ["export * from './lib'; import './lib/x'", ['src/lib/index.ts', 'src/lib/x.d.ts']],
    ["const a = require('./a'), d = require('../data.json');", ['src/a.ts', 'data.json']],
    ['lazy(() => import(/* chunk */ "./view.jsx?raw"));', ['src/view.tsx']],
    ["await import(\n  './old.js'\n)", ['src/old.js']],
    ["import x from '..'", ['index.js']],
    ["import x from '../../a.js'; import y from 'a'; // from './b'", []],
    ["// import { a } from './a.js'", []],
  ])('in TypeScript and JavaScript: %j', (code, expected) => {
    expect(imported('src/main.ts', code)).toEqual(expected);
  });

  it.each([
    ['pkg/main.py', 'from . import mod', ['pkg/__init__.py', 'pkg/mod.py']],
    ['pkg/sub/b.py', 'from ..mod import f as g', ['pkg/mod.py']],
    ['pkg/sub/b.py', 'from .deep import (\n  f,\n)', ['pkg/sub/deep.py']],
    ['main.py', 'import os, pkg.mod as m', ['pkg/mod.py']],
    ['main.py', 'from pkg.sub import (  # these\n    deep,\n)\nmod(', ['pkg/sub/__init__.py', 'pkg/sub/deep.py']],
    ['tests/test_app.py', 'from other.app import main', ['src/other/app.py']],
    ['main.py', 'from .... import tool', []],
  ])('in Python: %s, %j', (importer, code, expected) => {
    expect(imported(importer, code)).toEqual(expected);
  });

  it('are found by patterns that take names literally', () => {
    const names = nameForImports(['a/b+c.test.ts', 'lib/index.ts', '.env', 'x/^y.ts', 'l\nf.ts']);
    expect(names).toBe('b\\+c\\.test|index|lib|\\.env|\\^y');
  });

  it('of tests are told by the path', () => {
    const tests = ['tests/a.ts', 'a/__tests__/b.js', 'a.spec.ts', 'b_test.py', 'c/test_x.py'];
    expect([...tests, 'a.ts', 'latest/a.ts', 'docs/spec/a.md', 'contest.py'].filter(isTest)).toEqual(tests);
  });
});
