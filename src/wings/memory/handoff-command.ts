import { join } from 'node:path';
import type { Answer } from '../../base/answer.js';
import { defined } from '../../base/defined.js';
import { DevCliError } from '../../base/errors.js';
import { MAX_DOCUMENT } from '../../base/files.js';
import { formatLocalInstant, nameHandoff, renderHandoffFile } from '../../documents/handoff-file.js';
import { findWholeRegion, putRegion } from '../../documents/region.js';
import { createFile, requireInside } from '../../project/own-places.js';
import type { InputIn } from '../../registry/spec.js';
import { writeDurably } from '../../store/durable.js';
import { isMissing, readRegular } from '../../store/inside.js';
import { pathError, toIoError } from '../../store/io.js';
import { HANDOFFS, readGoal } from './ai.js';
import type { Entries } from './book-schema.js';
import { gather, projectOf, type Scene } from './gather.js';
import { buildHandoff, type Handoff, type Said, toFile } from './handoff.js';
import { HANDOFF_MARKERS, renderRegion } from './handoff-region.js';
import { applyJudgments, type Judgment, type Recorded, record } from './memory.js';
import { keepPath } from './path.js';
import { buildPicture, type Sources } from './picture.js';
import type { MEMORY_SPECS } from './specs.js';
import { createKeeper, type Keeper } from './text.js';
import { readClaim } from './verify.js';

/** `handoff write` and `transfer --handoff` (memory.md, Commands). */

type Input = InputIn<typeof MEMORY_SPECS, 'handoff write'>;

/** Where a handoff is written. */
interface Target {
  /** The file with our region, relative to the work tree. */
  region: string;
  /** Whether the region is made where there is none. */
  makesRegion: boolean;
  /** Whether `.ai/handoffs` is made where it is not there. */
  makesDirectory: boolean;
}

/** The region's file; git's and everybody's. */
const PROJECT_CONTEXT = 'PROJECT_CONTEXT.md';

/** @throws DevCliError `DATA_MISSING`, `DOCUMENT_UNREADABLE` for half a region; `IO`; as `record` */
export function writeHandoff(scene: Scene, input: Input): Promise<Answer> {
  return handOver(scene, input, { region: PROJECT_CONTEXT, makesRegion: false, makesDirectory: true });
}

/** @param cwd absolute @throws DevCliError as `writeHandoff`; `PATH_UNSAFE` */
export function transfer(
  scene: Scene,
  { out, handoff: _, ...input }: InputIn<typeof MEMORY_SPECS, 'transfer'>,
  cwd: string,
): Promise<Answer> {
  const { workTree } = scene.context;
  const region = out === undefined ? PROJECT_CONTEXT : keepPath(out, { workTree, cwd });
  return handOver(scene, input, { region, makesRegion: true, makesDirectory: false });
}

async function handOver(scene: Scene, input: Input, target: Target): Promise<Answer> {
  const { context, memory } = scene;
  const keeper = createKeeper();
  const sources = await gather(scene);
  const judgments = judge(keeper, input, sources.content);
  const { goal, warnings } = readGoalOrWarn(scene, sources);
  const said: Said = {
    ...{ timestamp: formatLocalInstant(context.clock.now()), goal },
    source: context.caller.via === 'mcp' ? 'mcp_provided' : 'file_fallback',
    saysNext: input.firstNextAction !== undefined,
    ...defined({
      summary: keeper.keepGiven(input.sessionSummary, '--session-summary'),
      reason: keeper.keepGiven(input.reason, '--reason'),
      switchedTo: keeper.keepGiven(input.switchedTo, '--switched-to'),
      status: input.status,
    }),
  };
  const make = (book: Sources['book']): Handoff => {
    const { book: after } = applyJudgments(memory, book, judgments);
    return buildHandoff(buildPicture({ ...sources, book: after, warnings: [...sources.warnings, ...warnings] }), said);
  };
  const masked = () => (keeper.hasMasked() ? { masked: true } : {});
  if (input.dryRun === true || input.print === true) {
    const handoff = make(sources.book);
    const place = planPlace(scene, handoff, target);
    const { path, region, file } = place;
    const more = { ...masked(), ...(input.print === true ? { file } : {}), dryRun: true };
    return buildAnswer(handoff, { path, region: region?.path ?? null, recorded: [] }, more, input.print ? file : null);
  }
  const made: { handoff: Handoff; path: string | null; region: string | null }[] = [];
  // All under the lock: where it is not obtained, nothing is written. What a crash leaves is a file that the repeated call writes again.
  const recorded = await record(memory, ({ book }) => {
    const handoff = make(book);
    const place = planPlace(scene, handoff, target);
    const path = place.path === null ? null : createHandoff(context.workTree, handoff, place.file);
    if (place.region !== null) writeDurably(place.region.absolute, place.region.bytes, context.workTree);
    made.push({ handoff, path, region: place.region?.path ?? null });
    return [...judgments, { kind: 'handoff', entry: toEntry(handoff, path) }];
  });
  const [done] = made;
  if (done === undefined) throw new DevCliError('INTERNAL', 'A handoff was not made.');
  const { handoff, ...places } = done;
  return buildAnswer(handoff, { ...places, recorded }, masked(), null);
}

