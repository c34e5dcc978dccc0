import { formatInstant } from '../../base/clock.js';
import type { JsonObject } from '../../base/json.js';
import CALLS from '../../generated/neutral-calls.js';
import { readGitHead } from '../../project/git-head.js';
import type { Context } from '../../run/context.js';
import { type Content, openSharedFiles, type SharedFiles, type SharedFilesDecision } from '../../store/shared-files.js';
import {
  buildFileRemoval,
  CLOSING_PATH,
  CONTRACT_FILES,
  type FileKey,
  ignoreRules,
  listArchiveChanges,
  listRemainingChanges,
  NEXUS_DIRECTORY,
  parseClosing,
  parseFile,
} from './files.js';
import { type ParamsSchema, readParams, warnUnknown } from './params.js';
import type { CallName } from './specs.js';
import { EVENT_TOOLS } from './tools/events.js';
import { PLAN_TOOLS } from './tools/plan.js';
import { REST_TOOLS } from './tools/rest.js';
import { TASK_TOOLS } from './tools/tasks.js';
import type { ContractState, ContractTool, ContractToolInput, ContractTools, ToolOutcome } from './tools/tool.js';

/** The result of a tool: its value, and warnings to show along with it. */
export interface Called {
  value: JsonObject;
  warnings: string[];
}

/** The part of the context that a call of the contract needs. */
export type NeutralContext = Pick<Context, 'workTree' | 'clock' | 'ids'> & Partial<Pick<Context, 'signal'>>;

const TOOLS: ContractTools<CallName> = { ...PLAN_TOOLS, ...TASK_TOOLS, ...REST_TOOLS, ...EVENT_TOOLS };

/** All files with a lock, in the order in which the locks are taken. */
const LOCKED = ['history', 'plan', 'tasks', 'tracker'] as const satisfies readonly FileKey[];

/**
 * Calls a tool, or reports an event (neutral.md, The tools). When the call answers, either all its changes are on disk,
 * or none has been made.
 * @param named the parameters, unchecked
 * @throws DevCliError `TOOL_REFUSED` with the message of the contract, `LOCKED`, `IO`, `INTERRUPTED`
 */
export async function callContractTool(context: NeutralContext, name: CallName, named: JsonObject): Promise<Called> {
  const tool: ContractTool<never> = TOOLS[name];
  const schema = (CALLS.find((one) => one.name === name)?.input ?? {}) as ParamsSchema;
  const given = readLaterName(name, named);
  const files = openFiles(context);
  const prepare = (found: ContractState): ContractToolInput<never> => ({
    ...found,
    params: () => readParams(schema, given) as never,
    now: formatInstant(context.clock.now()),
    branch: () => readBranch(context.workTree),
    root: context.workTree,
    isInside: files.isInside,
  });
  const { reply, warnings = [] } =
    tool.locks === 'reads'
      ? tool.run(prepare(createContractState(createView(files))))
      : await changeFiles(context, tool.locks, (found) => tool.run(prepare(found)));
  return { value: reply, warnings: [...warnUnknown(schema, given), ...warnings] };
}

/** Accepts the parameter `summary` under the name `decision`, which later versions of the contract use. */
function readLaterName(name: string, given: JsonObject): JsonObject {
  const { decision, ...rest } = given;
  if (name !== 'plan_decide' || decision === undefined || Object.hasOwn(given, 'summary')) return given;
  return { ...rest, summary: decision };
}

/** Opens the files of a work tree. */
export function openFiles({ workTree, clock, ids, signal }: NeutralContext): SharedFiles {
  return openSharedFiles({ root: workTree, clock, ids, purpose: 'neutral contract', signal });
}

/**
 * Reads files on demand, each once, so that all parts of a call see the same content.
 * @param held collects what was read
 */
export function createContractState(
  bytes: (path: string) => Content,
  held = new Map<FileKey, unknown>(),
): ContractState {
  const read = (key: FileKey): unknown => {
    if (!held.has(key)) held.set(key, parseFile(key, bytes(toPath(key))));
    return held.get(key);
  };
  return { read: read as ContractState['read'], isThere: (key) => bytes(toPath(key)) !== null };
}

function toPath(key: FileKey): string {
  return `${NEXUS_DIRECTORY}/${CONTRACT_FILES[key]}`;
}

/** Returns the files as they will be once an interrupted call is finished, without finishing it. */
export function createView({ read }: Pick<SharedFiles, 'read'>): (path: string) => Content {
  const closing = parseClosing(read(`${NEXUS_DIRECTORY}/${CLOSING_PATH}`));
  if (closing === null) return read;
  const { changes } = listRemainingChanges(closing, createContractState(read).read('history'), read);
  const after = new Map(changes.map(({ path, content }) => [path, content === null ? null : Buffer.from(content)]));
  return (path) => (after.has(path) ? (after.get(path) ?? null) : read(path));
}

/**
 * Changes the files under their locks, after finishing what an earlier, interrupted call left. If the call reads
 * another file that has a lock, it starts over with that lock as well.
 * @throws DevCliError `LOCKED`, `IO`; any error of `decide`
 */
export async function changeFiles(
  context: NeutralContext,
  locks: readonly FileKey[],
  decide: (found: ContractState) => ToolOutcome,
): Promise<ToolOutcome> {
  const files = openFiles(context);
  const { read: bytes } = files;
  const warnings: string[] = [];
  const isOpen = (): boolean => bytes(`${NEXUS_DIRECTORY}/${CLOSING_PATH}`) !== null;
  for (let taken = locks; ; ) {
    const outcome = await files.change(taken.map(toPath), (): SharedFilesDecision<ToolOutcome | null> => {
      const held = new Map<FileKey, unknown>();
      const found = createContractState(bytes, held);
      const answer = isOpen() ? null : decide(found);
      const wanted = LOCKED.filter((key) => taken.includes(key) || held.has(key));
      if (answer === null || wanted.length > taken.length) {
        taken = wanted;
        return { answer: null, changes: [] };
      }
      const { changes = [], cycle } = answer;
      const made = cycle === undefined ? changes : listArchiveChanges(found.read('history'), cycle, changes, bytes);
      return { answer, changes: made.length === 0 ? [] : [...ignoreRules(bytes), ...made] };
    });
    if (outcome !== null) return { ...outcome, warnings: [...warnings, ...(outcome.warnings ?? [])] };
    if (isOpen()) await files.change(LOCKED.map(toPath), () => finishLeft(bytes, warnings));
  }
}

/**
 * Finishes an archiving call that was interrupted, if its cycle is already in the history; otherwise discards what it
 * left.
 */
function finishLeft(read: SharedFiles['read'], warnings: string[]): SharedFilesDecision<null> {
  const closing = parseClosing(read(`${NEXUS_DIRECTORY}/${CLOSING_PATH}`));
  if (closing === null) return { answer: null, changes: [] };
  const { changes, kept } = listRemainingChanges(closing, createContractState(read).read('history'), read);
  warnings.push(...kept.map((path) => `${path} was changed after its cycle was archived, and stays.`));
  return { answer: null, changes: [...changes, buildFileRemoval(CLOSING_PATH)] };
}

/** Returns the branch, even one without commits; reads git's own files. */
function readBranch(workTree: string): string {
  const { branch, head } = readGitHead(workTree);
  return branch ?? (head === null ? 'unknown' : 'HEAD');
}
