import { dirname } from 'node:path';
import { sha256 } from '../../../base/sha256.js';
import { ensureDirectory, writeDurably } from '../../../store/durable.js';
import { resolveWritePath, type ToolPath } from './place.js';
import { type ReadMarks, readBytes, readTextFile } from './read.js';
import { FILE_BYTES } from './specs.js';
import { type CallPlan, ToolRefusal, type ToolScope } from './tool.js';

interface EditInput {
  path: string;
  old_string: string;
  new_string: string;
  replace_all?: boolean;
}

/** Plans a call of `write_file`. @throws ToolRefusal, system errors */
export function planWrite(
  { path, content }: { path: string; content: string },
  site: ToolScope,
  marks: ReadMarks,
): CallPlan {
  const place = resolveWritePath(path, site);
  const found = readBytes(place);
  const before = found === null ? null : sha256(found);
  const told = `${before === null ? 'Created' : 'Replaced'} ${place.name}`;
  return planFile(place, { before, content, told }, site, marks);
}

/** Plans a call of `edit_file`. @throws ToolRefusal, system errors */
export function planEdit(input: EditInput, site: ToolScope, marks: ReadMarks): CallPlan {
  const place = resolveWritePath(input.path, site);
  const { text, digest } = readTextFile(place);
  const { name } = place;
  const known = marks.digestAtRead(place.path);
  if (known === null) throw new ToolRefusal(`${name} has not been read in this session; read it, then edit it`);
  if (known !== digest) throw new ToolRefusal(`${name} has changed since it was read; read it again, then edit it`);
  if (input.old_string === '') throw new ToolRefusal('old_string is empty');
  if (input.old_string === input.new_string) throw new ToolRefusal('old_string and new_string are equal');
  const { before, after } = fitLineEnds(text, input);
  const pieces = text.split(before);
  const count = pieces.length - 1;
  if (count === 0) throw new ToolRefusal(`old_string does not occur in ${name}`);
  if (count > 1 && input.replace_all !== true)
    throw new ToolRefusal(`old_string occurs ${count} times in ${name}; add more context, or set replace_all`);
  const told = `Edited ${name}: ${count} ${count === 1 ? 'occurrence' : 'occurrences'} replaced`;
  return planFile(place, { before: digest, content: pieces.join(after), told }, site, marks);
}

/** Adapts the input's line ends to the file: the model sees lines without carriage returns, and may write none. */
function fitLineEnds(text: string, { old_string: before, new_string: after }: EditInput) {
  const isBare = text.includes('\r\n') && !text.includes(before) && !before.includes('\r');
  const fitted = (one: string) => (isBare ? one.replace(/\r?\n/g, '\r\n') : one);
  return { before: fitted(before), after: fitted(after) };
}

type Change = { before: string | null; content: string; told: string };

function planFile(place: ToolPath, { before, content, told }: Change, site: ToolScope, marks: ReadMarks): CallPlan {
  const bytes = Buffer.from(content);
  if (bytes.length > FILE_BYTES) throw new ToolRefusal(`${place.name} would be larger than 10 MiB`);
  const after = sha256(bytes);
  const write = async () => {
    // Resolved again, because a link may have replaced a directory while a person was being asked.
    const now = resolveWritePath(place.lexical, site);
    const found = now.path === place.path ? readBytes(now) : null;
    const digest = found === null ? null : sha256(found);
    if (now.path !== place.path || (digest !== before && digest !== after))
      throw new ToolRefusal(`${place.name} has changed in the meantime; nothing was written`);
    if (digest !== after) {
      ensureDirectory(dirname(place.path));
      writeDurably(place.path, bytes);
    }
    marks.note(place.path, after);
    return { output: told, isError: false };
  };
  return { kind: 'file', path: place.path, before, after, write };
}
