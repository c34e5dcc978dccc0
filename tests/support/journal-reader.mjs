// A reader of streams that shares no code with dev-cli: like a reader in another language, it relies only on
// docs/spec/journal-format.md.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @type {number[]} */
const TABLE = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});

/**
 * Replays a stream in a directory.
 * @param {string} directory absolute
 * @returns {string[]} what is wrong with it; empty if `state.json` is, byte for byte, the state that the journal yields
 */
export function replayJournal(directory) {
  const lines = readFileSync(join(directory, 'events.jsonl'), 'utf8').split('\n');
  if (lines.pop() !== '') return ['the last line has no end'];
  /** @type {any} */
  let state;
  for (const [index, line] of lines.entries()) {
    const [, body = '', crc = ''] = /^(.*),"crc":"([0-9a-f]{8})"\}$/s.exec(line) ?? [];
    if (checksum(`${body}}`) !== crc) return [`line ${index + 1} is not whole`];
    const { v, seq, more, patch } = JSON.parse(line);
    if (v !== 3 || seq !== index + 1) return [`line ${index + 1} is version ${v}, entry ${seq}`];
    for (const change of patch) state = apply(state, change);
    if (more !== true && state.seq !== seq) return [`behind entry ${seq}, the state says ${state.seq}`];
  }
  const text = `${JSON.stringify(sort(state), null, 1)}\n`;
  return text === readFileSync(join(directory, 'state.json'), 'utf8')
    ? []
    : ['state.json is not what the journal says'];
}

/** @param {any} state @param {{ op: string, path: string, value?: unknown }} change an operation of RFC 6902 */
function apply(state, { op, path, value }) {
  if (path === '') return value;
  const keys = path
    .slice(1)
    .split('/')
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
  const last = keys.pop() ?? '';
  const parent = keys.reduce((within, key) => within[key], state);
  if (!Array.isArray(parent)) {
    if (op === 'remove') delete parent[last];
    else parent[last] = value;
  } else if (op === 'replace') parent[Number(last)] = value;
  else if (op === 'remove') parent.splice(Number(last), 1);
  else parent.splice(last === '-' ? parent.length : Number(last), 0, value);
  return state;
}

/** @param {any} value @returns {any} */
function sort(value) {
  if (Array.isArray(value)) return value.map(sort);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sort(value[key])]),
  );
}

/** @param {string} text */
function checksum(text) {
  let value = 0xffffffff;
  for (const byte of Buffer.from(text)) value = ((TABLE[(value ^ byte) & 0xff] ?? 0) ^ (value >>> 8)) >>> 0;
  return ((value ^ 0xffffffff) >>> 0).toString(16).padStart(8, '0');
}
