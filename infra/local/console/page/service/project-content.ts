import { signal } from '@preact/signals';
import type { NamedEntity, ProjectAnswer } from '../../protocol.ts';
import { read } from '../state/actions.ts';
import { projects } from '../state/state.ts';

export const selectedId = signal<string | undefined>(undefined);
/** Of the selected project. */
export const content = signal<ProjectAnswer | undefined>(undefined);

/** Projects that are looked at for the one to begin with. */
const CANDIDATES = 10;

let reading: ReturnType<typeof setTimeout> | undefined;

export function select(projectId: string | undefined): void {
  selectedId.value = projectId;
  content.value = undefined;
  clearTimeout(reading);
  reading = undefined;
  refresh(0);
}

/** Reads projects and the selected one again, soon, and once for all who ask. */
export function refresh(delayMs: number): void {
  reading ??= setTimeout(async () => {
    reading = undefined;
    const asked = selectedId.value;
    const found = await read<readonly NamedEntity[]>('/api/projects');
    // A project that was selected meanwhile may be newer than the answer.
    if (!found || selectedId.value !== asked) return;
    projects.value = found;
    if (!found.some(({ id }) => id === selectedId.value)) {
      selectedId.value = (await projectToBegin(found))?.id ?? found[0]?.id;
    }
    const id = selectedId.value;
    if (id === undefined) return;
    const answer = await readProject(id);
    if (id === selectedId.value) content.value = answer;
  }, delayMs);
}

function readProject(id: string): Promise<ProjectAnswer | undefined> {
  return read<ProjectAnswer>(`/api/projects/${encodeURIComponent(id)}`);
}

/** The one with most floorplans: the first thing that the page tells to try is to rename one. */
async function projectToBegin(found: readonly NamedEntity[]): Promise<NamedEntity | undefined> {
  const living = found.filter(({ isDeleted }) => !isDeleted).slice(0, CANDIDATES);
  const counted = await Promise.all(
    living.map(async (project) => {
      const { floorplans = [] } = (await readProject(project.id)) ?? {};
      return { project, count: floorplans.filter(({ isDeleted }) => !isDeleted).length };
    }),
  );
  return counted.toSorted((a, b) => b.count - a.count)[0]?.project;
}
