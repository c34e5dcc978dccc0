/** The formats that `plan import` reads (plans-from-elsewhere.md, Formats). */
export const IMPORT_FORMATS = ['openspec', 'speckit', 'superpowers', 'nexus', 'markdown'] as const;

export type ImportFormat = (typeof IMPORT_FORMATS)[number];
