/** The pattern for ids of todos and acceptances of a plan. */
export const PLAN_ID = '^[A-Za-z0-9][A-Za-z0-9_-]*$';
/** The pattern for names of inputs and outputs. */
export const VALUE_NAME = '^[A-Za-z_][A-Za-z0-9_-]*$';
