import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { CHECKOUT } from './project.mjs';

/** Seconds that test files took, for those that took more than a few (scripts/durations.mjs). */
export const SECONDS: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(join(CHECKOUT, 'tests/durations.json'), 'utf8'),
);

/**
 * Starts the longest files first, so that none of them runs alone on one core at the end, and one project after the
 * other: Vitest keeps a worker, with its modules and its front door, only while the next file is of the same project.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const projects = ['stories', 'proofs', 'core'];
    const seconds = ({ moduleId }: TestSpecification) => SECONDS[relative(CHECKOUT, moduleId)] ?? 0;
    const turn = ({ project }: TestSpecification) => projects.indexOf(project.name);
    return (await super.sort(files)).toSorted((one, other) => turn(one) - turn(other) || seconds(other) - seconds(one));
  }
}