/** What the call says, as entries. @throws DevCliError `DATA_MISSING` */
function judge(keeper: Keeper, input: Input, content: string | null): Judgment[] {
  const { decision = [], verification = [], tried = [], blockedBy, switchedTo, firstNextAction, doneWhen } = input;
  const decided = [
    ...decision.map((text) => keeper.keep(text, '--decision')),
    ...(switchedTo === undefined ? [] : [keeper.keep(switchedTo, '--switched-to')]),
  ];
  const notes = [
    ...tried.map((text) => ({ kind: 'tried' as const, text: keeper.keep(text, '--tried') })),
    ...(blockedBy === undefined ? [] : [{ kind: 'blocked' as const, text: keeper.keep(blockedBy, '--blocked-by') }]),
  ];
  const next: Judgment[] =
    firstNextAction === undefined
      ? []
      : [
          {
            kind: 'next',
            entry: {
              text: keeper.keep(firstNextAction, '--first-next-action'),
              ...defined({ doneWhen: keeper.keepGiven(doneWhen, '--done-when') }),
            },
          },
        ];
  return [
    ...decided.map((text): Judgment => ({ kind: 'decision', entry: { text } })),
    ...verification.map((text): Judgment => {
      const entry = { ...readClaim(keeper, text, '--verification', 'unknown'), content };
      return { kind: 'verification', entry };
    }),
    ...notes.map((entry): Judgment => ({ kind: 'note', entry })),
    ...next,
  ];
}

/** Goals that cannot be read keep nobody from handing over. */
function readGoalOrWarn({ context }: Scene, { handoff }: Sources): { goal: Said['goal']; warnings: string[] } {
  try {
    const chosen = readGoal(projectOf(context), handoff?.goalId ?? null);
    return { goal: chosen?.goal ?? null, warnings: [] };
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { goal: null, warnings: [error.message] };
  }
}

/** What is written where. Nothing is written yet. */
interface Place {
  /** The name that the file would have; null where none is written. */
  path: string | null;
  file: string;
  /** Null where nothing is written, or nothing would change. */
  region: { path: string; absolute: string; bytes: Buffer } | null;
}

/** @throws DevCliError `DOCUMENT_UNREADABLE`, `IO` */
function planPlace({ context }: Scene, handoff: Handoff, target: Target): Place {
  const { workTree, root, home, reader } = context;
  const hide = (text: string) => hidePlaces(text, { workTree, root, home });
  requireInside(workTree, HANDOFFS);
  const hasDirectory = reader.list(join(workTree, '.ai')).includes('handoffs');
  return {
    path: target.makesDirectory || hasDirectory ? `${HANDOFFS}/${nameHandoff(handoff.timestamp, 1)}` : null,
    file: hide(renderHandoffFile(toFile(handoff))),
    region: planRegion(workTree, hide(renderRegion(handoff)), target),
  };
}

/** The region in its file, of which no other byte changes. */
function planRegion(workTree: string, body: string, { region: path, makesRegion }: Target): Place['region'] {
  requireInside(workTree, path);
  const absolute = join(workTree, path);
  const before = readBytes(absolute, workTree);
  // As latin1, whatever it is written in.
  const text = before?.toString('latin1') ?? '';
  if (findWholeRegion(text, HANDOFF_MARKERS, path).kind === 'none' && !makesRegion) return null;
  const put = putRegion(text, HANDOFF_MARKERS, Buffer.from(body).toString('latin1'), 'first');
  return { path, absolute, bytes: Buffer.from(put, 'latin1') };
}

function readBytes(path: string, root: string): Buffer | null {
  let bytes: Buffer | null;
  try {
    bytes = readRegular(path, MAX_DOCUMENT);
  } catch (error) {
    if (isMissing(error)) return null;
    throw toIoError(error, path, root);
  }
  if (bytes !== null) return bytes;
  throw pathError(path, root, 'it is no regular file of at most 8 MiB', 'Move it away, then repeat the same call.');
}

/** Writes the file under the first name that is free. @returns its path, relative to the work tree */
function createHandoff(workTree: string, { timestamp }: Handoff, text: string): string {
  for (let count = 1; ; count += 1) {
    const path = `${HANDOFFS}/${nameHandoff(timestamp, count)}`;
    if (createFile(join(workTree, path), text, workTree)) return path;
  }
}

/** What is written for others names no place of this machine. */
function hidePlaces(text: string, places: { workTree: string; root: string; home: string }): string {
  const { workTree, root, home } = places;
  const inside = [workTree, root].filter((path) => path.length > 1);
  const relative = inside.reduce((said, path) => said.replaceAll(`${path}/`, '').replaceAll(path, '.'), text);
  return home.length > 1 ? relative.replaceAll(home, '~') : relative;
}

function toEntry({ status, summary, reason, switchedTo }: Handoff, path: string | null): HandoffEntry {
  return { status, ...defined({ summary, reason, switchedTo, file: path ?? undefined }) };
}

type HandoffEntry = Omit<Entries['handoff'], 'at' | 'by' | 'branch' | 'head'>;

function buildAnswer(
  handoff: Handoff,
  { path, region, recorded }: { path: string | null; region: string | null; recorded: readonly Recorded[] },
  more: object,
  text: string | null,
): Answer {
  const { status, missing, quality, source, work, steps, picture } = handoff;
  const { sections, ...about } = toFile(handoff);
  const stored = recorded.map(({ kind, id, stored: how }) => ({ kind, id, stored: how }));
  const warnings = picture.warnings.length === 0 ? {} : { warnings: picture.warnings };
  return {
    exit: 0,
    json: {
      ...{ ok: true, path, region, status, missing },
      handoff: { ...about, quality, source, work: work.title, steps, sections },
      ...{ stored, ...more, ...warnings },
    },
    text: () =>
      text ??
      [
        `Handoff: ${status}${missing.length === 0 ? '' : ` (${missing.join('; ')})`}`,
        ...[path, region].flatMap((one) =>
          one === null ? [] : [`${recorded.length === 0 ? 'Would write' : 'Wrote'} ${one}`],
        ),
        ...picture.warnings.map((one) => `! ${one}`),
      ].join('\n'),
  };
}
