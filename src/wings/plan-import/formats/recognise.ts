import type { ImportFormat } from '../../../base/import-formats.js';
import type { SourceFile } from '../source-plan.js';
import { isTaskHeading } from './superpowers.js';

/** Recognises the format of a single file by its lines. */
export function recogniseFile({ text }: SourceFile): ImportFormat {
  const headings = [...text.matchAll(/^ {0,3}#{2,4}[ \t]+(.+)$/gm)].map(([, title = '']) => title);
  const hasTasks = headings.some((title) => isTaskHeading(title.trim()));
  const hasSteps = /^\s*(?:[-*] \[.?\] )?\*\*(?:Step\b|Files\s*:)/m.test(text);
  if (hasTasks && (hasSteps || /\bsuperpowers:[\w-]+/.test(text))) return 'superpowers';
  return /^\s*[-*] \[.?\] \**T\d{2,}/m.test(text) ? 'speckit' : 'markdown';
}
