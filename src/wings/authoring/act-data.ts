import type { DataInput } from '../../base/invocation.js';
import { isRecord } from '../../base/json.js';
import type { PendingAction } from '../../run/action.js';
import { getSize } from '../../run/facts.js';
import { parseDisplayPath } from '../../run/paths.js';
import type { Transaction } from '../../run/transaction.js';
import { buildValue } from './canned/data.js';
import { buildPlan } from './canned/plan.js';
import { scriptError } from './fault.js';
import { type Fixtures, readSaid } from './fixtures.js';
import { toRunPath } from './outputs.js';
import { REHEARSAL_RUN } from './rehearsal.js';
import type { Deed } from './script-schema.js';

/** Supplies the data that agents hand in. */

type Asking = Extract<PendingAction, { action: 'llm' | 'llm-loop' | 'llm+cli' }>;

/**
 * Builds the data of an acknowledgement: the script's or, if it gives none, canned data in the form that the action
 * asks for.
 */
export async function buildData(
  tx: Transaction,
  action: PendingAction,
  deed: Deed,
  fixtures: Fixtures,
): Promise<{ data?: DataInput }> {
  if (!('data' in action) || action.data === undefined) {
    if (deed.data !== undefined) throw scriptError('data', `${action.block} does not ask for data.`);
    return {};
  }
  if (action.action === 'llm+cli') return {};
  const { write, form, need = {} } = action.data;
  const name = write;
  const text =
    form === 'sections'
      ? renderSections(deed.data === undefined ? cannedSections(need, action.actionId) : said(deed, fixtures))
      : await buildRequestedFile(tx, action, deed, fixtures);
  return { data: { source: 'file', name, text } };
}

const said = ({ data }: Deed, fixtures: Fixtures): unknown =>
  typeof data === 'string' ? readSaid(data, fixtures, 'data') : data;

const cannedSections = (need: Readonly<Record<string, string>>, id: string) =>
  Object.fromEntries(
    Object.keys(need).length === 0
      ? [['decisions', `Canned (${id}).`]]
      : Object.keys(need).map((key) => [key, `Canned ${key} (${id}).`]),
  );

const cannedNote = ({ headings = [] }: { headings?: readonly string[] }, id: string): string =>
  [`# Canned (${id})`, ...headings.flatMap((heading) => [`## ${heading}`, `Canned (${id}).`])].join('\n\n');

function renderSections(value: unknown): string {
  if (!isRecord(value)) return String(value);
  return Object.entries(value)
    .map(([id, text]) => `## ${id}\n\n${typeof text === 'string' ? text : JSON.stringify(text)}\n`)
    .join('\n');
}

/**
 * Builds the file that an action asks for: the script's or, if it gives none, a canned plan, size or value of its
 * schema.
 */
export async function buildRequestedFile(
  tx: Transaction,
  action: Asking,
  deed: Deed,
  fixtures: Fixtures,
): Promise<string> {
  const path = action.data === undefined ? '' : toRunPath(action.data.write);
  const given = deed.data === undefined ? deed.outputs?.[path] : deed.data;
  if (given !== undefined) {
    const value =
      typeof given === 'string'
        ? readSaid(given, fixtures, deed.data === undefined ? `outputs/${path}` : 'data')
        : given;
    if (action.data?.form === 'markdown') return renderSections(value);
    return typeof value === 'string' ? value : JSON.stringify(value);
  }
  if (action.data?.form === 'markdown') return cannedNote(action.data, action.actionId);
  // A rewritten file must differ from the one before, hence the trailing spaces.
  return `${JSON.stringify(await buildCanned(tx, action, path))}${' '.repeat(Number(action.actionId.slice(1)))}\n`;
}

async function buildCanned(tx: Transaction, action: Asking, path: string): Promise<unknown> {
  const { schema } = action.data ?? {};
  if (schema === 'size') return { size: tx.state.size?.said ?? 'large' };
  if (schema === 'plan-content' || path.endsWith('plan-content.json'))
    return buildPlan(tx.state.goal, getSize(tx.state).value);
  const text = schema === undefined ? null : tx.files.text(parseDisplayPath(tx.place, REHEARSAL_RUN, schema));
  return text === null ? { canned: true } : buildValue(text, Number(action.actionId.slice(1)));
}
