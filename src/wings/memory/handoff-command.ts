import { dirname, join } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { omitUndefined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { MAX_DOCUMENT } from '../../base/files.js';
import { formatLocalInstant, nameHandoff, renderHandoffFile } from '../../documents/handoff-file.js';
import { findWholeRegion, putRegion } from '../../documents/region.js';
import { createFile, requireInside } from '../../project/own-places.js';
import type { InputIn } from '../../registry/spec.js';
import type { Context } from '../../run/context.js';
import { ensureDirectory, writeDurably } from '../../store/durable.js';
import { readRegular, readStats } from '../../store/inside.js';
import { pathError, withIoErrors } from '../../store/io.js';
import { HANDOFFS, readChosenGoal } from './ai.js';
import type { Book } from './book-schema.js';
import { gatherSources, type PictureContext } from './gather.js';
import { buildHandoff, buildHandoffFile, type Handoff, type HandoffInput } from './handoff.js';
import { HANDOFF_MARKERS, renderRegion } from './handoff-region.js';
import { applyJudgments, type Judgment, type Recorded, recordJudgments } from './memory.js';
import { keepPath } from './path.js';
import { buildPicture, type PictureSources } from './picture.js';
import type { MEMORY_SPECS } from './specs.js';
import { createKeeper, type Keeper } from './text.js';
import { readClaim } from './verify.js';

/** `handoff write` and `transfer --handoff` (memory.md, Commands). */

type Input = InputIn<typeof MEMORY_SPECS, 'handoff write'>;

/** The files that a handoff is written to. */
interface Target {
  /** The file that contains the region that dev-cli writes, relative to the work tree. */
  region: string;
  /** Whether the region is created if it is missing. */
  makesRegion: boolean;
  /** Whether `.ai/handoffs` is created if it is missing. */
  makesDirectory: boolean;
}

/** The default file for the region; git tracks it. */
const PROJECT_CONTEXT = 'PROJECT_CONTEXT.md';

/**
 * Writes a handoff file and, if PROJECT_CONTEXT.md has the region of dev-cli, that region.
 * @throws DevCliError `DATA_MISSING`; `DOCUMENT_UNREADABLE` for a damaged region; `IO`; as `recordJudgments`
 */
export function writeHandoff(scene: PictureContext, input: Input): Promise<Answer> {
  return handOver(scene, input, { region: PROJECT_CONTEXT, makesRegion: false, makesDirectory: true });
}

/**
 * Writes the region, in PROJECT_CONTEXT.md or the file that `out` names, and a handoff file if there is a directory for
 * it.
 * @param cwd absolute
 * @throws DevCliError as `writeHandoff`; `PATH_UNSAFE`
 */
export function transferHandoff(
  scene: PictureContext,
  { out, handoff: _, ...input }: InputIn<typeof MEMORY_SPECS, 'transfer'>,
  cwd: string,
): Promise<Answer> {
  const { workTree } = scene.context;
  const region = out === undefined ? PROJECT_CONTEXT : keepPath(out, { workTree, cwd });
  return handOver(scene, input, { region, makesRegion: true, makesDirectory: false });
}

async function handOver(scene: PictureContext, input: Input, target: Target): Promise<Answer> {
  const { context, memory } = scene;
  const { workTree } = context;
  const keeper = createKeeper();
  const sources = await gatherSources(scene);
  const judgments = judge(keeper, input, sources.content);
  const { goal, warnings } = readGoalOrWarn(scene, sources);
  const said: HandoffInput = {
    ...{ timestamp: formatLocalInstant(context.clock.now()), goal },
    source: context.caller.via === 'mcp' ? 'mcp_provided' : 'file_fallback',
    saysNext: input.firstNextAction !== undefined,
    ...omitUndefined({
      summary: keeper.keep(input.sessionSummary, '--session-summary'),
      reason: keeper.keep(input.reason, '--reason'),
      switchedTo: keeper.keep(input.switchedTo, '--switched-to'),
      status: input.status,
    }),
  };
  const plan = (before: Book): Plan => {
    const { book } = applyJudgments(memory, before, judgments);
    const picture = buildPicture({ ...sources, book, warnings: [...sources.warnings, ...warnings] });
    return planWriting(scene, buildHandoff(picture, said), target);
  };
  let done = plan(sources.book);
  if (input.dryRun === true || input.print === true) {
    const file = input.print === true ? { file: done.file } : {};
    return buildAnswer(done, [], { ...keeper.told(), ...file, dryRun: true });
  }
  // The files are written under the lock of the memory, so that a call which does not get the lock writes nothing.
  // After a crash, there is at most a file without a record; repeating the call writes that file again.
  const recorded = await recordJudgments(memory, (book) => {
    const planned = plan(book);
    const { handoff, file, region } = planned;
    if (region !== null) {
      const path = join(workTree, region.path);
      ensureDirectory(dirname(path), workTree);
      writeDurably(path, region.bytes, workTree);
    }
    const path = planned.path === null ? null : createHandoff(workTree, handoff, file);
    done = { ...planned, path };
    const { status, summary, reason, switchedTo } = handoff;
    const entry = { status, ...omitUndefined({ summary, reason, switchedTo, file: path ?? undefined }) };
    return [...judgments, { kind: 'handoff', entry }];
  });
  return buildAnswer(done, recorded, keeper.told());
}

/** Converts the input of the call to judgments. @throws DevCliError `DATA_MISSING` */
function judge(keeper: Keeper, input: Input, content: string | null): Judgment[] {
  const all = (target: string, given: string | readonly string[] = []) =>
    [given].flat().map((text) => keeper.keep(text, target));
  const decided = [...all('--decision', input.decision), ...all('--switched-to', input.switchedTo)];
  const claimed = input.verification?.map((text) => readClaim(keeper, text, '--verification', 'unknown')) ?? [];
  const doneWhen = omitUndefined({ doneWhen: keeper.keep(input.doneWhen, '--done-when') });
  return [
    ...decided.map((text): Judgment => ({ kind: 'decision', entry: { text } })),
    ...claimed.map((claim): Judgment => ({ kind: 'verification', entry: { ...claim, content } })),
    ...all('--tried', input.tried).map((text): Judgment => ({ kind: 'note', entry: { kind: 'tried', text } })),
    ...all('--blocked-by', input.blockedBy).map(
      (text): Judgment => ({ kind: 'note', entry: { kind: 'blocked', text } }),
    ),
    ...all('--first-next-action', input.firstNextAction).map(
      (text): Judgment => ({ kind: 'next', entry: { text, ...doneWhen } }),
    ),
  ];
}

/** Reads the goal. If goals are unreadable, only warns, so that a handoff can still be written. */
function readGoalOrWarn(
  { context }: PictureContext,
  { handoff }: PictureSources,
): { goal: HandoffInput['goal']; warnings: string[] } {
  try {
    const chosen = readChosenGoal(context, handoff?.goalId ?? null);
    return { goal: chosen?.goal ?? null, warnings: [] };
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { goal: null, warnings: [error.message] };
  }
}

/** The files to be written. */
interface Plan {
  handoff: Handoff;
  /** Path of the handoff file, relative to the work tree; null if none is written. */
  path: string | null;
  file: string;
  /** The file with the region, relative to the work tree; null if it is not written. */
  region: { path: string; bytes: Buffer } | null;
}

/** Plans what to write, without writing it. @throws DevCliError `DOCUMENT_UNREADABLE`, `IO` */
function planWriting({ context }: PictureContext, handoff: Handoff, target: Target): Plan {
  const { workTree, reader } = context;
  requireInside(workTree, HANDOFFS);
  const hasDirectory = reader.list(join(workTree, '.ai')).includes('handoffs');
  return {
    handoff,
    path: target.makesDirectory || hasDirectory ? `${HANDOFFS}/${nameHandoff(handoff.timestamp, 1)}` : null,
    file: hidePlaces(renderHandoffFile(buildHandoffFile(handoff)), context),
    region: planRegion(workTree, hidePlaces(renderRegion(handoff), context), target),
  };
}

/** Puts the region into its file, without changing any other byte. */
function planRegion(workTree: string, body: string, { region: path, makesRegion }: Target): Plan['region'] {
  requireInside(workTree, path);
  const before = readBytes(join(workTree, path), workTree);
  // Decoded as latin1, which preserves the bytes of any encoding.
  const text = before?.toString('latin1') ?? '';
  if (findWholeRegion(text, HANDOFF_MARKERS, path).kind === 'none' && !makesRegion) return null;
  const put = putRegion(text, HANDOFF_MARKERS, Buffer.from(body).toString('latin1'), 'first');
  return { path, bytes: Buffer.from(put, 'latin1') };
}

function readBytes(path: string, root: string): Buffer | null {
  return withIoErrors(path, root, () => {
    if (readStats(path) === undefined) return null;
    const bytes = readRegular(path, MAX_DOCUMENT);
    if (bytes !== null) return bytes;
    throw pathError(
      path,
      root,
      'it is not a regular file of at most 8 MiB',
      'Move it away, then repeat the same call.',
    );
  });
}

/** Writes the file under the first free name. @returns its path, relative to the work tree */
function createHandoff(workTree: string, { timestamp }: Handoff, text: string): string {
  for (let count = 1; ; count += 1) {
    const path = `${HANDOFFS}/${nameHandoff(timestamp, count)}`;
    if (createFile(join(workTree, path), text, workTree)) return path;
  }
}

/** Removes absolute paths of this machine from a text that others will read. */
function hidePlaces(text: string, { workTree, root, home }: Pick<Context, 'workTree' | 'root' | 'home'>): string {
  const hide = (said: string, place: string, inside: string, alone: string) =>
    place.length > 1 ? said.replace(findPlace(place), (_, slash?: string) => (slash ? inside : alone)) : said;
  return hide(hide(hide(text, workTree, '', '.'), root, '', '.'), home, '~/', '~');
}

/**
 * Builds a pattern for an absolute path that does not match inside another path: `/app` matches in neither `./app` nor
 * `/apple`.
 */
function findPlace(path: string): RegExp {
  const literal = path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const begin = '(?:(?<![\\p{L}\\p{N}_.~)\\]}-])|(?<=(?<![\\p{L}\\p{N}_])-\\p{L}))';
  return new RegExp(`${begin}${literal}(?:(/)|(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}]))`, 'gu');
}

/** Builds the answer of the call. @param recorded the judgments recorded; empty if the call wrote nothing */
function buildAnswer(
  { handoff, path, region }: Plan,
  recorded: readonly Recorded[],
  more: { masked?: true; file?: string; dryRun?: true },
): Answer {
  const { status, missing, quality, source, work, steps, picture } = handoff;
  const { sections, ...about } = buildHandoffFile(handoff);
  const stored = recorded.map(({ kind, id, stored: how }) => ({ kind, id, stored: how }));
  const warnings = picture.warnings.length === 0 ? {} : { warnings: picture.warnings };
  const paths = [path, region?.path ?? null];
  const done = recorded.length === 0 ? 'Would write' : 'Wrote';
  return {
    exit: 0,
    json: {
      ...{ ok: true, path, region: region?.path ?? null, status, missing },
      handoff: { ...about, quality, source, work: work.title, steps, sections },
      ...{ stored, ...more, ...warnings },
    },
    text: () =>
      more.file ??
      [
        `Handoff: ${status}${missing.length === 0 ? '' : ` (${missing.join('; ')})`}`,
        ...paths.flatMap((one) => (one === null ? [] : [`${done} ${one}`])),
        ...picture.warnings.map((one) => `! ${one}`),
      ].join('\n'),
  };
}
