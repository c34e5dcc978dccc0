// door: plan

import type { ErrorDetail } from '../../base/errors.js';
import { DevCliError } from '../../base/errors.js';
import { readDraftStatus } from '../../documents/draft.js';
import { checkReport } from '../../documents/report.js';
import { parseJson } from '../../documents/section-data.js';
import { SECTION_IDS } from '../../documents/sections.js';
import { checkPlan } from '../../plan/check/check.js';

/** The kind of a document, determined by its path in a run's directory. */
type DocumentKind = 'report' | 'review' | 'plan-content' | 'draft' | 'json' | 'text';

/** The findings on one document; without `problems` it is valid. */
export interface DocumentCheck {
  kind: DocumentKind;
  problems: ErrorDetail[];
  warnings: string[];
}

/**
 * Checks the content of a promised output of any kind (documents.md, check).
 * @param path relative to the run's directory; used only to determine the kind
 * @param expected the agent that a report must name, and whether it must have a verdict
 */
export function checkDocument(
  path: string,
  text: string,
  expected: { agent?: string; verdict?: boolean } = {},
): DocumentCheck {
  const kind = getDocumentKind(path);
  if (text.trim() === '') return { kind, problems: [{ target: path, problem: 'empty' }], warnings: [] };
  try {
    return { kind, ...checkContent(kind, text, expected) };
  } catch (error) {
    if (!(error instanceof DevCliError)) throw error;
    return { kind, problems: [{ target: path, problem: error.message }, ...error.details], warnings: [] };
  }
}

function checkContent(
  kind: DocumentKind,
  text: string,
  expected: { agent?: string; verdict?: boolean },
): Omit<DocumentCheck, 'kind'> {
  switch (kind) {
    case 'report':
    case 'review': {
      const checked = checkReport(text, { ...expected, verdict: expected.verdict ?? kind === 'review' });
      return checked.ok ? { problems: [], warnings: checked.warnings } : { problems: checked.problems, warnings: [] };
    }
    case 'plan-content': {
      const checked = checkPlan(parseJson(text));
      return { problems: checked.ok ? [] : checked.findings, warnings: [] };
    }
    case 'draft':
      readDraftStatus(text, [...SECTION_IDS]);
      return { problems: [], warnings: [] };
    case 'json':
      parseJson(text);
      return { problems: [], warnings: [] };
    case 'text':
      return { problems: [], warnings: [] };
  }
}

/** Determines the kind of a document by its path. For `json` only the syntax is checked, for `text` nothing. */
export function getDocumentKind(path: string): DocumentKind {
  const base = path.slice(path.lastIndexOf('/') + 1);
  if (base === 'plan-content.json') return 'plan-content';
  if (base === 'DRAFT.md') return 'draft';
  if (base.endsWith('.json')) return 'json';
  if (/(^|\/)reviews\/[^/]+\.md$/.test(path)) return 'review';
  if (/(^|\/)(findings|analysis)\/[^/]+\.md$/.test(path)) return 'report';
  return 'text';
}
