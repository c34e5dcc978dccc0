import { describe, expect, it } from 'vitest';
import { HANDOFF_SECTIONS, type HandoffFile, renderHandoffFile } from '../../../src/documents/handoff-file.js';
import { addBookEntry, EMPTY_BOOK } from '../../../src/wings/memory/book.js';
import type { Book, Entries, EntryKind } from '../../../src/wings/memory/book-schema.js';
import { buildContext, fitContext, renderContext } from '../../../src/wings/memory/context.js';
import { buildHandoff, buildHandoffFile, type HandoffInput } from '../../../src/wings/memory/handoff.js';
import { renderRegion } from '../../../src/wings/memory/handoff-region.js';
import { buildPicture, judgeStatus, type PictureSources } from '../../../src/wings/memory/picture.js';

// memory.md, Truth; Handoff; Context: the picture of the work, the handoff and the context, built without files.

const at = (minute: number) => `2026-11-27T01:${`${minute}`.padStart(2, '0')}:00.000Z`;
const stamp = (minute: number, branch: string | null = 'main') => ({
  at: at(minute),
  by: { kind: 'agent', via: 'cli' } as const,
  branch,
  head: 'a'.repeat(40),
});

type Given = {
  [K in EntryKind]: [kind: K, entry: Omit<Entries[K], 'at' | 'by' | 'branch' | 'head'>, branch?: string];
}[EntryKind];

function bookOf(...entries: Given[]): Book {
  return entries.reduce<Book>((book, [kind, entry, branch], index) => {
    const whole = { ...entry, ...stamp(index, branch) } as Entries[EntryKind];
    return addBookEntry<EntryKind>(book, kind, whole, index + 1).book;
  }, EMPTY_BOOK);
}

const ran = (command: string, outcome: 'passed' | 'failed' = 'passed', content: string | null = 'now'): Given => [
  'verification',
  { command, result: outcome, outcome, how: 'ran', content },
];
const told = (command: string): Given => [
  'verification',
  { command, result: 'ok', outcome: 'passed', how: 'told', content: 'now' },
];

const SOURCES: PictureSources = {
  book: EMPTY_BOOK,
  facts: [],
  place: { branch: 'main', head: 'a'.repeat(40) },
  present: { head: 'a'.repeat(40), branch: 'main', dirty: {} },
  commits: [],
  elsewhere: [],
  content: 'now',
  handoff: null,
  runs: [],
  waiting: [],
  warnings: [],
};
const EMPTY = Object.fromEntries(HANDOFF_SECTIONS.map((one) => [one, []])) as unknown as HandoffFile['sections'];
const HANDOFF: HandoffFile = {
  ...{ timestamp: '2026-11-27T01:30:00+00:00', status: 'failed', goalId: 'shop' },
  sections: { ...EMPTY, Next: ['Pay'], 'Key Decisions': ['Use Redis — fast'], Tried: ['A cache'], Done: ['The cart'] },
};
const run = (state: string) => ({
  ...{ name: 'cart', recipe: 'specify', state, where: 'ask', updated: at(1), goal: 'Build the cart' },
});
const SAID: HandoffInput = {
  timestamp: '2026-11-27T02:00:00+01:00',
  source: 'file_fallback',
  goal: null,
  saysNext: false,
};

const picture = (more: Partial<PictureSources> = {}) => buildPicture({ ...SOURCES, ...more });
const statusOf = (more: Partial<PictureSources>) => judgeStatus(picture(more)).status;

