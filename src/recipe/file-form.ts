/** In which form an agent writes the file that an `llm+cli` block promises: its name says it (recipes.md, Data). */
export function getFileForm({ write }: { write: string }): 'json' | 'markdown' {
  return write.endsWith('.md') ? 'markdown' : 'json';
}
