/**
 * `.dev/.gitignore`: a whitelist (storage.md, Layout). What is not shared on purpose stays out of git, so that a checkout
 * never rewinds a live run.
 */
export const GITIGNORE = `# Written by dev-cli. Runs stay on this machine; only what people share is tracked.
/*
!/.gitignore
!/preferences.yaml
!/recipes/
!/workflows/
!/agents/
!/specs/
/specs/*
!/specs/*/
/specs/*/*
!/specs/*/PLAN.md
!/specs/*/plan-content.json
!/specs/*/summary.md
!/specs/*/report.md
`;
