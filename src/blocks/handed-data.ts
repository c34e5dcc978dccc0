// door: plan

import { DevCliError, type ErrorDetail } from '../base/errors.js';
import type { DataInput } from '../base/invocation.js';
import type { Json } from '../base/json.js';
import { renderCount } from '../base/words.js';
import { listHeadingFaults } from '../documents/headings.js';
import { parseJson } from '../documents/section-data.js';
import { findSizeFaults, type SizeClaim } from '../documents/size-claim.js';
import { getFileForm } from '../recipe/declared.js';
import type { DataForm, LlmCliBlock, ResolvedBlock } from '../recipe/resolved.js';
import { validateBySchema } from '../recipe/user-schema.js';
import type { PendingAction } from '../run/action.js';
import { displayPath } from '../run/paths.js';
import type { Transaction } from '../run/transaction.js';
import { checkDocument } from './commands/check.js';
import { recordSizeClaim } from './size-claim.js';

/** The data that an agent hands in, and what the run keeps of it (recipes.md, Data). */

/** The most bytes of data that a run keeps, since the data is part of every snapshot. */
const KEPT_BYTES = 64 * 1024;

/** The most findings that a refusal names. */
const FINDINGS_SHOWN = 40;

/**
 * Names the schema of the data that an action asks for. A schema that the recipe defines is written, as captured, to
 * the action's directory.
 */
export function buildSchemaField(
  tx: Transaction,
  { schema, schemaText }: DataForm,
  actionId: string,
): { schema?: string } {
  if (schema === undefined) return {};
  if (schemaText === undefined) return { schema };
  const file = `actions/${actionId}/schema.json`;
  tx.files.write(file, schemaText);
  return { schema: displayPath(tx.place, tx.state.name, file) };
}

/** Builds the request for JSON data, to be written to a file in the action's directory. */
export function buildJsonRequest(tx: Transaction, block: DataForm, actionId: string) {
  const write = displayPath(tx.place, tx.state.name, `actions/${actionId}/data.json`);
  return { write, form: 'json', ...buildSchemaField(tx, block, actionId) } as const;
}

/**
 * Accepts the data of an acknowledgement: it must be JSON that fits the block's schema, and is kept if conditions or
 * placeholders use it.
 * @throws DevCliError `DATA_MALFORMED` for data that is not JSON or is too large to keep, `SCHEMA_INVALID` with every
 * finding
 */
export function takeData(
  tx: Transaction,
  block: ResolvedBlock & DataForm,
  action: PendingAction,
  data: DataInput,
): void {
  const file = `actions/${action.actionId}/data.json`;
  const shown = data.name ?? displayPath(tx.place, tx.state.name, file);
  const value = parseJson(data.text);
  requireFitting(block, { value, text: data.text, path: file }, shown);
  keepData(tx, block, value, { shown, bytes: Buffer.byteLength(data.text) });
  tx.files.write(file, data.text);
}

/**
 * Accepts a promised file: Markdown must have the headings that the block names; JSON must fit its schema and is kept,
 * as in `takeData`.
 * @throws DevCliError `EVIDENCE_INVALID` for any other file, `SCHEMA_INVALID` with every finding
 */
export function takeFile(tx: Transaction, block: LlmCliBlock, text: string, shown: string): void {
  if (getFileForm(block) === 'markdown') {
    requireNote(block, text, shown);
    return;
  }
  const value = requireJson(text, shown);
  requireFitting(block, { value, text, path: block.write }, shown);
  keepData(tx, block, value, { shown, bytes: Buffer.byteLength(text) });
}

function requireNote({ write, headings = [] }: LlmCliBlock, text: string, shown: string): void {
  const details = [...checkDocument(write, text).problems, ...listHeadingFaults(text, headings)];
  if (details.length === 0) return;
  const count = details.length === 1 ? '1 finding' : `${details.length} findings`;
  throw new DevCliError('EVIDENCE_INVALID', `${shown} is not valid: ${count}.`, {
    details: details.slice(0, FINDINGS_SHOWN),
    fix: `Fix every finding in ${shown}, then repeat the acknowledgement.`,
  });
}

/** Parses a promised file. A syntax error in it is invalid evidence, not misuse of the command. */
function requireJson(text: string, shown: string): Json {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    throw new DevCliError('EVIDENCE_INVALID', `${shown} is not valid JSON.`, {
      details: [{ target: shown, problem: error.message }, ...error.details],
      fix: `Fix ${shown}, then repeat the acknowledgement.`,
    });
  }
}

/** Data as it was handed in. */
interface HandedData {
  value: Json;
  text: string;
  /**
   * Path of the file, relative to the run's directory; without a schema, the file's name determines how it is checked.
   */
  path: string;
}

/** @throws DevCliError `SCHEMA_INVALID` with the findings */
function requireFitting(form: DataForm, data: HandedData, shown: string): void {
  const findings = listFindings(form, data);
  if (findings.length === 0) return;
  throw new DevCliError('SCHEMA_INVALID', `${shown} is not valid: ${renderCount(findings.length, 'finding')}.`, {
    details: findings.slice(0, FINDINGS_SHOWN),
    fix: `Fix every finding in ${shown}, then repeat the acknowledgement.`,
  });
}

function listFindings({ schema, schemaText }: DataForm, { value, text, path }: HandedData): ErrorDetail[] {
  if (schemaText !== undefined) return validateBySchema(schemaText, value);
  if (schema === 'size') return findSizeFaults(value);
  return checkDocument(schema === 'plan-content' ? 'plan-content.json' : path, text).problems;
}

/**
 * Keeps the data of a block if a condition or placeholder of the recipe uses it; other data, such as a plan, stays only
 * in its file. Data of the schema `size` is also a size claim, which may set the run's size (recipes.md, Size).
 * @param given the file that the refusal names, and its size
 * @throws DevCliError `DATA_MALFORMED` when it is too large to keep
 */
function keepData(
  tx: Transaction,
  block: ResolvedBlock & DataForm,
  value: Json,
  { shown, bytes }: { shown: string; bytes: number },
): void {
  if (block.schema === 'size') recordSizeClaim(tx, block.id, value as unknown as SizeClaim);
  if (block.keepsData !== true) return;
  if (bytes > KEPT_BYTES) {
    throw new DevCliError(
      'DATA_MALFORMED',
      `${shown} has ${bytes} bytes; the data of a block has at most ${KEPT_BYTES}.`,
      {
        details: [{ target: shown, problem: `${bytes} bytes, at most ${KEPT_BYTES}` }],
        fix: 'Give only what later steps need for their decisions; move long parts into a file and name that file.',
      },
    );
  }
  tx.state.data = { ...tx.state.data, [block.id]: value };
}
