/** What a variant of a role is captured under, and its file called (recipes.md, Agents). */
export function getVariantKey(type: string, variant: string): string {
  return `${type}.${variant}`;
}
