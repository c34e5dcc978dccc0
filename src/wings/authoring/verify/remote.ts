import { findExternalCommand } from '../../../recipe/external-commands.js';
import type { BlockCommand, ResolvedBlock } from '../../../recipe/resolved.js';

/** Commands that talk to a remote, as the recipe writes them. */
const OUTSIDE = /(?:^|[\s;&|('"])(?:gh|git\s+(?:-[cC]\s+\S+\s+|-\S+\s+)*(?:push|fetch|pull|ls-remote))(?:[\s;&|)'"]|$)/;

/** Whether a command can only succeed where the repository has a remote. */
export function needsRemote({ kind, command }: BlockCommand): boolean {
  return kind === 'own' ? command.command === 'pull-request open' : OUTSIDE.test(command.source);
}

/** The command on which a block depends, its exit check included; null where it has none. */
export function findCommand(block: ResolvedBlock): BlockCommand | null {
  if ('command' in block && block.command !== undefined) return block.command;
  const external = findExternalCommand(block);
  return external && { kind: 'external', command: external.command };
}
