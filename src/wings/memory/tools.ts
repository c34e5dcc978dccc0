import type { CommandTool } from '../../registry/spec.js';
import { HANDOFF_TEXTS } from './specs.js';

const group = 'memory';

/**
 * The memory tools that agents call without a shell (memory.md, MCP). Every session gets their descriptions, so each
 * word counts.
 */
export const MEMORY_TOOLS = [
  {
    group,
    name: 'transfer_set_decision',
    command: 'memory decide',
    description:
      'Record a decision: a choice, an aim or its change, with the reason. Not progress, a version bump or a test result.',
    idempotent: true,
  },
  {
    group,
    name: 'transfer_set_verification',
    command: 'memory verify',
    description: 'Record the result of a check as a claim. Proof is `dev-cli memory verify -- COMMAND` in a shell.',
    keys: ['text', 'outcome'],
    required: ['text'],
    idempotent: true,
  },
  { group, name: 'transfer_set_relevant', command: 'memory relevant', idempotent: true },
  { group, name: 'checkpoint_create', command: 'memory checkpoint' },
  {
    group,
    name: 'guard_check',
    command: 'memory verify',
    description: 'Repeat verifications that failed or are stale, and say whether they pass now.',
    keys: [],
    fixed: { again: true },
  },
  {
    group,
    name: 'handoff_create',
    command: 'transfer',
    description:
      'Hand over at the end of a session: records what is given, and writes where the work stands into PROJECT_CONTEXT.md.',
    keys: Object.keys(HANDOFF_TEXTS),
    required: ['sessionSummary', 'firstNextAction'],
    fixed: { handoff: true },
  },
  { group, name: 'project_context_get', command: 'context' },
] as const satisfies readonly CommandTool[];
