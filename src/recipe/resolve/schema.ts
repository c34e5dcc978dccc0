import { findSuggestion } from '../../base/suggest.js';
import { findJsonFault } from '../../documents/json-fault.js';
import type { DataForm } from '../resolved.js';
import type { ProblemLog } from '../source/report.js';
import { quoteWord } from '../source/yaml.js';
import { findSchemaProblem } from '../user-schema.js';
import { type ReadSibling, readSiblingText } from './text.js';

/** The schemas that a recipe can name; `dev-cli schema NAME` prints them (recipes.md, Data). */
const SHIPPED_SCHEMAS: readonly string[] = ['plan-content', 'size'];

/** What stands in for a schema that does not hold up: data are handed in, and nothing else is known of them. */
const ANYTHING = '{}';

/** Resolves the schema of what an agent hands in: a shipped one by its name, or a file beside the recipe. */
export function resolveSchema(
  schema: string | undefined,
  place: readonly (string | number)[],
  report: ProblemLog,
  read: ReadSibling,
): DataForm {
  if (schema === undefined) return {};
  if (SHIPPED_SCHEMAS.includes(schema)) return { schema };
  if (!schema.endsWith('.json')) {
    const near = findSuggestion(schema, [...SHIPPED_SCHEMAS]);
    const meant = near === undefined ? '' : ` Did you mean ${quoteWord(near)}?`;
    report.error(place, `There is no shipped schema ${quoteWord(schema)}.${meant}`, {
      fix: `Write ${SHIPPED_SCHEMAS.map(quoteWord).join(' or ')}, or the path of a .json file beside the recipe.`,
    });
    return { schema, schemaText: ANYTHING };
  }
  const text = readSiblingText(schema, place, report, read);
  if (text === null) return { schema, schemaText: ANYTHING };
  const malformed = findJsonFault(text);
  const source = malformed === null ? null : read(schema);
  if (malformed !== null && source !== null && 'text' in source) {
    const span = { start: malformed.offset, end: malformed.offset + 1 };
    report.error({ ...source, span }, `This is not valid JSON: expected ${malformed.expected}.`);
    return { schema, schemaText: ANYTHING };
  }
  const fault = findSchemaProblem(text);
  if (fault === null) return { schema, schemaText: text };
  report.error(place, `${quoteWord(schema)} is not a JSON Schema: ${fault}.`);
  return { schema, schemaText: ANYTHING };
}
