import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../../src/base/sha256.js';
import type { Entry } from '../../../src/store/store.js';
import { type Freight, packRun } from '../../../src/wings/fleet/freight.js';
import { moveTree } from '../../../src/wings/fleet/move-tree.js';
import { placeRun } from '../../../src/wings/fleet/place-run.js';
import { keepDifference, writeTree } from '../../../src/work/attempt-commits.js';
import { StandIn } from '../../support/agent.mjs';
import { devCli, imageOf, stateOf } from '../../support/cli.js';
import { callDoor } from '../../support/door.js';
import { encodeEntries, readEntries } from '../../support/entries.js';
import { SMALL_CREW, smallPlan } from '../../support/small.mjs';
import {
  addAttemptTree,
  addClone,
  addRecipe,
  askNext,
  beginRun,
  contextOn,
  type Machine,
  openAtGate,
  openMachines,
  RUN,
  translate,
} from './moving.js';
import { gitIn, put } from './repository.js';

/** A run that continues on another machine (fleet.md, An attempt). */

/** Two todos: the second depends on the first, and its command fails once. */
const todos = smallPlan().todos.slice(0, 2);

const agentOn = (machine: Machine) =>
  new StandIn({
    ...{ project: { ...machine, root: machine.tree }, name: RUN, crew: SMALL_CREW, goal: 'Write a file' },
    scenario: { plan: { ...smallPlan(), todos } },
  });

const placing = (machine: Machine) => ({
  ...{ workTree: machine.tree, trusted: new Set<string>(), ahead: 'refuse' as const },
});

/** Returns a run's state without what moving the run changes, and with the paths of the machine `of`. */
function describeState(machine: Machine, of: Machine): unknown {
  const { seq, events, recovered, updatedAt, documents, ...rest } = stateOf(machine, RUN) as unknown as Record<
    string,
    unknown
  >;
  return JSON.parse(
    translate(JSON.stringify(rest), machine, of).replaceAll(/"(?:mtimeMs|ctimeMs|inode)":[^,}]*/g, '"at":0'),
  );
}

describe('a run of a shipped workflow', () => {
  it('is on another machine what it was, at each action, and goes on there to its end', {
    timeout: 300_000,
  }, async () => {
    const { here, there, base } = await openMachines();
    const git = gitIn(here.tree);
    const zero = await writeTree(here.tree, here);
    const agent = agentOn(here);
    await beginRun(here, { workflow: 'ultrawork-autopilot' });
    const seen = new Set<string>();
    let action = agent.recall();
    while (git('rev-parse', 'HEAD') === base) {
      if (action.action !== 'running') {
        seen.add(action.action);
        await placeRun(contextOn(there), RUN, await packRun(contextOn(here), RUN), placing(there));
        const [before, after] = [askNext(here), askNext(there)];
        expect(after.answer).toBe(translate(before.answer, here, there));
        expect(after.prompts).toEqual(before.prompts.map((text) => translate(text, here, there)));
        expect(after.prompts.length > 0).toBe(
          action.action.startsWith('dispatch') || action.action.startsWith('engine'),
        );
        expect(describeState(there, here)).toEqual(describeState(here, here));
      }
      action = agent.step(action);
    }
    expect([...seen].sort()).toEqual(['dispatch-subagents', 'engine-dispatch', 'llm', 'llm+cli']);

    const change = { base, zero, message: 'g#1', leaves: () => false };
    const { commit: kept } = await keepDifference(here.tree, change, here);
    const head = git('rev-parse', 'HEAD');
    git('push', '--quiet', 'origin', `${kept}:refs/dev-cli/attempts/g/1`, `${head}:refs/dev-cli/heads/g/1`);
    const site = { top: there.root, remote: 'origin', root: there.root, below: '', git: there };
    const attempt = { goal: 'g', run: RUN, tree: there.tree, base, kept, head };
    expect(await moveTree(site, attempt, async () => null)).toEqual({ zero });
    await placeRun(contextOn(there), RUN, await packRun(contextOn(here), RUN), placing(there));
    expect(askNext(there, there.tree).answer).toBe(translate(askNext(here, here.tree).answer, here, there));
    expect(agentOn(there).drive().done).toBe(true);
    expect(stateOf(there, RUN)).toMatchObject({ status: 'completed' });
    expect(gitIn(there.tree)('log', '--format=%s', `${base}..`).split('\n')).toHaveLength(todos.length);
    expect(gitIn(there.tree)('status', '--porcelain')).toBe('');
    expect(devCli(there, ['replay', RUN, '--check']).code).toBe(0);
  });
});

