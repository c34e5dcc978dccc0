/** A placeholder in a text of a recipe. */
export interface Placeholder {
  /** The text between the braces, such as `draft.intent` or `name`. */
  key: string;
  /** Offset of the opening brace. */
  start: number;
  /** Offset after the closing brace. */
  end: number;
}

/** `{{` comes first: an escaped brace begins no placeholder. */
const PIECE = /\{\{|\{([a-z][A-Za-z0-9_.-]*)\}/g;

/** Lists the placeholders of a text in order (recipes.md §1). Other braces are text; `{{` is an escaped brace. */
export function listPlaceholders(text: string): Placeholder[] {
  return [...text.matchAll(PIECE)].flatMap((match) =>
    match[1] === undefined ? [] : [{ key: match[1], start: match.index, end: match.index + match[0].length }],
  );
}

/**
 * Fills the placeholders of a text and turns `{{` into `{`. Braces in the values are not filled again.
 * @param lookup returns the value of a placeholder; undefined leaves the placeholder as it is
 */
export function fillTemplate(text: string, lookup: (key: string) => string | undefined): string {
  return text.replace(PIECE, (whole, key: string | undefined) => (key === undefined ? '{' : (lookup(key) ?? whole)));
}

/** Escapes a text so that filling it gives exactly that text. */
export function escapeTemplate(text: string): string {
  return text.replace(/\{/g, '{{');
}
