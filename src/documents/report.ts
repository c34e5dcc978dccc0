import type { ErrorDetail } from '../base/errors.js';
import type { Json, JsonObject } from '../base/json.js';
import { toBoundedLine } from './foreign.js';
import { splitFrontMatter } from './front-matter.js';
import { hasContent } from './section-codec.js';

/** Findings, analyses and reviews: Markdown with YAML front matter (documents.md, Reports). */

/** Maximum number of characters of a summary; the rest is cut. */
export const SUMMARY_LIMIT = 300;

/** Maximum number of characters of a verdict in a report that is not a review; the rest is cut. */
const VERDICT_LIMIT = 40;

/** The verdicts of a review. */
export const VERDICTS = ['OKAY', 'REJECT'] as const;

interface Report {
  agent: string;
  /** ISO 8601, kept verbatim; informational, never compared. */
  timestamp: string;
  /** One line of at most 300 characters, safe to display. */
  summary: string;
  /** `OKAY` or `REJECT` for a review; otherwise any text, cut to 40 characters. */
  verdict?: string;
  confidence?: string | number;
  /** How many questions the report leaves for the user. */
  questions?: number;
  /** All other keys. */
  extra: JsonObject;
}

export interface CheckedReport {
  ok: true;
  report: Report;
  /** The Markdown after the front matter. */
  body: string;
  /** Lines about values that were cut or ignored, and about missing text below the front matter. */
  warnings: string[];
}

/** A valid report, or all faults of an invalid one. */
export type ReportCheck = CheckedReport | { ok: false; problems: ErrorDetail[] };

/** The expectations that a report has to meet. */
export interface ReportOptions {
  /** The agent that has to write the report; another name in the front matter is a fault. */
  agent?: string;
  /** Whether the report is a review, which must have the `verdict` OKAY or REJECT. */
  verdict?: boolean;
}

/** Checks a report. Returns its content, or all faults at once. Never throws. */
export function checkReport(text: string, options: ReportOptions = {}): ReportCheck {
  const matter = splitFrontMatter(text);
  switch (matter.kind) {
    case 'none':
      return buildFailure(
        hasContent(text)
          ? { problem: 'no front matter: the file must begin with a line "---"', at: '1:1' }
          : { problem: 'the file is empty' },
      );
    case 'invalid':
      return buildFailure({
        problem: `${matter.problem}; put a value that contains ":" or "#" in quotes`,
        at: matter.at,
      });
    case 'found':
      return checkFields(matter.data, matter.body, options);
  }
}

function buildFailure(...problems: ErrorDetail[]): ReportCheck {
  return { ok: false, problems };
}

function checkFields(data: JsonObject, body: string, options: ReportOptions): ReportCheck {
  const { agent, timestamp, summary, verdict, confidence, questions, ...extra } = data;
  const problems = [
    ...checkAgent(agent, options.agent),
    ...checkTimestamp(timestamp),
    ...checkText('summary', summary),
    ...(options.verdict === true ? checkVerdict(verdict) : []),
    ...checkQuestions(questions),
  ];
  if (problems.length > 0) return buildFailure(...problems);
  const warnings: string[] = [];
  const line = toBoundedLine(String(summary), Number.MAX_SAFE_INTEGER);
  if (line.length > SUMMARY_LIMIT) warnings.push(`summary: cut from ${line.length} to ${SUMMARY_LIMIT} characters`);
  if (!hasContent(body)) warnings.push('there is no text below the front matter');
  const report: Report = {
    agent: String(agent),
    timestamp: String(timestamp),
    summary: toBoundedLine(line, SUMMARY_LIMIT),
    extra,
  };
  if (typeof verdict === 'string')
    report.verdict = options.verdict === true ? normalizeVerdict(verdict) : toBoundedLine(verdict, VERDICT_LIMIT);
  if (typeof confidence === 'string' || typeof confidence === 'number') report.confidence = confidence;
  else if (confidence !== undefined && confidence !== null)
    warnings.push('confidence: neither text nor a number; ignored');
  if (typeof questions === 'number') report.questions = questions;
  return { ok: true, report, body, warnings };
}

function checkAgent(agent: Json | undefined, wanted: string | undefined): ErrorDetail[] {
  if (wanted === undefined || agent === wanted) return checkText('agent', agent);
  if (typeof agent !== 'string' || !hasContent(agent)) return checkText('agent', agent, wanted);
  return [{ problem: `agent is ${quoteField(agent)}`, pointer: '/agent', expected: wanted }];
}

function checkTimestamp(timestamp: Json | undefined): ErrorDetail[] {
  if (typeof timestamp !== 'string' || !hasContent(timestamp)) return checkText('timestamp', timestamp, ISO_EXAMPLE);
  const isIso = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|[+-]\d\d:?\d\d)?)?$/i.test(timestamp);
  const isReal = isIso && !Number.isNaN(Date.parse(timestamp.slice(0, 10)));
  if (isReal) return [];
  return [{ problem: `timestamp is ${quoteField(timestamp)}`, pointer: '/timestamp', expected: ISO_EXAMPLE }];
}

const ISO_EXAMPLE = 'an ISO 8601 instant such as 2026-01-31T09:30:00Z';

function checkVerdict(verdict: Json | undefined): ErrorDetail[] {
  const expected = VERDICTS.join(' or ');
  if (typeof verdict !== 'string') return checkText('verdict', verdict, expected);
  if ((VERDICTS as readonly string[]).includes(normalizeVerdict(verdict))) return [];
  return [{ problem: `verdict is ${quoteField(verdict)}`, pointer: '/verdict', expected }];
}

/** Checks that `questions`, if given, is a whole number, because conditions of recipes compare it. */
function checkQuestions(questions: Json | undefined): ErrorDetail[] {
  if (questions === undefined || questions === null) return [];
  if (Number.isSafeInteger(questions) && Number(questions) >= 0) return [];
  const expected = 'a whole number, 0 or more';
  return [{ problem: `questions is ${quoteField(questions)}`, pointer: '/questions', expected }];
}

/** Normalizes case and white space. */
function normalizeVerdict(verdict: string): string {
  return verdict.trim().toUpperCase();
}

function checkText(key: string, value: Json | undefined, expected = 'text'): ErrorDetail[] {
  const pointer = `/${key}`;
  if (value === undefined) return [{ problem: `${key} is missing`, pointer, expected }];
  if (typeof value !== 'string') return [{ problem: `${key} is ${quoteField(value)}, not text`, pointer, expected }];
  return hasContent(value) ? [] : [{ problem: `${key} is empty`, pointer, expected }];
}

function quoteField(value: Json): string {
  return toBoundedLine(JSON.stringify(value).slice(0, 200), 60);
}
