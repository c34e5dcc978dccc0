import { afterEach, beforeEach } from 'vitest';
import { createProject, type Project } from './project.mjs';

/** The project of the test that runs; a file of tests has one if it calls `useProject`. */
export let project: Project;

/** Gives each test of the file, or of the suite, a project of its own, which is removed after the test. */
export function useProject(...options: Parameters<typeof createProject>): void {
  let own: Project | undefined;
  beforeEach(() => {
    own = createProject(...options);
    project = own;
  });
  afterEach(() => {
    own?.remove();
    own = undefined;
  });
}
