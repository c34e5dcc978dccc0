import { afterEach } from 'vitest';
import { createProject, type Project } from './project.mjs';

/** Gives as many projects to one test as it wants; all are removed after it. */
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