describe('a run with a gate', () => {
  it('is answered where it has gone to, starts its command there, and comes back', async () => {
    const { here, there, freight, placing, base } = await openAtGate();
    await placeRun(contextOn(there), RUN, freight, placing);
    await addAttemptTree(there, base);
    expect(askNext(there).answer).toBe(translate(askNext(here).answer, here, there));
    const approve = { argv: ['approve', RUN, '--choice', 'integrate'], cwd: there.root, env: there.env };
    expect(callDoor({ ...approve, typed: ['yes'] })).toMatchObject({ exit: 0 });
    expect(devCli(there, ['next', RUN, '--wait', '30'], { cwd: there.tree }).json).toMatchObject({ done: true });
    expect(existsSync(join(there.tree, 'told.txt'))).toBe(true);

    const back = await packRun(contextOn(there), RUN);
    await placeRun(contextOn(here), RUN, back, { ...placing, workTree: here.tree });
    expect(describeState(here, here)).toEqual(describeState(there, here));
    expect(devCli(here, ['history', RUN]).stdout).toContain('came from another machine');
    expect(devCli(here, ['replay', RUN, '--check']).code).toBe(0);
  });

  it('is placed once, however often it is asked for', async () => {
    const { there, freight, placing } = await openAtGate();
    await placeRun(contextOn(there), RUN, freight, placing);
    const before = imageOf(there);
    await placeRun(contextOn(there), RUN, freight, placing);
    expect(imageOf(there)).toEqual(before);
  });

  it('that is ahead here is kept, or goes where its claim is over; another one of its name stays', async () => {
    const { here, freight, placing, remote, base } = await openAtGate();
    const own = { ...placing, workTree: here.tree };
    const again = { argv: ['approve', RUN, '--choice', 'again', '--note', 'more'], cwd: here.root, env: here.env };
    expect(callDoor({ ...again, typed: ['yes', 'more'] })).toMatchObject({ exit: 0 });
    const before = imageOf(here);
    await expect(placeRun(contextOn(here), RUN, freight, own)).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    expect(imageOf(here)).toEqual(before);
    await placeRun(contextOn(here), RUN, freight, { ...own, ahead: 'discard' });
    expect(stateOf(here, RUN)).toMatchObject({ currentBlock: 'look' });

    const third = await addClone(remote);
    put(third.root, { [`.dev/specs/${RUN}/plan-content.json`]: '{}' });
    for (const ahead of ['refuse', 'discard'] as const) {
      const refused = placeRun(contextOn(third), RUN, freight, { ...placing, ahead });
      await expect(refused).rejects.toMatchObject({ code: 'RUN_EXISTS' });
    }
    const fourth = await addClone(remote);
    addRecipe(fourth);
    await addAttemptTree(fourth, base);
    await beginRun(fourth, { recipe: 'ask-first' });
    const other = placeRun(contextOn(fourth), RUN, freight, { ...placing, ahead: 'discard' });
    await expect(other).rejects.toMatchObject({ code: 'RUN_EXISTS' });
  });
});

/** Changes entries of a journal and recomputes their checksums. */
function forge({ journal, ...rest }: Freight, change: (entries: Entry[]) => void): Freight {
  const entries = readEntries(journal);
  change(entries);
  return { ...rest, journal: encodeEntries(entries) };
}

/** Replaces a text everywhere in the journal. */
const replace = (from: RegExp | string, to: string) => (freight: Freight) =>
  forge(freight, (entries) => {
    const changed = JSON.parse(JSON.stringify(entries).replaceAll(from, to)) as Entry[];
    entries.splice(0, entries.length, ...changed);
  });

/** Adds a document at a forbidden path to the last commit. */
const name = (path: string) => (freight: Freight) =>
  forge(freight, (entries) => {
    const [text, last] = ['forged', entries.at(-1)];
    last?.files.push({ path, before: null, after: sha256(text) });
    if (last !== undefined) last.texts = { ...last.texts, [sha256(text)]: text };
  });

/** Replaces recipe.json, and adapts every digest of the journal to it. */
const forgeRecipe = (change: (text: string) => string) => (freight: Freight) =>
  forge(freight, (entries) => {
    for (const entry of entries) {
      for (const file of entry.files.filter(({ path }) => path === 'recipe.json')) {
        const packed = entry.texts?.[file.after ?? ''];
        if (typeof packed !== 'object') throw new Error('the recipe is deflated');
        const text = change(inflateSync(Buffer.from(packed.deflated, 'base64')).toString('utf8'));
        file.after = sha256(text);
        entry.texts = { ...entry.texts, [file.after]: { deflated: deflateSync(text).toString('base64') } };
      }
    }
  });

const bomb = (freight: Freight) =>
  forge(freight, ([first]) => {
    for (let n = 0; n < 33; n += 1) {
      const content = Buffer.alloc(8 * 1024 * 1024, n);
      if (first !== undefined)
        first.texts = { ...first.texts, [sha256(content)]: { deflated: deflateSync(content).toString('base64') } };
    }
  });

