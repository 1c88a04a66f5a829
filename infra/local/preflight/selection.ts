import {
  isSelectedProject,
  type Catalog,
  type Resource,
  type Selection,
} from '../../../functions/core/model/resource-catalog.ts';

/** Ids of the projects whose lists are polled. */
export function selectedProjects(
  selection: Selection,
  projects: readonly string[],
): readonly string[] {
  return projects.filter((id) => isSelectedProject(selection, id));
}

/** The lists of each selected project that are polled. */
export function selectedResources({ perProject, selection }: Catalog): readonly Resource[] {
  return perProject.filter(({ name }) => selection.resources?.includes(name) ?? true);
}

/** What the field `projects` of a stage selects, and its entries that select nothing. */
export function describeSelection(
  selection: Selection,
  projects: readonly string[],
): { readonly notes: readonly string[]; readonly doubts: readonly string[] } {
  const entries = selection.projects;
  if (entries === undefined || projects.length === 0) return { notes: [], doubts: [] };
  const { length } = selectedProjects(selection, projects);
  const idle = entries.filter(
    (entry) => selectedProjects({ projects: [entry] }, projects).length === 0,
  );
  return {
    notes: [`the field projects selects ${length} of them`],
    doubts: idle.map((entry) => `${JSON.stringify(entry)} selects none`),
  };
}
