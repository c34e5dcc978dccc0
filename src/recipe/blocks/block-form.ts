import { defined } from '../../base/defined.js';
import type { SectionId } from '../../documents/sections.js';
import type { ReadSibling } from '../resolve/text.js';
import type {
  BlockCommand,
  ExternalCommand,
  LlmLoopBlock,
  ResolvedBlock,
  ResolvedChoice,
  ResolvedRecipe,
} from '../resolved.js';
import type { ProblemLog } from '../source/report.js';

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
  /** The texts of its own that may hold placeholders, besides commands, agents and choices. */
  listTexts(block: B): readonly (string | undefined)[];
  /** Checks what is a rule of this type alone. @param raw the block as written */
  lint(judged: Judged, index: number, block: B, raw: S): void;
}

/** What resolving a block needs to know about its recipe. */
export interface BlockContext {
  /** Where the recipe has the block. */
  place: readonly (string | number)[];
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
export function showLoop({ maxRounds, exitWhen, exitCheck, revise }: Omit<Partial<LlmLoopBlock>, 'kind'>): Shown {
  return { maxRounds, ...defined({ exitWhen, exitCheck: exitCheck?.source, revise }) };
}

/** Shows a choice. */
export function showChoice({ id, label, goto, reasonRequired, when, grows }: ResolvedChoice): Shown {
  return { id, label, goto, ...defined({ when, grows }), ...(reasonRequired ? { reason: 'required' } : {}) };
}
