import { afterEach, beforeEach } from 'vitest';
import { createProject, type Project } from './project.mjs';

/** Stands for the project where there is none: before, between and after the tests, and in a file without `useProject`. */
const NONE = new Proxy({} as Project, {
  get() {
    throw new Error('There is no project here: call useProject() in this file, and use `project` in its tests.');
  },
});

/** The project of the test that runs; a file of tests has one if it calls `useProject`. */
export let project: Project = NONE;

/** Gives each test of the file, or of the suite, a project of its own, which is removed after the test. */
export function useProject(...options: Parameters<typeof createProject>): void {
  beforeEach(() => {
    project = createProject(...options);
  });
  afterEach(() => {
    const own = project;
    project = NONE;
    if (own !== NONE) own.remove();
  });
}
