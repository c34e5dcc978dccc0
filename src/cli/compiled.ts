import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';
import { getSystemCode } from '../base/errors.js';
import { loadLazily } from '../base/lazy.js';

const writeFileAtomic = loadLazily<typeof import('write-file-atomic')>('write-file-atomic');

/** The directory of the program's bundles (its parts), and the directory that caches their compiled code. */
export interface ProgramDirectories {
  directory: string;
  cache: string;
}

/**
 * How many 32-bit numbers precede the code in an entry: the checksum of the rest of the entry, the source's checksum
 * and length, then the kinds of calls whose compiled functions the entry contains.
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
  /** The kinds of calls whose compiled functions are in the entry; empty without a usable entry. */
  kinds: number[];
}

/**
 * Runs a part of the program, and the parts that it requires, from code that earlier calls have compiled. When this
 * call ends, adds the functions that it has compiled (house.md, Speed). Ignores an entry that is damaged, stale or from
 * another Node version.
 * @param name the name of a file in `directory` that contains only ASCII (scripts/build.mjs)
 */
export function loadCompiled(places: ProgramDirectories, name: string): void {
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

function compile({ directory, cache }: ProgramDirectories, name: string): Part {
  const filename = join(directory, name);
  const bytes = readFileSync(filename);
  const source: Part['source'] = [crc32(bytes), bytes.length];
  // The file name depends on the program and on Node, so that different versions do not overwrite each other's entries.
  const file = join(cache, `${name}-${crc32(`${filename} ${process.version} ${process.arch}`).toString(16)}`);
  const entry = readEntry(file, source);
  const text = `(function (exports, require, module, __filename, __dirname) {${bytes.toString('latin1')}\n})`;
  const script = new Script(text, { filename, ...(entry !== null && { cachedData: entry.code }) });
  const kinds = entry === null || script.cachedDataRejected === true ? [] : entry.kinds;
  return { exports: {}, script, source, file, kinds };
}

/** Reads a cache entry. @returns null if there is none for this source, or if it is damaged, since V8 would run it */
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
 * Saves the compiled code once for each kind of call, that is, for each combination of command, options and loaded
 * parts. Functions are compiled when first called, so another kind of call may add some; finding out whether it did
 * would cost more than saving.
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
