import { defined } from '../../base/defined.js';
import { isSectionId, type SectionId } from '../../documents/sections.js';
import type { OnError } from '../../machine/program.js';
import type {
  BlockCommand,
  CliBlock,
  DataForm,
  GateBlock,
  LlmBlock,
  LlmCliBlock,
  LlmLoopBlock,
  OwnCommand,
  ResolvedBlock,
  ResolvedChoice,
  SubagentBlock,
} from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import type { BlockSource, BlockSourceOf, CommandSource } from '../source/schema.js';
import type { ChoiceSource, OnErrorSource } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';
import { resolveAgents } from './agents.js';
import { type ExternalOptions, resolveCommand, resolveOwnCommand } from './command.js';
import { resolveSchema } from './schema.js';
import { type ReadSibling, resolveInstruction } from './text.js';

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

/** Rounds of a loop when the recipe gives no `maxRounds`. */
const LOOP_BOUND = 5;
/** The same for loops that ask the user, where only rounds that filled nothing count. */
const USER_LOOP_BOUND = 20;
/** Retries of `onError: retry`. */
const RETRIES = 2;

/** Fills in every default of recipes.md §2. What cannot be resolved is reported and left out. */
export function resolveBlock(block: BlockSource, context: BlockContext): ResolvedBlock {
  switch (block.type) {
    case 'cli':
      return resolveCli(block, context);
    case 'llm':
      return resolveLlm(block, context);
    case 'llm-loop':
      return resolveLlmLoop(block, context);
    case 'llm+cli':
      return resolveLlmCli(block, context);
    case 'subagent':
    case 'subagent-loop':
      return resolveSubagent(block, context);
    case 'wait-for-user':
      return resolveGate(block, context);
  }
}

/** Replaces a command that did not parse; a recipe with errors is never run. */
const NO_COMMAND: BlockCommand = {
  kind: 'external',
  command: { argv: [], shell: false, timeout: 0, cwd: '.', source: '' },
};

function resolveCli(block: BlockSourceOf<'cli'>, context: BlockContext): CliBlock {
  const command =
    resolveCommand(block.command, block, [...getSourcePath(context), 'command'], context.report) ?? NO_COMMAND;
  return {
    ...resolveCommon(block),
    kind: 'cli',
    command,
    ...(block.revise === undefined ? {} : { revise: block.revise, maxRounds: block.maxRounds ?? LOOP_BOUND }),
    standsForInit: command.kind === 'own' && command.command.command === 'init',
  };
}

function resolveLlm(block: BlockSourceOf<'llm'>, context: BlockContext): LlmBlock {
  const save = resolveOwn(block.save, 'save', context);
  const choices = (block.choices ?? []).map(resolveChoice);
  const leadsBack = choices.some(({ goto }) => goto !== 'next' && goto !== 'halt');
  return {
    ...resolveCommon(block),
    ...resolveAsking(block, null, context),
    asks: block.asks ?? null,
    kind: 'llm',
    choices,
    ...defined({ save }),
    ...resolveDataForm(block, context),
    sections: resolveSections(block.sections, save, context),
    ...(leadsBack || block.maxRounds !== undefined ? { maxRounds: block.maxRounds ?? LOOP_BOUND } : {}),
  };
}

function resolveLlmLoop(block: BlockSourceOf<'llm-loop'>, context: BlockContext): LlmLoopBlock {
  const save = resolveOwn(block.save, 'save', context);
  const { exitCheck, exitCommand } = resolveExitCheck(block, context);
  const asks = block.asks ?? (exitCheck?.command === 'draft validate' ? 'user' : null);
  return {
    ...resolveCommon(block),
    ...resolveAsking(block, null, context),
    asks,
    kind: 'llm-loop',
    ...defined({ save }),
    ...resolveDataForm(block, context),
    sections: resolveSections(block.sections, save, context),
    ...defined({ exitCheck, exitCommand, exitWhen: block.exitWhen }),
    maxRounds: block.maxRounds ?? (asks === 'user' ? USER_LOOP_BOUND : LOOP_BOUND),
    ...defined({ revise: block.revise }),
  };
}

/** Resolves the exit check of a loop: a command of dev-cli, or an external one. */
function resolveExitCheck(
  block: BlockSourceOf<'llm-loop'>,
  context: BlockContext,
): Pick<LlmLoopBlock, 'exitCheck' | 'exitCommand'> {
  const { exitCheck, shell } = block;
  const words = typeof exitCheck === 'string' ? exitCheck.trim().split(/\s+/) : (exitCheck ?? []);
  if (exitCheck === undefined || (words[0] === 'dev-cli' && shell !== true)) {
    refuseExternalOptions(block, 'exit check', context);
    return defined({ exitCheck: resolveOwn(exitCheck, 'exitCheck', context) });
  }
  const command = resolveCommand(exitCheck, block, [...getSourcePath(context), 'exitCheck'], context.report);
  return command?.kind === 'external' ? { exitCommand: command.command } : {};
}

/** Reports what goes with an external command, where there can be none. */
function refuseExternalOptions(block: ExternalOptions, what: string, context: BlockContext): void {
  for (const key of ['shell', 'timeout', 'cwd'] as const) {
    if (block[key] === undefined) continue;
    context.report.error([...getSourcePath(context), key], `${quoteWord(key)} is for an external ${what}.`, {
      at: 'key',
      fix: `Remove ${quoteWord(key)}.`,
    });
  }
}

