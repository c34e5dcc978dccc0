/** Constants of the contract, kept apart from its schemas so that TypeBox need not be loaded at run time. */

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export const REUSE_POLICIES = ['fresh', 'resume_if_same_artifact', 'resume'] as const;
