import { DevCliError } from '../../base/errors.js';
import type { DataInput } from '../../base/invocation.js';
import { isRecord, type Json } from '../../base/json.js';
import { parseJson, parseSections } from '../../documents/section-data.js';
import { isSectionId, SECTION_IDS, type SectionId } from '../../documents/sections.js';
import type { PendingDocuments } from '../../run/documents/pending.js';

/**
 * Reads the data of a command. It comes from the command line or from a recipe, where `--data FILE` names a file in the
 * run's directory, even without `@` (recipes.md, Commands).
 * @throws DevCliError `DATA_MISSING`
 */
export function readCommandData(value: unknown, files: PendingDocuments): DataInput {
  if (isDataInput(value)) return value;
  if (typeof value === 'string') {
    const path = value.startsWith('@') ? value.slice(1) : value;
    const text = files.text(path);
    if (text === null || text.trim() === '') {
      throw new DevCliError('DATA_MISSING', `${path} is ${text === null ? 'missing' : 'empty'}.`, {
        details: [{ target: path, problem: text === null ? 'not written' : 'empty' }],
        fix: `Write ${path} first.`,
      });
    }
    return { source: 'file', name: path, text };
  }
  throw new DevCliError('DATA_MISSING', 'This command needs data.', {
    fix: "Give it as --data @FILE, --data - (standard input) or --data '<json>'.",
  });
}

/**
 * Parses data into values of draft sections: the sections of a `.md` file, or JSON with section ids as keys. If the
 * caller named a `section`, any other text or JSON becomes the value of that section.
 * @throws DevCliError `UNKNOWN_SECTION`, `DATA_MALFORMED`
 */
export function parseSectionValues(data: DataInput, section: SectionId | undefined): Partial<Record<SectionId, Json>> {
  if (data.name?.endsWith('.md')) {
    const holdsHeadings = /^##[ \t]+[a-z]+[ \t]*$/m.test(data.text);
    if (section !== undefined && !holdsHeadings) return { [section]: data.text.trim() };
    return parseSections(data.text);
  }
  const value = parseJson(data.text);
  if (isRecord(value) && Object.keys(value).length > 0 && Object.keys(value).every(isSectionId)) {
    return value as Partial<Record<SectionId, Json>>;
  }
  if (section !== undefined) return { [section]: value };
  const keys = isRecord(value) ? Object.keys(value).filter((key) => !isSectionId(key)) : [];
  throw new DevCliError(
    keys.length > 0 ? 'UNKNOWN_SECTION' : 'DATA_MALFORMED',
    keys.length > 0
      ? `DRAFT.md has no section ${keys.map((key) => JSON.stringify(key.slice(0, 40))).join(', ')}.`
      : 'Without --section the data must be an object whose keys are section ids.',
    {
      fix: `Name one section with --section, or use only these keys: ${SECTION_IDS.join(', ')}.`,
    },
  );
}

function isDataInput(value: unknown): value is DataInput {
  return isRecord(value) && typeof value['text'] === 'string' && typeof value['source'] === 'string';
}
