import { renderModeline } from '../../../project/editor-schemas.js';

/**
 * Renders the test file of a recipe that has none: it passes at once, as everything in it is canned (authoring.md, recipe test).
 * @param recipe its name
 * @param file where the test will lie, relative to the root
 */
export function renderFirstTest(recipe: string, file: string): string {
  return `${renderModeline(file, 'recipe-test')}
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
