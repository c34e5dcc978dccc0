/** Returns the key of a role's variant in recipe.json, which is also its file's name (recipes.md, Agents). */
export function getVariantKey(type: string, variant: string): string {
  return `${type}.${variant}`;
}
