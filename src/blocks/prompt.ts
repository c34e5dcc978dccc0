// door: plan

import { renderPlanTemplate } from '../plan/model/template.js';
import { writesPlan } from '../recipe/declared.js';
import type { InstructedBlock, ResolvedBlock } from '../recipe/resolved.js';
import type { Transaction } from '../run/transaction.js';
import { findRequestDocument, renderNotes, renderRequest } from './request.js';
import { listReadable } from './values/readable.js';
import { fillWholeText } from './values/values.js';

/** The prompt file beside an action of the main agent. */

/**
 * Writes the prompt file of an action.
 * @returns its path, or the path of the block's previous prompt file if that has the same text; null when there is
 * nothing to say
 */
export function writePrompt(
  tx: Transaction,
  block: ResolvedBlock & InstructedBlock,
  actionId: string,
): { file: string; isKnown: boolean } | null {
  const text = renderBlockPrompt(tx, block);
  if (text === null) return null;
  const known = findSamePrompt(tx, block.id, text);
  if (known !== null) return { file: known, isKnown: true };
  const file = getPromptFile(actionId);
  tx.files.write(file, text);
  return { file, isKnown: false };
}

function getPromptFile(actionId: string): string {
  return `actions/${actionId}/prompt.md`;
}

/** Finds the block's previous prompt file, if it has the same text; null otherwise. */
function findSamePrompt(tx: Transaction, block: string, prompt: string): string | null {
  const earlier = Object.entries(tx.state.acknowledged).flatMap(([id, asked]) => (asked.block === block ? [id] : []));
  const files = earlier.sort((one, other) => Number(other.slice(1)) - Number(one.slice(1))).map(getPromptFile);
  const last = files.find((file) => tx.files.text(file) !== null);
  return last !== undefined && tx.files.text(last) === prompt ? last : null;
}

/**
 * Renders the rules that follow the block's instruction, the request, and an example where one helps. Null when there
 * is nothing beyond the instruction.
 */
function renderBlockPrompt(tx: Transaction, block: ResolvedBlock & InstructedBlock): string | null {
  const example = writesPlan(block) ? renderPlanTemplate() : null;
  const parts = [...listRules(tx, block), ...renderOwnRequest(tx, block)];
  if (example !== null) {
    parts.push(renderNotes(tx), `## Example, which \`dev-cli plan template\` prints\n\n${example.trim()}`);
  }
  return parts.length === 0 ? null : `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

/** Returns the part of a block's text that comes after its instruction; empty if there is none. */
function listRules(
  tx: Transaction,
  { id, instruction, instructionText = instruction }: ResolvedBlock & InstructedBlock,
) {
  const rules = instructionText.startsWith(`${instruction}\n`)
    ? instructionText.slice(instruction.length)
    : instructionText;
  const text = fillWholeText(tx, rules, id).trim();
  return text === '' || text === instruction ? [] : [text];
}

/**
 * Renders the request for the main agent. If a document that it must read contains the request, renders nothing; if a
 * document that it may consult does, names that document.
 */
function renderOwnRequest(tx: Transaction, { id, read, consult }: InstructedBlock): string[] {
  if (findRequestDocument(tx, listReadable(tx, read, id)) !== undefined) return [];
  const holder = findRequestDocument(tx, listReadable(tx, consult, id));
  return [holder === undefined ? renderRequest(tx) : `## The request\n\nIn ${holder}, word for word.`];
}
