import type { Answer } from '../../base/answer.js';
import { DevCliError } from '../../base/errors.js';
import { isRecord, parseOrNull } from '../../base/json.js';
import { stripInvisible } from '../../base/visible.js';
import { maskSecrets, toBoundedLine } from '../../documents/foreign.js';
import { removeBelowHome } from '../../project/own-places.js';
import { quoteForShell } from '../../registry/render.js';
import type { Context } from '../../run/context.js';
import { listKept } from '../../work/attempt-commits.js';
import { findRepository } from '../../work/git-command.js';
import { openLoopBackend } from './backend.js';
import { readLoopFiles } from './files.js';
import type { Backend } from './fleet-port.js';
import { listGoals } from './goals.js';
import { findRecords, isSession, type LoopCall, type LoopPorts } from './site.js';
import { isHandedIn, nameRecords, nameReference } from './state.js';
import { LOOP } from './streams.js';

type Ports = Pick<LoopPorts, 'openFleet'>;

/** An attempt according to its records. */
interface Kept {
  id: string;
  goal: string;
  n: number;
  classification: string;
  reason: string;
  success: boolean;
  endedAt: string | null;
  base: string | null;
  ref: string | null;
  commit: string | null;
}

/** `GOAL#N`. The goal may be long, because the goal of a variant is named by two ids: `DECISION.ALTERNATIVE`. */
const ID = /^([A-Za-z0-9][A-Za-z0-9._-]{0,96})#([1-9]\d{0,8})$/;
const NAMESPACE = 'refs/dev-cli/attempts';
const DAY = 86_400_000;

/** For each state in which nobody works on an attempt, the reason. */
const WAITS: Readonly<Record<string, string>> = {
  parked: 'its run waits for a person',
  unmoved: 'the branch could not be moved',
};

/** `attempt list` (loop-core.md, Commands). @throws DevCliError `IO`, `GIT_FAILED` */
export async function listAttempts(
  ports: Ports,
  context: Context,
  goal: string | undefined,
  call: LoopCall,
): Promise<Answer> {
  const found = (await readAll(context, await openLoopBackend(ports, context, call))).filter(
    (one) => goal === undefined || one.goal === goal,
  );
  const attempts = found.map(({ endedAt, ...one }) => ({ ...one, ended_at: endedAt }));
  return {
    exit: 0,
    json: { ok: true, attempts },
    text: () =>
      found
        .map(
          ({ id, classification, reason, ref }) =>
            `${id}: ${classification}: ${toBoundedLine(reason, 200)}${ref === null ? ' (nothing was left)' : ''}`,
        )
        .join('\n') || 'No attempt was kept.',
  };
}

/** `attempt show` (loop-core.md, Commands). @throws DevCliError `USAGE` for an unknown id, `IO`, `GIT_FAILED` */
export async function showAttempt(ports: Ports, context: Context, id: string, call: LoopCall): Promise<Answer> {
  const [, goal = '', number = ''] = ID.exec(id) ?? [];
  const attempt = (await readAll(context, await openLoopBackend(ports, context, call))).find(
    (one) => one.goal === goal && one.n === Number(number),
  );
  if (attempt === undefined) {
    throw new DevCliError('USAGE', `There is no attempt ${JSON.stringify(toBoundedLine(id, 80))}.`, {
      fix: { command: 'attempt list', input: {} },
    });
  }
  const directory = findRecords({ context }, attempt);
  const { reader, root } = context;
  const read = (name: string): string | null => reader.read(`${directory}/${name}`);
  const verdict = parseOrNull(read('verdict.json'));
  const prompt = read('prompt.md');
  const logs = reader
    .list(directory)
    .flatMap((name) => (reader.list(`${directory}/${name}`).includes('command.log') ? [`${name}/command.log`] : []));
  const handoffs = ['handoffs', 'unread'].flatMap((name) =>
    reader.list(`${directory}/${name}`).map((file) => `${name}/${file}`),
  );
  const shown = attempt.ref === null ? [] : listGitLines(attempt);
  const toPath = (name: string): string => `${directory.slice(root.length + 1)}/${name}`;
  return {
    exit: 0,
    json: {
      ok: true,
      id: attempt.id,
      verdict: isRecord(verdict) ? verdict : null,
      prompt,
      logs: logs.map(toPath),
      handoffs: handoffs.map(toPath),
      ref: attempt.ref,
      git: shown,
    },
    text: () =>
      [
        `${attempt.id}: ${attempt.classification}: ${toBoundedLine(attempt.reason, 1_000)}`,
        ...shown.map((line) => `  ${line}`),
        ...[...handoffs, ...logs].flatMap((name) => ['', `${name}:`, lastLines(read(name) ?? '')]),
        ...(prompt === null ? [] : ['', 'Prompt:', clean(prompt)]),
      ].join('\n'),
  };
}

