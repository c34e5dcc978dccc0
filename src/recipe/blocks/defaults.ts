import { omitUndefined } from '../../base/defined.js';
import { findSuggestion } from '../../base/suggest.js';
import { findJsonFault } from '../../documents/json-fault.js';
import { BLOCK_KINDS, type BlockKind } from '../../machine/block-kinds.js';
import type { OnError } from '../../machine/program.js';
import { type ExternalOptions, resolveOwnCommand } from '../resolve/command.js';
import { readSiblingText, resolveInstruction } from '../resolve/text.js';
import type { DataForm, ResolvedChoice } from '../resolved.js';
import type { CommandSource } from '../source/schema-parts.js';
import type { AskingSource, ChoiceSource, CommonSource, OnErrorSource } from '../source/schema-rows.js';
import { quoteWord } from '../source/yaml.js';
import { findSchemaProblem } from '../user-schema.js';
import type { BlockContext } from './block-form.js';

/** Defaults of fields that several types of block have (recipes.md §2). */

/** Default for `maxRounds`, except in loops that ask the user. */
export const ROUNDS = 5;
/** How often `onError: retry` without `max` retries. */
const RETRIES = 2;

/** Resolves the fields of every block. */
export function resolveCommon(block: CommonSource) {
  return {
    id: block.id,
    ...omitUndefined({ title: block.title, when: block.when }),
    onError: resolveOnError(block.onError, block.type),
    stale: block.stale ?? ('warn' as const),
  };
}

function resolveOnError(onError: OnErrorSource | undefined, kind: BlockKind): OnError {
  if (onError === undefined) return { kind: BLOCK_KINDS[kind].onError };
  if (typeof onError === 'object') return { kind: 'retry', max: onError.retry.max };
  return onError === 'retry' ? { kind: 'retry', max: RETRIES } : { kind: onError };
}

/**
 * Resolves the fields of every block that asks an agent or a person.
 * @param fallback the default instruction; null if the block must state one
 */
export function resolveAsking(block: AskingSource, fallback: string | null, context: BlockContext) {
  return {
    ...resolveCommon(block),
    ...resolveInstruction(block, fallback, context.place, context.report, context.read),
    ...omitUndefined({ instructionFile: block.instructionFile }),
    read: block.read ?? [],
    consult: block.consult ?? [],
  };
}

/** Resolves a field that allows only a `dev-cli` command. */
export function resolveOwn(source: CommandSource | undefined, key: string, context: BlockContext) {
  if (source === undefined) return undefined;
  const at = [...context.place, key];
  const command = resolveOwnCommand(source, at, context.report);
  if (command?.command !== 'init') return command ?? undefined;
  context.report.error(at, '`dev-cli init` has a block of its own, the first of the recipe.');
  return undefined;
}

/** The schemas that a recipe can refer to by name; `dev-cli schema NAME` prints them (recipes.md, Data). */
const SHIPPED_SCHEMAS: readonly string[] = ['plan-content', 'size'];

/** Stands in for an unusable schema, so that the block still expects data, in any form. */
const ANYTHING = '{}';

/** Resolves the schema for data that an agent hands in: a shipped one by name, or a file beside the recipe. */
export function resolveSchema({ schema }: { schema?: string }, context: BlockContext): DataForm {
  const { report, read } = context;
  const place = [...context.place, 'schema'];
  if (schema === undefined) return {};
  if (SHIPPED_SCHEMAS.includes(schema)) return { schema };
  if (!schema.endsWith('.json')) {
    const near = findSuggestion(schema, [...SHIPPED_SCHEMAS]);
    const meant = near === undefined ? '' : ` Did you mean ${quoteWord(near)}?`;
    report.error(place, `There is no shipped schema ${quoteWord(schema)}.${meant}`, {
      fix: `Write ${SHIPPED_SCHEMAS.map(quoteWord).join(' or ')}, or the path of a .json file beside the recipe.`,
    });
    return { schema, schemaText: ANYTHING };
  }
  const text = readSiblingText(schema, place, report, read);
  if (text === null) return { schema, schemaText: ANYTHING };
  const malformed = findJsonFault(text);
  const source = malformed === null ? null : read(schema);
  if (malformed !== null && source !== null && 'text' in source) {
    const span = { start: malformed.offset, end: malformed.offset + 1 };
    report.error({ ...source, span }, `This is not valid JSON: expected ${malformed.expected}.`);
    return { schema, schemaText: ANYTHING };
  }
  const fault = findSchemaProblem(text);
  if (fault === null) return { schema, schemaText: text };
  report.error(place, `${quoteWord(schema)} is not a JSON Schema: ${fault}.`);
  return { schema, schemaText: ANYTHING };
}

/**
 * Reports options of an external command on a block that has no external command.
 * @param what the kind of command, for the message
 */
export function refuseExternalOptions(block: ExternalOptions, what: string, context: BlockContext): void {
  for (const key of ['shell', 'timeout', 'cwd'] as const) {
    if (block[key] === undefined) continue;
    context.report.error([...context.place, key], `${quoteWord(key)} is for an external ${what}.`, {
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
    ...omitUndefined({ when: choice.when, grows: choice.grows }),
  };
}
