// door: plan, shared: common

import { DevCliError } from '../../base/errors.js';
import { parseJson } from '../../documents/section-data.js';
import { checkPlan } from '../../plan/check/check.js';
import type { PlanContent } from '../../plan/model/schema.js';
import type { Documents } from '../documents/pending.js';
import { PLAN_CONTENT } from '../paths.js';

/** The error codes for a text that is empty or not JSON. */
const NO_JSON = ['DATA_MISSING', 'DATA_MALFORMED'];

/**
 * The last text that proved to be a valid plan. It is remembered because one call reads it several times, and checking
 * a thousand todos is slow.
 */
let valid: string | null = null;

/** Reads the plan from plan-content.json; null if the file is missing or invalid. */
export function readPlan(files: Pick<Documents, 'text'>): PlanContent | null {
  return parsePlan(files.text(PLAN_CONTENT));
}

/** Parses the text of a plan-content.json; null if there is no text or it is invalid. */
export function parsePlan(text: string | null | undefined): PlanContent | null {
  if (text == null) return null;
  try {
    const value = parseJson(text);
    if (text === valid) return value as unknown as PlanContent;
    const checked = checkPlan(value);
    if (!checked.ok) return null;
    valid = text;
    return checked.plan;
  } catch (error) {
    if (error instanceof DevCliError && NO_JSON.includes(error.code)) return null;
    throw error;
  }
}
