import type { FileReader } from '../../../base/files.js';
import { renderForeignBlock } from '../../../documents/foreign.js';
import type { PendingAction } from '../../../run/action.js';
import type { Context } from '../../../run/context.js';

type Place = Pick<Context, 'reader' | 'root' | 'library'>;

/** Maximum characters of all files whose text a message includes; of further files, it gives only the paths. */
const READ_CAP = 48 * 1024;

/**
 * Renders the first message of a session about its action (runtime.md, Driving): what to do, what to write, what to
 * choose from, and then, fenced, the files to read.
 */
export function renderActionMessage(action: PendingAction, place: Place): string {
  const { reader, root } = place;
  // The task comes first: when a history is shortened, the beginning of the user's first message is kept.
  const parts = [action.instruction];
  if ('data' in action && action.data !== undefined) parts.push(renderData(action.data, place));
  const choices = 'choices' in action ? (action.choices ?? []) : [];
  if (choices.length > 0)
    parts.push(
      ['Choose one and pass it to finish:', ...choices.map(({ id, label }) => `- ${id}: ${label}`)].join('\n'),
    );
  parts.push('Call finish when it is done.');
  if (action.consult !== undefined) parts.push(`Read only if you need it: ${action.consult.join(', ')}`);
  parts.push(...renderFiles(action.read ?? [], reader, root));
  return parts.join('\n\n');
}

function renderFiles(paths: readonly string[], reader: FileReader, root: string): string[] {
  let left = READ_CAP;
  return paths.map((path) => {
    const text = reader.read(toAbsolute(path, root));
    if (text === null) return `${path} does not exist.`;
    if (text.length > left) return `Read ${path} first.`;
    left -= text.length;
    return renderForeignBlock(text, { label: path });
  });
}

type Data = NonNullable<Extract<PendingAction, { action: 'llm' }>['data']>;

function renderData({ write, form, schema, need = {}, headings = [] }: Data, { reader, root, library }: Place): string {
  const forms = {
    sections: 'Markdown, with a heading `## <section id>` for each section',
    json: 'JSON',
    markdown: 'Markdown',
  };
  return [
    `Write ${toAbsolute(write, root)}: ${forms[form]}.`,
    ...(schema === undefined
      ? []
      : [`It must match this schema: ${reader.read(findSchema(schema, root, library.shipped))}`]),
    ...Object.entries(need).map(([section, line]) => `- ${section}: ${line}`),
    ...headings.map((heading) => `It must have the heading ${heading}.`),
  ].join('\n');
}

/** Returns the file of a schema: dev-cli's own, which an action names, or one of the recipe, of which it has the path. */
function findSchema(schema: string, root: string, shipped: string): string {
  return schema.endsWith('.json') ? toAbsolute(schema, root) : `${shipped}/schemas/${schema}.schema.json`;
}

function toAbsolute(path: string, root: string): string {
  return path.startsWith('/') ? path : `${root}/${path}`;
}
