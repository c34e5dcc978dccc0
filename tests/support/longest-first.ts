import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { CHECKOUT } from './project.mjs';

/** Seconds that test files took, for those that took more than a few (scripts/durations.mjs). */
const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(CHECKOUT, 'tests/durations.json'), 'utf8'),
);

/** Starts the longest files first, so that none of them runs alone on one core at the end. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const seconds = ({ moduleId }: TestSpecification) => SECONDS[relative(CHECKOUT, moduleId)] ?? 0;
    return (await super.sort(files)).toSorted((one, other) => seconds(other) - seconds(one));
  }
}
