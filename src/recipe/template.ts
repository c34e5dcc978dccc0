/** A placeholder in a recipe's text. */
export interface Placeholder {
  /** The text between the braces, such as `draft.intent` or `name`. */
  key: string;
  /** Offset of the opening brace. */
  start: number;
  /** Offset after the closing brace. */
  end: number;
}

/** Matches `{{` first, so that an escaped brace never begins a placeholder. */
const PIECE = /\{\{|\{([a-z][A-Za-z0-9_.-]*)\}/g;

/** Lists the placeholders of a text in order (recipes.md §1). `{{` is an escaped brace; other braces are text. */
export function listPlaceholders(text: string): Placeholder[] {
  return [...text.matchAll(PIECE)].flatMap((match) =>
    match[1] === undefined ? [] : [{ key: match[1], start: match.index, end: match.index + match[0].length }],
  );
}

/**
 * Fills the placeholders of a text and turns `{{` into `{`. Placeholders in the inserted values are not filled.
 * @param lookup returns the value of a placeholder, or undefined to leave it unfilled
 */
export function fillTemplate(text: string, lookup: (key: string) => string | undefined): string {
  return text.replace(PIECE, (whole, key: string | undefined) => (key === undefined ? '{' : (lookup(key) ?? whole)));
}

/** Escapes a text so that `fillTemplate` returns exactly that text. */
export function escapeTemplate(text: string): string {
  return text.replace(/\{/g, '{{');
}