describe('the aim', () => {
  const decided = bookOf(['decision', { text: 'Here' }], ['decision', { text: 'There', reason: 'why' }, 'other']);
  const facts = [{ kind: 'request', text: 'Please\n build it', at: at(1) }];

  it('is the newest decision of this branch, else of any, then the goal of the live run, then the last request', () => {
    const others = { facts, runs: [run('halted'), run('live')] };
    expect(picture({ book: decided, ...others }).intent).toEqual({ text: 'Here', source: 'decision', id: 'm1' });
    const elsewhere = { branch: 'new', head: null };
    const named = { text: 'There', reason: 'why', source: 'decision', id: 'm2', branch: 'other' };
    expect(picture({ book: decided, ...others, place: elsewhere }).intent).toEqual(named);
    expect(picture(others).intent).toEqual({ text: 'Build the cart', source: 'run' });
    expect(picture({ facts }).intent).toEqual({ text: 'Please build it', source: 'request' });
    expect(picture({ commits: [{ sha: 'b', at: at(1), subject: 'Use Redis' }] }).intent).toBeNull();
  });

  it('is none that was superseded', () => {
    const book = bookOf(['decision', { text: 'B', supersedes: 'm2' }, 'other'], ['decision', { text: 'A' }]);
    expect(picture({ book }).intent).toMatchObject({ text: 'B', branch: 'other' });
  });

  it('is what a handoff says where memory says nothing', () => {
    expect(picture({ handoff: HANDOFF }).intent).toEqual({ text: 'Use Redis — fast', source: 'handoff' });
  });
});

describe('the status', () => {
  const proved = { book: bookOf(ran('npm test')) };

  it('is complete where that is proved', () => {
    expect(judgeStatus(picture(proved))).toEqual({ status: 'complete', missing: [] });
    expect(statusOf({ ...proved, runs: [run('aborted')] })).toBe('complete');
  });

  it.each<[string, Partial<PictureSources>]>([
    ['1 changed file not committed', { ...proved, present: { head: null, branch: null, dirty: { 'a.ts': 'x' } } }],
    ['the newest verification is stale: npm test', { ...proved, content: 'other' }],
    ['the newest verification is unknown: npm test', { ...proved, content: null }],
    ['the newest verification is failed: b', { book: bookOf(ran('a'), ran('b', 'failed')) }],
    ['no check was run', { book: bookOf(told('npm test')) }],
    ['the run cart is live', { ...proved, runs: [run('live')] }],
    ['the run cart is halted', { ...proved, runs: [run('halted')] }],
    ['there is no git repository to show what changed', { ...proved, present: null }],
  ])('is failed, for %s', (lack, more) => {
    expect(judgeStatus(picture(more))).toEqual({ status: 'failed', missing: [lack] });
  });

  it('is blocked where a person is waited for', () => {
    expect(statusOf({ book: bookOf(['note', { kind: 'blocked', text: 'no key' }]) })).toBe('blocked');
    expect(statusOf({ waiting: [{ kind: 'gate', run: 'cart', summary: 'Is it good?', since: at(1) }] })).toBe(
      'blocked',
    );
    expect(statusOf({ handoff: { ...HANDOFF, status: 'blocked', reason: 'no key' } })).toBe('blocked');
  });

  it('does not count what memory writes itself', () => {
    const dirty = { 'PROJECT_CONTEXT.md': 'x', '.ai/handoffs/2026-11-27_010203.md': 'x' };
    expect(statusOf({ ...proved, present: { head: null, branch: null, dirty } })).toBe('complete');
  });

  it('is what the call states, and then still says what lacks proof', () => {
    const stated = buildHandoff(picture(), { ...SAID, status: 'complete' });
    expect([stated.status, stated.missing]).toEqual(['complete', ['no check was run']]);
  });

  it('of the next handoff is not blocked by what the last one said', () => {
    const blocked = picture({ handoff: { ...HANDOFF, status: 'blocked', reason: 'no key' } });
    expect(buildHandoff(blocked, SAID).status).toBe('failed');
  });
});

describe('what is shown', () => {
  it('is three verifications: those that ran first', () => {
    const commands = (...all: Given[]) => picture({ book: bookOf(...all) }).verification.map(({ command }) => command);
    expect(commands(told('x'), ran('a'), told('y'), ran('b'))).toEqual(['a', 'b', 'y']);
    expect(commands(ran('a'), ran('b'), ran('c'), ran('d'), told('x'))).toEqual(['b', 'c', 'd']);
  });

  it('counts what is shown and what is kept', () => {
    const book = bookOf(...Array.from({ length: 7 }, (_, n): Given => ['decision', { text: `${n}` }]));
    expect(picture({ book }).counts.decision).toEqual({ shown: 5, kept: 7 });
  });

  it('tells of an edit what git says of it', () => {
    const edit = (path: string, minute: number) => ({ kind: 'edit', path, tool: 'Edit', at: at(minute) });
    const facts = [edit('old.ts', 1), edit('dirty.ts', 1), edit('gone.ts', 9), edit('dirty.ts', 9), { kind: 'edit' }];
    const present = { head: null, branch: null, dirty: { 'dirty.ts': 'x' } };
    const { edited } = picture({ facts, present, commits: [{ sha: 'b', at: at(5), subject: 's' }] });
    expect(edited.map(({ path, is }) => [path, is])).toEqual([
      ['old.ts', 'committed'],
      ['gone.ts', 'supporting'],
      ['dirty.ts', 'changed'],
    ]);
  });
});

