import type { ImportNotes } from '../notes.js';
import { hasBox, readItems, type SourceDocument } from '../read-source.js';
import { createSourcePlan, type SourcePlan } from '../source-plan.js';
import { readPhases, type TaskListTest, toTaskId } from './task-lists.js';

/** Matches `1.2 Title` and `1.2. Title`. In `1. Title`, the number belongs to the list and is no id. */
export const NUMBERED = { pattern: /^(\d+(?:\.\d+)+)\.?\s+/, id: toTaskId };

/**
 * Reads a plain list: its entries become tasks, nested entries their steps. If there are checkboxes, only lists with
 * checkboxes count; otherwise numbered lists, if any; otherwise every list.
 */
export function readMarkdownPlan(document: SourceDocument, notes: ImportNotes): SourcePlan {
  const [title] = document.sections.filter(({ depth }) => depth > 0);
  const plan = createSourcePlan('markdown', title?.title || getBaseName(document.path));
  plan.core = title?.title || null;
  const isTasks = chooseLists(document);
  const options = { isTasks, naming: NUMBERED, isRequestFirst: true };
  readPhases(document.sections, plan, { document, notes }, options);
  return plan;
}

function chooseLists(document: SourceDocument): TaskListTest {
  const lists = document.sections.flatMap(({ blocks }) =>
    blocks.flatMap((block) => (block.type === 'list' ? [{ block, items: readItems(block, document) }] : [])),
  );
  if (lists.some(({ items }) => items.some(hasBox))) return (_, items) => items.some(hasBox);
  return lists.some(({ block }) => block.ordered === true) ? (list) => list.ordered === true : () => true;
}

function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.md$/i, '');
}
