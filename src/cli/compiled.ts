import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';

const writeFileAtomic = loadLazily<typeof import('write-file-atomic')>('write-file-atomic');

/** Where the parts of the program lie, and where what they were compiled to is kept: a directory that is fit for it. */
export interface Places {
  directory: string;
  cache: string;
}

/**
 * Numbers of 32 bits before the code in an entry: the checksum of all that follows, that of the source with its length, then the kinds of
 * calls that it was kept after.
 */
const HEADER = 64;

interface Entry {
  kinds: number[];
  code: Buffer;
}

interface Part {
  exports: unknown;
  script: Script;
  source: [checksum: number, length: number];
  file: string;
  /** Of calls whose compiled functions are in the entry; none where there is no entry that can be used. */
  kinds: number[];
}

/**
 * Runs a part of the program, and what it requires of the others, from what earlier calls compiled it to; at the end of this one, the
 * functions that it compiled are kept, too (house.md, Speed). An entry that is damaged, stale or of another Node is as none.
 * @param name of a file of `directory`, which holds nothing but ASCII (scripts/build.mjs)
 */
export function loadCompiled(places: Places, name: string): void {
  const parts = new Map<string, Part>();
  process.once('exit', () => keepCompiled(parts));
  load(name);

  function load(name: string): unknown {
    const known = parts.get(name);
    if (known !== undefined) return known.exports;
    const part = compile(places, name);
    parts.set(name, part);
    const run = part.script.runInThisContext() as (...given: unknown[]) => void;
    run(part.exports, requirePart, part, join(places.directory, name), places.directory);
    return part.exports;
  }

  function requirePart(id: string): unknown {
    return id.startsWith('./') ? load(id.slice(2)) : require(id);
  }
}

function compile({ directory, cache }: Places, name: string): Part {
  const filename = join(directory, name);
  const bytes = readFileSync(filename);
  const source: Part['source'] = [crc32(bytes), bytes.length];
  // Two versions of dev-cli, or of Node, leave each other's entries alone.
  const file = join(cache, `${name}-${crc32(`${filename} ${process.version} ${process.arch}`).toString(16)}`);
  const entry = readEntry(file, source);
  const text = `(function (exports, require, module, __filename, __dirname) {${bytes.toString('latin1')}\n})`;
  const script = new Script(text, { filename, ...(entry !== null && { cachedData: entry.code }) });
  const kinds = entry === null || script.cachedDataRejected === true ? [] : entry.kinds;
  return { exports: {}, script, source, file, kinds };
}

/** @returns null when there is none for this source, or it is damaged: V8 would run whatever is in it */
function readEntry(file: string, [checksum, length]: Part['source']): Entry | null {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    if (getSystemCode(error) === undefined) throw error;
    return null;
  }
  if (bytes.length < 4 * HEADER || bytes.readUInt32LE() !== crc32(bytes.subarray(4))) return null;
  const [, ofChecksum, ofLength, ...kinds] = readHeader(bytes);
  if (ofChecksum !== checksum || ofLength !== length) return null;
  return { kinds: kinds.filter((kind) => kind !== 0), code: bytes.subarray(4 * HEADER) };
}

const readHeader = ({ buffer, byteOffset }: Buffer) => new Uint32Array(buffer, byteOffset, HEADER);

/**
 * Keeps what was compiled after each kind of call once: functions are compiled when they are first called, and to find out whether a call
 * has compiled any costs more than they do. A kind is its command with its options, and the parts that it came to.
 */
function keepCompiled(parts: ReadonlyMap<string, Part>): void {
  const words = process.argv.slice(2).filter((word, index) => index === 0 || word.startsWith('--'));
  const kind = crc32([...words.map((word) => word.replace(/=.*/s, '')), ...parts.keys()].join(' '));
  for (const { script, source, file, kinds } of parts.values()) {
    const numbers = [...source, ...kinds, kind];
    if (kinds.includes(kind) || numbers.length >= HEADER) continue;
    const bytes = Buffer.concat([Buffer.alloc(4 * HEADER), script.createCachedData()]);
    readHeader(bytes).set(numbers, 1);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)));
    try {
      writeFileAtomic().sync(file, bytes, { mode: 0o600, fsync: false });
    } catch (error) {
      if (getSystemCode(error) === undefined) throw error;
      return;
    }
  }
}