/** Lists two git commands: one shows an attempt's changes, the other applies them to the checked-out files. */
function listGitLines({ ref, base }: Kept): string[] {
  const name = quoteForShell(ref ?? '');
  // A fleet's verdicts come from other machines and people copy this line, so the base must look like a commit id.
  const from = /^[0-9a-f]{40,64}$/.test(base ?? '') ? base : `${name}^`;
  return [`git diff ${from} ${name}`, `git cherry-pick --no-commit ${name}`];
}

/** Maximum lines of a log that are shown. */
const LOG_LINES = 40;

const lastLines = (text: string): string => clean(text).trimEnd().split('\n').slice(-LOG_LINES).join('\n');

const clean = (text: string): string => maskSecrets(stripInvisible(text));

/**
 * `attempt prune` (loop-core.md, Commands): removes the references and records of goals that are done or dropped.
 * @throws DevCliError `NO_PROJECT`, `SCHEMA_INVALID`, `TERMINAL_REQUIRED`, `IO`, `GIT_FAILED`
 */
export async function pruneAttempts(ports: Ports, context: Context, days: number, call: LoopCall): Promise<Answer> {
  if (isSession(context, call.env))
    throw new DevCliError('TERMINAL_REQUIRED', 'A session may not remove what attempts left.', {
      fix: 'A person can do it.',
    });
  const over = listGoals(readLoopFiles(context).goals)
    .filter(({ status }) => status === 'done' || status === 'dropped')
    .map(({ id }) => id);
  const before = context.clock.now() - days * DAY;
  const backend = await openLoopBackend(ports, context, call);
  const refs = backend.openRefs(context.root, {});
  const old = (await readAll(context, backend)).filter(
    ({ goal, endedAt }) => over.includes(goal) && endedAt !== null && Date.parse(endedAt) <= before,
  );
  const removed: string[] = [];
  for (const { id, ref, goal, n } of old) {
    const known = ref === null ? undefined : (await refs.list(ref)).get(ref);
    if (ref !== null && known !== undefined && (await refs.move(ref, { from: known, to: null })) !== null) continue;
    await backend.desk?.forget({ goal, n });
    removeBelowHome(context.root, `loop/${nameRecords({ goal, n })}`);
    removed.push(id);
  }
  return {
    exit: 0,
    json: { ok: true, removed },
    text: () => (removed.length === 0 ? 'Nothing was old enough.' : `Removed: ${removed.join(', ')}.`),
  };
}

/** Reads all attempts that have a record or a reference, sorted by goal and number. */
async function readAll(context: Context, { streams }: Pick<Backend, 'streams'>): Promise<Kept[]> {
  const { root, reader } = context;
  const base = `${root}/.dev/loop/attempts`;
  const isRepository = (await findRepository(root, {})).kind === 'repository';
  const references = isRepository ? await listKept(root, NAMESPACE, {}) : new Map<string, string>();
  const { attempts: open } = await streams.read(LOOP);
  const ids = new Set(reader.list(base).flatMap((goal) => reader.list(`${base}/${goal}`).map((n) => `${goal}#${n}`)));
  for (const name of references.keys()) ids.add(name.slice(NAMESPACE.length + 1).replace(/\/(\d+)$/, '#$1'));
  return [...ids]
    .flatMap((id) => {
      const [, goal = '', number = ''] = ID.exec(id) ?? [];
      return goal === '' ? [] : [{ id, goal, n: Number(number) }];
    })
    .sort((a, b) => (a.goal === b.goal ? a.n - b.n : a.goal < b.goal ? -1 : 1))
    .map((one): Kept => {
      const verdict = parseOrNull(reader.read(`${base}/${one.goal}/${one.n}/verdict.json`));
      const said = isRecord(verdict) ? verdict : {};
      const text = (key: string): string | null => (typeof said[key] === 'string' ? (said[key] as string) : null);
      const at = open[one.id];
      return {
        ...one,
        classification: text('classification') ?? at?.state ?? 'unknown',
        reason:
          text('reason') ??
          (at === undefined
            ? 'its verdict is missing'
            : isHandedIn(at)
              ? 'it waits to be judged'
              : (WAITS[at.state] ?? 'it is at work')),
        ...{ success: said['success'] === true, endedAt: text('ended_at'), base: text('base'), commit: text('commit') },
        ref: references.has(nameReference(one)) ? nameReference(one) : null,
      };
    });
}