function resolveLlmCli(block: BlockSourceOf<'llm+cli'>, context: BlockContext): LlmCliBlock {
  const { report } = context;
  if (block.command !== undefined && block.then !== undefined) {
    report.error([...getSourcePath(context), 'then'], '`then` means the same as `command`; write only one of them.', {
      at: 'key',
    });
  }
  if (block.command === undefined) refuseExternalOptions(block, 'command', context);
  const then = resolveOwn(block.then, 'then', context);
  const command =
    block.command === undefined
      ? then && ({ kind: 'own', command: then } as const)
      : resolveCommand(block.command, block, [...getSourcePath(context), 'command'], report);
  if (command?.kind === 'external') {
    report.error([...getSourcePath(context), 'command'], 'What follows a written file must be a `dev-cli` command.', {
      fix: 'Run an external command in a `cli` block of its own.',
    });
  }
  const data = command?.kind === 'own' ? command.command.input['data'] : undefined;
  const write = block.write ?? (typeof data === 'string' ? data : undefined);
  const isPlan =
    command?.kind === 'own' && command.command.command === 'plan generate' && write === (data ?? 'plan-content.json');
  if (write === undefined && command !== null) {
    report.error(getSourcePath(context), '`write` is missing: nothing says which file to write.');
  }
  return {
    ...resolveCommon(block),
    ...resolveAsking(block, null, context),
    asks: null,
    kind: 'llm+cli',
    write: write ?? '-',
    ...defined({ headings: block.headings }),
    ...resolveDataForm(isPlan ? { schema: 'plan-content', ...block } : block, context),
    ...(command ? { command } : {}),
  };
}

function resolveSubagent(
  block: BlockSourceOf<'subagent'> | BlockSourceOf<'subagent-loop'>,
  context: BlockContext,
): SubagentBlock {
  const onComplete = resolveOwn(block.onComplete, 'onComplete', context);
  const shared = {
    ...resolveCommon(block),
    ...resolveAsking(block, describeStart(block.agents.length, block.parallel ?? true), context),
    asks: null,
    agents: resolveAgents(block, context.agentIds, getSourcePath(context), context.report, context.read),
    parallel: block.parallel ?? true,
    ...defined({ onComplete }),
  };
  if (block.type === 'subagent') return { ...shared, kind: block.type, maxRounds: 1 };
  const exitCheck = resolveOwn(block.exitCheck, 'exitCheck', context);
  return {
    ...shared,
    kind: block.type,
    ...defined({ exitCheck, exitWhen: block.exitWhen }),
    maxRounds: block.maxRounds ?? LOOP_BOUND,
    ...defined({ revise: block.revise }),
  };
}

function describeStart(count: number, parallel: boolean): string {
  const which = count === 1 ? 'Start the agent and wait for it.' : 'Start all agents together; wait for all.';
  return parallel || count === 1 ? which : 'Start the agents one after the other, in this order.';
}

function resolveGate(block: BlockSourceOf<'wait-for-user'>, context: BlockContext): GateBlock {
  const message = block.message?.trim() ?? 'Shall the run go on?';
  return {
    ...resolveCommon(block),
    ...resolveAsking(
      block,
      'Put the message to the user, with what they need to judge it. Wait; the choice is theirs.',
      context,
    ),
    asks: 'user',
    kind: 'wait-for-user',
    message,
    choices: (block.choices ?? ['continue']).map(resolveChoice),
    human: block.human === 'required',
    ...defined({ approves: block.approves, artifact: block.artifact }),
    maxRounds: block.maxRounds ?? LOOP_BOUND,
  };
}

function getSourcePath(context: BlockContext): (string | number)[] {
  return ['blocks', context.index];
}

function resolveCommon(block: BlockSource): {
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

function resolveOnError(onError: OnErrorSource | undefined, type: BlockSource['type']): OnError {
  if (onError === undefined) return { kind: type === 'subagent' ? 'continue' : 'halt' };
  if (typeof onError === 'object') return { kind: 'retry', max: onError.retry.max };
  return onError === 'retry' ? { kind: 'retry', max: RETRIES } : { kind: onError };
}

function resolveAsking(block: Exclude<BlockSource, { type: 'cli' }>, fallback: string | null, context: BlockContext) {
  return {
    ...resolveInstruction(block, fallback, getSourcePath(context), context.report, context.read),
    ...defined({ instructionFile: block.instructionFile }),
    read: block.read ?? [],
    consult: block.consult ?? [],
  };
}

function resolveDataForm({ schema }: { schema?: string }, context: BlockContext): DataForm {
  return resolveSchema(schema, [...getSourcePath(context), 'schema'], context.report, context.read);
}

function resolveOwn(source: CommandSource | undefined, key: string, context: BlockContext): OwnCommand | undefined {
  if (source === undefined) return undefined;
  const at = [...getSourcePath(context), key];
  const command = resolveOwnCommand(source, at, context.report);
  if (command?.command !== 'init') return command ?? undefined;
  context.report.error(at, '`dev-cli init` has a block of its own, the first of the recipe.');
  return undefined;
}

function resolveChoice(choice: ChoiceSource): ResolvedChoice {
  if (typeof choice === 'string') return { id: choice, label: choice, goto: 'next', reasonRequired: false };
  return {
    id: choice.id,
    label: choice.label ?? choice.id,
    goto: choice.goto ?? 'next',
    reasonRequired: choice.reason === 'required',
    ...defined({ when: choice.when, grows: choice.grows }),
  };
}

/** Returns the sections a block writes: as stated, else the `--section` of `save`, else all that are required. */
function resolveSections(
  stated: readonly SectionId[] | undefined,
  save: OwnCommand | undefined,
  context: BlockContext,
): SectionId[] {
  if (stated !== undefined) return [...stated];
  if (save?.command !== 'draft update') return [];
  const { section } = save.input;
  if (typeof section !== 'string') return [...context.required];
  return isSectionId(section) ? [section] : [];
}
