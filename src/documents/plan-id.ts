/** What todos, acceptances, inputs and outputs of a plan may be called. */
export const PLAN_ID = '^[A-Za-z0-9][A-Za-z0-9_-]*$';
