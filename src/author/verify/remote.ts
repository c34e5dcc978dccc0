import type { BlockCommand } from '../../recipe/resolved.js';

/** Commands that talk to a remote, as the recipe writes them. */
const OUTSIDE = /(?:^|[\s;&|(])(?:gh|git\s+(?:-\S+\s+)*(?:push|fetch|pull|ls-remote))(?:\s|$)/;

/** Whether a command can only succeed where the repository has a remote. */
export function needsRemote({ kind, command }: BlockCommand): boolean {
  return kind === 'own' ? command.command === 'pull-request open' : OUTSIDE.test(command.source);
}
