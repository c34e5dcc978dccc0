import { afterEach } from 'vitest';
import { createProject, type Project } from './project.mjs';

/** Returns a function that creates projects for one test; all are removed after the test. */
export function freshProjects(): () => Project {
  const projects: Project[] = [];
  afterEach(() => {
    for (const project of projects.splice(0)) project.remove();
  });
  return () => {
    const project = createProject();
    projects.push(project);
    return project;
  };
}
