import { DevCliError } from '../../base/errors.js';
import { readDraft } from '../../documents/draft.js';
import { toBoundedLine, toWholeLine } from '../../documents/foreign.js';
import { isSectionId } from '../../documents/sections.js';
import { listConditions } from '../../recipe/conditions/text.js';
import { fillTemplate } from '../../recipe/template.js';
import { getSize } from '../../run/facts.js';
import { getRound, type ReadTransaction, type Transaction } from '../../run/transaction.js';
import { readBlockValue } from './block-values.js';

/**
 * Fills the placeholders of a recipe's text with the values of this run (recipes.md §1).
 * @param block the block whose round `{round}` stands for; null outside any block
 */
export function fillPlaceholders(tx: ReadTransaction, template: string, block: string | null): string {
  return fillTemplate(template, (key) => resolvePlaceholder(tx, key, block));
}

/**
 * Fills the placeholders of a path. A value may name a file but must not lead out of the directory that the recipe
 * names.
 * @throws DevCliError `USAGE` for `..`, for control characters, and when a relative path becomes absolute
 */
export function fillPath(tx: Transaction, template: string, block: string | null): string {
  const path = fillPlaceholders(tx, template, block);
  if (path === template) return path;
  const strays = path.split(/[/\\]/).includes('..') || /\p{Cc}/u.test(path);
  const becameAbsolute = path.startsWith('/') && !template.startsWith('/');
  if (!strays && !becameAbsolute) return path;
  throw new DevCliError(
    'USAGE',
    `The path ${template} of the recipe becomes ${JSON.stringify(path.slice(0, 200))} here.`,
    {
      details: [{ target: template, problem: 'leads out of its directory, or contains control characters' }],
      fix: 'Give its variables and preferences values that are plain file names.',
    },
  );
}

/**
 * Fills the placeholders of a short text, such as an instruction. Foreign values are cleaned, cut and quoted, so that
 * they remain data (product.md, Principles).
 */
export function fillShortText(tx: Transaction, template: string, block: string | null): string {
  return fillQuoted(tx, template, block, (value) => toBoundedLine(value, QUOTE_CAP));
}

/**
 * Fills the placeholders of a prompt file or question: like `fillShortText`, but uncut, because the reader must act on
 * it.
 */
export function fillWholeText(tx: Transaction, template: string, block: string | null): string {
  return fillQuoted(tx, template, block, toWholeLine);
}

function fillQuoted(tx: Transaction, template: string, block: string | null, told: (value: string) => string): string {
  return fillTemplate(template, (key) => {
    const value = resolvePlaceholder(tx, key, block);
    const head = key.split('.')[0] ?? '';
    const ours = OURS.has(head) || (head === 'blocks' && key.split('.')[2] !== 'data');
    return value === undefined || ours ? value : `"${told(value)}"`;
  });
}

/**
 * Placeholders whose values are written by dev-cli or the recipe, not by an agent or a person. So are all values of a
 * block except its data.
 */
const OURS = new Set(['name', 'round', 'size', 'mode', 'root', 'workTree', 'origin']);

/** The most characters of a foreign value that are quoted in an instruction. */
const QUOTE_CAP = 200;

/** Returns the value of a placeholder; undefined when its name is unknown. */
function resolvePlaceholder(tx: ReadTransaction, key: string, block: string | null): string | undefined {
  const [head = '', ...rest] = key.split('.');
  const tail = rest.join('.');
  const { state } = tx;
  switch (head) {
    case 'name':
      return state.name;
    case 'goal':
      return state.goal ?? '';
    case 'root':
      return tx.place.root;
    case 'workTree':
      return tx.place.workTree;
    case 'round':
      return String(getRound(tx, block));
    case 'size':
      // A recipe's own variable `size` takes precedence, because recipes had one before `size` was built in.
      return 'size' in state.vars ? renderReplacement(state.vars['size']) : getSize(state).value;
    case 'mode':
      return state.mode[tail];
    case 'vars':
      return renderReplacement(state.vars[tail]);
    case 'preferences':
      return renderReplacement(state.preferences[tail] ?? null);
    case 'origin':
      return resolveOrigin(tx, tail);
    case 'blocks':
      return tail === '' ? resolveBare(tx, key) : (renderReplacement(readBlockValue(tx, tail)) ?? '');
    case 'draft':
      return readSection(tx, tail);
    default:
      return resolveBare(tx, key);
  }
}

function resolveBare(tx: ReadTransaction, key: string): string | undefined {
  const { vars } = tx.state;
  return key in vars ? renderReplacement(vars[key]) : readSection(tx, key);
}

function resolveOrigin(tx: ReadTransaction, key: string): string {
  const { origin } = tx.state;
  if (origin === null) return '';
  return key === 'attempt' ? String(origin.attempt) : origin.id;
}

function readSection(tx: ReadTransaction, id: string): string | undefined {
  if (!isSectionId(id)) return undefined;
  const draft = tx.files.text('DRAFT.md');
  return draft === null ? '' : readDraft(draft)[id].text;
}

function renderReplacement(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  if (value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The most characters of a result that are kept for conditions. They are limited because they are part of every
 * snapshot.
 */
const RESULT_CAP = 4000;

/** Keeps the text of the last result if a condition of the recipe uses it (recipes.md, Conditions). */
export function rememberResult(tx: Transaction, text: string): void {
  if (!isResultRead(tx)) return;
  tx.state.result = text.slice(0, RESULT_CAP).replace(/[\uD800-\uDBFF]$/, '');
}

/** Whether any condition of the recipe uses `result`. */
export function isResultRead({ captured }: Pick<Transaction, 'captured'>): boolean {
  return listConditions(captured.recipe).some((condition) => /\bresult\b/.test(condition));
}
