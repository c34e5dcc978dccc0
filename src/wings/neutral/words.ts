/** Constants of the contract, separate from its schemas: at run time, TypeBox is not needed. */

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export const REUSE_POLICIES = ['fresh', 'resume_if_same_artifact', 'resume'] as const;