const HOSTILE: [what: string, code: string, change: (freight: Freight) => Freight][] = [
  ['a torn end', 'JOURNAL_CORRUPT', (one) => ({ ...one, journal: one.journal.subarray(0, -9) })],
  ['no entry', 'JOURNAL_CORRUPT', (one) => ({ ...one, journal: Buffer.alloc(0), objects: new Map() })],
  ['a damaged line', 'JOURNAL_CORRUPT', (one) => ({ ...one, journal: Buffer.concat([Buffer.from('x'), one.journal]) })],
  ['an entry that is missing', 'JOURNAL_CORRUPT', (one) => forge(one, (entries) => entries.splice(1, 1))],
  ['70 MB', 'JOURNAL_CORRUPT', (one) => ({ ...one, objects: new Map([['x', Buffer.alloc(70_000_000)]]) })],
  ['little that unfolds to much', 'JOURNAL_CORRUPT', bomb],
  [
    'an entry of another run',
    'JOURNAL_CORRUPT',
    (one) => forge(one, ([, second]) => Object.assign(second?.data ?? {}, { runId: 'x' })),
  ],
  ['the name of another run', 'STATE_CORRUPT', replace('"g-1"', '"g-2"')],
  [
    'a patch that does not fit',
    'STATE_CORRUPT',
    (one) => forge(one, (entries) => entries.at(-1)?.patch.unshift({ op: 'remove', path: '/none' })),
  ],
  [
    'a state of no form',
    'STATE_CORRUPT',
    (one) => forge(one, (entries) => entries.at(-1)?.patch.push({ op: 'replace', path: '/steps', value: 1 })),
  ],
  [
    'entries of a newer version',
    'STATE_NEWER',
    (one) =>
      forge(one, (entries) => {
        for (const entry of entries) Object.assign(entry, { v: 4 });
      }),
  ],
  [
    'a content that is another',
    'JOURNAL_CORRUPT',
    (one) =>
      forge(one, (entries) => {
        for (const { texts } of entries) for (const key in texts) texts[key] = 'forged';
      }),
  ],
  [
    'an object that is another',
    'CONTENT_MISSING',
    (one) => ({ ...one, objects: new Map([...one.objects].map(([key]) => [key, Buffer.from('x')])) }),
  ],
  ['an object too few', 'CONTENT_MISSING', (one) => ({ ...one, objects: new Map() })],
  [
    'an object too many',
    'CONTENT_MISSING',
    (one) => ({ ...one, objects: new Map([...one.objects, ['../x', Buffer.from('x')]]) }),
  ],
  ...[
    '/.git/hooks/post-checkout',
    '../../../../x',
    '/../x',
    'a/.GIT/config',
    '/.dev/guard',
    'state.json',
    'objects/x',
    'lock',
  ].map((path): [string, string, (freight: Freight) => Freight] => [`the path ${path}`, 'JOURNAL_CORRUPT', name(path)]),
  ['another digest of its recipe', 'JOURNAL_CORRUPT', (one) => ({ ...one, recipeHash: sha256('x') })],
  [
    'a command under a digest that is trusted',
    'FLEET_UNTRUSTED',
    forgeRecipe((text) => text.replace(/"touch"/, '"rm"')),
  ],
  [
    'a source under a digest that is trusted',
    'FLEET_UNTRUSTED',
    forgeRecipe((text) => text.replaceAll('touch', 'rmdir')),
  ],
];

describe('freight that somebody has changed', () => {
  it('is refused before anything is written', { timeout: 300_000 }, async () => {
    const { there, freight, placing } = await openAtGate();
    expect(freight.objects.size).toBe(1);
    for (const [what, code, change] of HOSTILE) {
      const refused = placeRun(contextOn(there), RUN, change(freight), placing);
      await expect(refused, what).rejects.toMatchObject({ code });
    }
    const untrusted = placeRun(contextOn(there), RUN, freight, { ...placing, trusted: new Set() });
    await expect(untrusted).rejects.toMatchObject({ code: 'FLEET_UNTRUSTED' });
    await expect(placeRun(contextOn(there), '../x', freight, placing)).rejects.toMatchObject({ code: 'NAME_INVALID' });
    expect(readdirSync(there.root)).not.toContain('.dev');
    expect(existsSync(contextOn(there).trustDirectory)).toBe(false);
    await placeRun(contextOn(there), RUN, freight, placing);
  });

  it('writes no file of the project, and starts nothing that is not trusted here', async () => {
    const { there, freight, placing, base } = await openAtGate();
    await addAttemptTree(there, base);
    await placeRun(contextOn(there), RUN, name('/.ai/config.yaml')(freight), placing);
    there.replay = false;
    expect(existsSync(join(there.root, '.ai'))).toBe(false);
    rmSync(contextOn(there).trustDirectory, { recursive: true });
    const approve = { argv: ['approve', RUN, '--choice', 'integrate'], cwd: there.root, env: there.env };
    const { exit, stderr, stdout } = callDoor({ ...approve, typed: ['yes'] });
    expect([exit, stderr + stdout]).toEqual([3, expect.stringContaining('was not begun in this directory')]);
    expect(existsSync(join(there.tree, 'told.txt'))).toBe(false);
  });
});
