/** DRAFT.md's sections in order (documents.md, DRAFT.md). */
export const SECTION_IDS = [
  'intent',
  'purpose',
  'boundaries',
  'criteria',
  'decisions',
  'findings',
  'direction',
  'assumptions',
] as const;

export type SectionId = (typeof SECTION_IDS)[number];

export function isSectionId(text: string): text is SectionId {
  return (SECTION_IDS as readonly string[]).includes(text);
}
