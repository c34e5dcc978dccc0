/**
 * Headings of the forms that requests are written in: those of issues, of spec-kit, of OpenSpec. They ask for nothing, so that no
 * requirement has to cover them (documents.md, Requirements).
 */
const HEADINGS = new Set([
  // Issues.
  ...['bug report', 'feature request', 'description', 'describe the bug', 'describe the feature', 'the bug', 'summary'],
  ...[
    'environment',
    'system info',
    'version',
    'versions',
    'your environment',
    'additional context',
    'context',
    'motivation',
  ],
  ...['reproduction', 'to reproduce', 'steps to reproduce', 'how to reproduce', 'minimal reproduction'],
  ...[
    'expected behavior',
    'expected behaviour',
    'actual behavior',
    'actual behaviour',
    'current behavior',
    'current behaviour',
  ],
  ...[
    'logs',
    'relevant log output',
    'screenshots',
    'additional information',
    'possible solution',
    'checklist',
    'acceptance criteria',
  ],
  ...["describe alternatives you've considered", "describe the solution you'd like"],
  // spec-kit.
  ...[
    'user scenarios & testing',
    'edge cases',
    'requirements',
    'functional requirements',
    'non-functional requirements',
  ],
  ...[
    'key entities',
    'success criteria',
    'measurable outcomes',
    'assumptions',
    'acceptance scenarios',
    'execution flow',
  ],
  // OpenSpec.
  ...['why', 'what changes', 'impact', 'goals / non-goals', 'goals', 'non-goals', 'decisions', 'risks / trade-offs'],
  ...['open questions', 'added requirements', 'modified requirements', 'removed requirements'],
]);

/** Whether the words of a heading are those of a form, whatever its marks: `User Scenarios & Testing *(mandatory)*`. */
export function isFormHeading(words: string): boolean {
  const plain = words
    .replace(/[*_`]|[\s#]+$/g, '')
    .replace(/\((?:mandatory|optional|required|if any)\)/i, '')
    .replace(/[’]/g, "'")
    .replace(/\s+/g, ' ')
    .replace(/[\s:?]+$/, '')
    .trim();
  return HEADINGS.has(plain.toLowerCase());
}
