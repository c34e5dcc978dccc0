/**
 * The test file that a new recipe begins with: it passes at once, as everything in it is canned (authoring.md, recipe test).
 * @param recipe its name
 * @param schema where an editor finds the schema of tests
 */
export function renderNewTest(recipe: string, schema: string): string {
  return `# yaml-language-server: $schema=${schema}
# Run it: dev-cli recipe test. See what a run asks for: dev-cli recipe simulate ${recipe}

recipe: ${recipe}
# Raise it as you add cases; dev-cli recipe test names the transitions that none has taken.
coverage: 0
given: { goal: What a user asks for }

cases:
  - name: all goes well
    end: { outcome: completed }

  # A step says what comes, and what is done; what it leaves out is canned.
  # - name: somebody cannot go on
  #   steps:
  #     - until: BLOCK
  #       fail: why it cannot be done
  #   end: { outcome: halted }
`;
}
