import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { BlockCommand, ResolvedBlock } from '../../../recipe/resolved.js';

/** Shell commands that access a remote. */
const OUTSIDE = /(?:^|[\s;&|('"])(?:gh|git\s+(?:-[cC]\s+\S+\s+|-\S+\s+)*(?:push|fetch|pull|ls-remote))(?:[\s;&|)'"]|$)/;

/** Returns whether a command can succeed only if the repository has a remote. */
export function needsRemote({ kind, command }: BlockCommand): boolean {
  return kind === 'own' ? command.command === 'pull-request open' : OUTSIDE.test(command.source);
}

/** Returns the command of a block, or of its exit check; null if it has none. */
export function findBlockCommand(block: ResolvedBlock): BlockCommand | null {
  if ('command' in block && block.command !== undefined) return block.command;
  const external = findExternalCommand(block);
  return external && { kind: 'external', command: external.command };
}
