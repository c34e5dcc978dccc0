/** What a variant of a role is captured under, and its file called (recipes.md §2, `promptVariant`). */
export function variantKey(type: string, variant: string): string {
  return `${type}.${variant}`;
}
