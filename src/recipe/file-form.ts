import type { ResolvedBlock } from './resolved.js';

/** In which form an agent writes the file that an `llm+cli` block promises: its name says it (recipes.md, Data). */
export function getFileForm({ write }: { write: string }): 'json' | 'markdown' {
  return write.endsWith('.md') ? 'markdown' : 'json';
}

/** Whether a block has its agent write a plan, of which it is shown an example. */
export function writesPlan(block: ResolvedBlock): boolean {
  return 'write' in block && block.schema === 'plan-content';
}
