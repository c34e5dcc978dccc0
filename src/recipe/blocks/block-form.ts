import { defined } from '../../base/defined.js';
import type { SectionId } from '../../documents/sections.js';
import { BLOCK_KINDS, type BlockKind } from '../../machine/block-kinds.js';
import type { OnError } from '../../machine/program.js';
import { type ExternalOptions, resolveOwnCommand } from '../resolve/command.js';
import { resolveSchema } from '../resolve/schema.js';
import { type ReadSibling, resolveInstruction } from '../resolve/text.js';
import type {
  BlockCommand,
  DataForm,
  ExternalCommand,
  LlmLoopBlock,
  OwnCommand,
  ResolvedBlock,
  ResolvedChoice,
  ResolvedRecipe,
} from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import type { CommandSource } from '../source/schema-parts.js';
import type { AskingSource, ChoiceSource, CommonSource, OnErrorSource } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';

/**
 * A type of block in the recipe language, beside the schema of its source form.
 * @typeParam S a block of it as written
 * @typeParam B the same with every default filled in
 */
export interface BlockForm<S, B extends ResolvedBlock> {
  /** Fills in every default of recipes.md §2. What cannot be resolved is reported and left out. */
  resolve(block: S, context: BlockContext): B;
  /** Its own fields in the recipe language, with every default filled in (recipes.md, recipe show). */
  show(block: B): Shown;
  /** The texts of its own fields that may hold placeholders. */
  listTexts(block: B): readonly (string | undefined)[];
  /** Checks what is a rule of this type alone. @param raw the block as written */
  lint(judged: Judged, index: number, block: B, raw: S): void;
}

/** What resolving a block needs to know about its recipe. */
export interface BlockContext {
  /** The block's position in the recipe, from 0. */
  index: number;
  /** The ids of its agents, in order. */
  agentIds: readonly string[];
  /** The draft sections that the recipe requires. */
  required: readonly SectionId[];
  report: ProblemLog;
  read: ReadSibling;
}

/** The recipe whose blocks are judged; `LintableSequence` is one. */
export interface Judged {
  recipe: ResolvedRecipe;
  source: { name: string };
  broken: ReadonlySet<number>;
  report: ProblemLog;
}

/** Fields of the recipe language. */
export type Shown = Record<string, unknown>;

/** What ends the rounds of a block. */
type Rounds = Pick<LlmLoopBlock, 'maxRounds' | 'exitWhen' | 'exitCheck' | 'revise'>;

/** Rounds of a loop when the recipe gives no `maxRounds`. */
export const LOOP_BOUND = 5;
/** Retries of `onError: retry`. */
const RETRIES = 2;

/** Resolves what every block has. */
export function resolveCommon(block: CommonSource & { type: BlockKind }): {
  id: string;
  title?: string;
  when?: string;
  onError: OnError;
  stale: 'warn' | 'block';
} {
  return {
    id: block.id,
    ...defined({ title: block.title, when: block.when }),
    onError: resolveOnError(block.onError, block.type),
    stale: block.stale ?? 'warn',
  };
}

function resolveOnError(onError: OnErrorSource | undefined, kind: BlockKind): OnError {
  if (onError === undefined) return { kind: BLOCK_KINDS[kind].onError };
  if (typeof onError === 'object') return { kind: 'retry', max: onError.retry.max };
  return onError === 'retry' ? { kind: 'retry', max: RETRIES } : { kind: onError };
}

/** Resolves what every block has that asks somebody. @param fallback its instruction where it states none; null: it must */
export function resolveAsking(
  block: AskingSource & { type: BlockKind },
  fallback: string | null,
  context: BlockContext,
) {
  return {
    ...resolveCommon(block),
    ...resolveInstruction(block, fallback, getSourcePath(context), context.report, context.read),
    ...defined({ instructionFile: block.instructionFile }),
    read: block.read ?? [],
    consult: block.consult ?? [],
  };
}

/** Where the recipe has a block. */
export function getSourcePath(context: BlockContext): (string | number)[] {
  return ['blocks', context.index];
}

/** Resolves a field that allows only a command of dev-cli. */
export function resolveOwn(
  source: CommandSource | undefined,
  key: string,
  context: BlockContext,
): OwnCommand | undefined {
  if (source === undefined) return undefined;
  const at = [...getSourcePath(context), key];
  const command = resolveOwnCommand(source, at, context.report);
  if (command?.command !== 'init') return command ?? undefined;
  context.report.error(at, '`dev-cli init` has a block of its own, the first of the recipe.');
  return undefined;
}

/** Resolves what the data must fit that an agent hands in. */
export function resolveDataForm({ schema }: { schema?: string }, context: BlockContext): DataForm {
  return resolveSchema(schema, [...getSourcePath(context), 'schema'], context.report, context.read);
}

/** Reports what goes with an external command, where there can be none. @param what the command */
export function refuseExternalOptions(block: ExternalOptions, what: string, context: BlockContext): void {
  for (const key of ['shell', 'timeout', 'cwd'] as const) {
    if (block[key] === undefined) continue;
    context.report.error([...getSourcePath(context), key], `${quoteWord(key)} is for an external ${what}.`, {
      at: 'key',
      fix: `Remove ${quoteWord(key)}.`,
    });
  }
}

/** Fills in the defaults of a choice. */
export function resolveChoice(choice: ChoiceSource): ResolvedChoice {
  if (typeof choice === 'string') return { id: choice, label: choice, goto: 'next', reasonRequired: false };
  return {
    id: choice.id,
    label: choice.label ?? choice.id,
    goto: choice.goto ?? 'next',
    reasonRequired: choice.reason === 'required',
    ...defined({ when: choice.when, grows: choice.grows }),
  };
}

/** Shows a command of any kind. */
export function showCommand(command: BlockCommand): Shown {
  return command.kind === 'own' ? { command: command.command.source } : showExternal('command', command.command);
}

/** Shows an external command. @param key its field */
export function showExternal(key: string, { argv, shell, timeout, cwd }: ExternalCommand): Shown {
  return {
    [key]: shell ? (argv[0] ?? '') : argv,
    ...(shell ? { shell } : {}),
    timeout,
    // One of dev-cli itself runs where the run is.
    ...(argv[0] === 'dev-cli' ? {} : { cwd }),
  };
}

/** Shows what ends rounds. */
export function showLoop({ maxRounds, exitWhen, exitCheck, revise }: Rounds): Shown {
  return { maxRounds, ...defined({ exitWhen, exitCheck: exitCheck?.source, revise }) };
}

/** Shows a choice. */
export function showChoice({ id, label, goto, reasonRequired, when, grows }: ResolvedChoice): Shown {
  return { id, label, goto, ...defined({ when, grows }), ...(reasonRequired ? { reason: 'required' } : {}) };
}

/** Lists the texts of a command that may hold placeholders. */
export function listCommandTexts(command: BlockCommand | undefined): string[] {
  if (command?.kind === 'external') return [...command.command.argv, command.command.cwd];
  return listInputTexts(command?.command);
}

/** Lists the texts of a command of dev-cli that may hold placeholders. */
export function listInputTexts(command: OwnCommand | undefined): string[] {
  return Object.values(command?.input ?? {}).filter((value) => typeof value === 'string');
}