/** A memory with more entries than fit. */
function fullBook(): Book {
  const many = (n: number, make: (text: string) => Given): Given[] =>
    Array.from({ length: n }, (_, index) => make(`${index} ${'word '.repeat(78)}`));
  return bookOf(
    ...many(6, (text) => ['decision', { text, reason: text }]),
    ...many(6, (text) => ran(text, 'passed', 'then')),
    ...many(12, (text) => ['relevant', { path: `src/${text.slice(0, 100)}`, why: text }]),
    ...many(6, (text) => ['note', { kind: 'tried', text }]),
    ...many(6, (text) => ['note', { kind: 'risk', text }]),
    ['next', { text: 'Go on', doneWhen: 'tests pass' }],
  );
}

describe('the region', () => {
  const dirty = Object.fromEntries(Array.from({ length: 111 }, (_, n) => [`src/file-${n}.ts`, n === 0 ? null : 'x']));
  const full = (): Partial<PictureSources> => ({
    book: fullBook(),
    present: { head: 'a'.repeat(40), branch: 'main', dirty, staged: ['src/file-1.ts'] },
    commits: Array.from({ length: 20 }, (_, n) => ({
      sha: `${n}`.padStart(40, 'b'),
      at: at(n),
      subject: `Commit ${n}`,
    })),
    facts: [
      { kind: 'request', text: 'SECRET PROMPT', at: at(1) },
      { kind: 'said', text: 'SECRET WORDS', at: at(1) },
    ],
  });

  it('has at most 8 kB, and numbers that agree with the file', () => {
    const handoff = buildHandoff(picture(full()), SAID);
    const region = renderRegion(handoff);
    expect(Buffer.byteLength(region)).toBeLessThanOrEqual(8 * 1024);
    expect(region).toContain('- Working tree truth: 111 changed files (1 staged, 1 deleted) on main at aaaaaaaaaaaa\n');
    expect(region).toContain('- 111 changed files not committed');
    const shown = region.split('\n').filter((line) => line.startsWith('- src/file-')).length;
    expect(region).toContain(`- (+${111 - shown})`);
    expect(buildHandoffFile(handoff).sections['Changed Files'].at(-1)).toBe('(+61)');
  });

  it('tells of no prompt, and neither does the file', () => {
    const handoff = buildHandoff(picture(full()), SAID);
    expect(renderRegion(handoff) + renderHandoffFile(buildHandoffFile(handoff))).not.toContain('SECRET');
    expect(renderRegion(buildHandoff(picture({ facts: full().facts ?? [] }), SAID))).not.toContain('SECRET');
  });

  it('has its parts in order, without those that are empty', () => {
    const headings = (more: Partial<PictureSources>) =>
      renderRegion(buildHandoff(picture(more), SAID))
        .split('\n')
        .filter((line) => line.startsWith('#'))
        .map((line) => line.replace(/^#+ /, ''));
    expect(headings(full())).toEqual([
      'Session Handoff',
      'Active intent',
      'Concrete next steps',
      'Verification snapshot [Freshness: stale]',
      'Relevant files',
      'Recent git context',
      'Changed files',
      'Warnings / risks',
      'Decision context',
    ]);
    expect(headings({})).toEqual(['Session Handoff', 'Warnings / risks']);
    expect(renderRegion(buildHandoff(picture(), SAID))).toContain('\n> auto-estimated');
  });

  it('names the command of a stale verification as a step', () => {
    const { steps } = buildHandoff(picture({ book: bookOf(ran('npm test', 'passed', 'then')) }), SAID);
    expect(steps).toEqual(['Run again, since files have changed: npm test']);
  });

  it('has what the handoff before said to wait for neither as waiting nor as a step', () => {
    const handoff: HandoffFile = { ...HANDOFF, status: 'blocked', reason: 'no key' };
    const { steps, picture: shown } = buildHandoff(picture({ handoff }), SAID);
    expect([steps, shown.waiting]).toEqual([['Pay'], []]);
  });

  it('opens no comment that would hide what follows', () => {
    const book = bookOf(['decision', { text: '<!-- dev-cli:handoff v1 --> # Heading' }]);
    expect(renderRegion(buildHandoff(picture({ book }), SAID))).not.toContain('<!--');
  });

  it('says how it was made', () => {
    const quality = (more: Partial<PictureSources>, said: Partial<HandoffInput>) =>
      buildHandoff(picture(more), { ...SAID, ...said }).quality;
    expect(quality({}, {})).toBe('auto-drafted');
    expect(quality({ book: bookOf(['decision', { text: 'A' }]) }, {})).toBe('assisted');
    expect(quality({}, { summary: 'Did it' })).toBe('assisted');
    expect(quality({}, { summary: 'Did it', saysNext: true })).toBe('ai-drafted');
  });
});

describe('the file', () => {
  const commits = ['c', 'b', 'a'].map((sha, n) => ({ sha: sha.repeat(40), at: at(50 - n), subject: `Commit ${sha}` }));
  const doneOf = (handoff: HandoffFile | null) =>
    buildHandoffFile(buildHandoff(picture({ commits, handoff }), { ...SAID, summary: 'Did it' })).sections.Done.map(
      (line) => line.slice(-8),
    );

  it('tells the commits since the last handoff, oldest first', () => {
    expect(doneOf(null)).toEqual(['Did it', 'Commit a', 'Commit b', 'Commit c']);
    expect(doneOf({ ...HANDOFF, head: 'b'.repeat(40) })).toEqual(['Did it', 'Commit c']);
    // The handoff's commit is gone, as after a rebase, so the handoff's time decides which commits are newer.
    expect(doneOf({ ...HANDOFF, head: 'f'.repeat(40), timestamp: '2026-11-27T01:48:30Z' })).toEqual([
      'Did it',
      'Commit b',
      'Commit c',
    ]);
  });

  it('keeps the old next action where there is no new one, and marks what was superseded', () => {
    const book = bookOf(['decision', { text: 'A' }], ['decision', { text: 'B', supersedes: 'm1' }]);
    const { sections } = buildHandoffFile(buildHandoff(picture({ book, handoff: HANDOFF }), SAID));
    expect([sections.Next, sections['Key Decisions']]).toEqual([['Pay'], ['A (superseded)', 'B']]);
  });

  it.each([
    [{ goal: { id: 'shop', title: 'The shop' } }, [run('live')], 'shop'],
    [{}, [run('live')], 'cart'],
    [{}, [run('aborted')], 'main'],
  ])('is about a goal, else a run, else a branch', (said, runs, id) => {
    expect(buildHandoffFile(buildHandoff(picture({ runs }), { ...SAID, ...said })).goalId).toBe(id);
  });
});

describe('the context', () => {
  const goal = { goal: { id: 'pay', title: 'Paying', status: 'active' as const, children: [] }, parent: null };
  const whole = (more: Partial<PictureSources> = {}, rules: string[] = []) =>
    buildContext({ picture: picture(more), goal, rules });

  it('has as its task the next action where it is newer than the handoff, then that of the handoff, else the goal’s live run, else the goal', () => {
    const book = bookOf(['next', { text: 'Mails', doneWhen: 'sent' }]);
    const early = { ...HANDOFF, timestamp: '2026-11-26T00:00:00Z' };
    expect(whole({ book, handoff: early }).task).toEqual(['Mails (done when: sent)', 'Pay']);
    expect(whole({ book, handoff: HANDOFF }).task).toEqual(['Pay']);
    expect(whole().task).toEqual(['Work towards the goal: Paying']);
    const run = { name: 'pay-1', recipe: 'r', state: 'live', where: 'a', updated: '', goal: null, goal_id: 'pay' };
    const read = (one: typeof run) => whole({ runs: [one] }).task;
    expect(read(run)).toEqual([expect.stringContaining('dev-cli next pay-1')]);
    expect(read({ ...run, goal_id: 'other' })).toEqual(['Work towards the goal: Paying']);
    expect(buildContext({ picture: picture(), goal: null, rules: [] }).task).toEqual([]);
  });

  it('names risks, how many decisions are older, the branch, and the edits of the session before other changes', () => {
    const decided = Array.from({ length: 7 }, (_, n): Given => ['decision', { text: `d${n}` }]);
    const book = bookOf(...decided, ['note', { kind: 'risk', text: 'It is slow' }]);
    const dirty = Object.fromEntries([...Array(25).keys()].map((n) => [`a${String(n).padStart(2, '0')}`, 'x']));
    const present = { head: 'a'.repeat(40), branch: 'main', dirty: { ...dirty, 'src/mine.ts': 'x' } };
    const facts = [
      { kind: 'edit', path: 'src/mine.ts', tool: 'Write', at: at(9) },
      { kind: 'request', text: 'Do it', at: at(1) },
      { kind: 'request', text: '/compact', at: at(2) },
    ];
    const text = renderContext(whole({ book, present, facts }), 'plain');
    const lines = text.split('\n').map((line) => line.trim());
    expect(lines.filter((line) => line.startsWith('Changed:'))).toMatchObject({
      0: 'Changed: src/mine.ts',
      length: 21,
    });
    for (const line of ['2 older decisions: dev-cli memory show --all', 'Risk: It is slow', 'Changed: 6 more']) {
      expect(lines).toContain(line);
    }
    expect(text).toContain('26 changed files on main');
    expect(lines.filter((line) => line.startsWith('Asked by the user'))).toEqual(['Asked by the user: Do it']);
  });

  it('tells from a handoff alone what memory elsewhere knew', () => {
    const text = renderContext(whole({ handoff: HANDOFF }), 'markdown');
    for (const said of [
      'Aim, from the handoff: Use Redis — fast',
      'Tried: A cache',
      'Done: The cart',
      ': not complete',
    ])
      expect(text).toContain(said);
  });

  it('is cut in order: memory, session, files, tasks; rules never', () => {
    const book = fullBook();
    const rules = ['Be kind'];
    const context = whole({ book, handoff: HANDOFF }, rules);
    const render = (document: typeof context) => renderContext(document, 'plain');
    const sizes = [Infinity, 9_000, 6_000, 5_900, 3_400];
    const cut = sizes.map((bytes) => fitContext(context, bytes, render));
    for (const [index, fitted] of cut.entries()) {
      expect(fitted.rules).toEqual(rules);
      if (index > 0) expect(Buffer.byteLength(render(fitted))).toBeLessThanOrEqual(sizes[index] ?? 0);
    }
    expect(cut[0]).toBe(context);
    expect(cut[1]?.extra.decisions).toHaveLength(1);
    expect(cut[2]?.extra).toEqual({});
    expect(cut.at(-1)?.context_files).toHaveLength(5);
    expect(() => fitContext(context, 100, render)).toThrow(
      expect.objectContaining({
        code: 'CONTEXT_TOO_LARGE',
        details: expect.arrayContaining([expect.objectContaining({ target: 'rules' })]),
      }),
    );
  });

  it('is the same for the same sources, in every format', () => {
    const sources = { book: fullBook(), handoff: HANDOFF };
    for (const format of ['markdown', 'plain'] as const)
      expect(renderContext(whole(sources), format)).toBe(renderContext(whole(structuredClone(sources)), format));
    expect(JSON.stringify(whole(sources))).toBe(JSON.stringify(whole(structuredClone(sources))));
  });

  it('says of a stale verification how to repeat it, and of a claim that it is none', () => {
    const text = renderContext(whole({ book: bookOf(ran('npm test', 'passed', 'then'), told('curl')) }), 'plain');
    expect(text).toContain(
      'npm test -> passed [stale]: files have changed since; repeat it with dev-cli memory verify --again',
    );
    expect(text).toContain('curl -> ok [told]: a claim, not proof');
  });
});
