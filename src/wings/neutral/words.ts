/** Words of the contract, apart from its schemas: what is run needs no TypeBox. */

export const TASK_STATUSES = ['pending', 'in_progress', 'completed'] as const;
export const REUSE_POLICIES = ['fresh', 'resume_if_same_artifact', 'resume'] as const;
