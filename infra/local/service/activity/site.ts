import type { Collection, Row } from '../world/collection.ts';
import type { Project } from '../world/entities.ts';
import type { Random } from '../world/random.ts';
import type { World } from '../world/world.ts';

/**
 * Rest of an entity after a change, so that a reader who polls every few seconds sees each change.
 */
export const REST_MS = 15_000;
/** Time during which the lists of a new short project change. */
const SHORT_PROJECT_OPEN_MS = 10_000;
/** Minimum age of a short project at its deletion. */
const SHORT_PROJECT_LIFE_MS = SHORT_PROJECT_OPEN_MS + REST_MS;
/** Minimum number of lasting projects. */
const LASTING_PROJECTS_MIN = 4;

/** The building site: finds entities that may change now. */
export class Site {
  readonly world: World;
  readonly random: Random;
  readonly #shortProjects: Set<string>;

  /** @param shortProjects projects that may be deleted. */
  constructor(world: World, random: Random, shortProjects: Iterable<string>) {
    this.world = world;
    this.random = random;
    this.#shortProjects = new Set(shortProjects);
  }

  /** Whether the next new project must be a lasting one. */
  needsLastingProject(): boolean {
    return this.aliveProjects().filter((p) => !this.#isShort(p)).length < LASTING_PROJECTS_MIN;
  }

  /** Allows the project's deletion. */
  markShort(projectId: string): void {
    this.#shortProjects.add(projectId);
  }

  aliveProjects(): Project[] {
    const { list } = this.world.projects;
    return list
      .all()
      .map((project) => list.newest(project.id) ?? project)
      .filter((project) => project.deleted_at === null);
  }

  aliveShortProjects(): number {
    return this.aliveProjects().filter((project) => this.#isShort(project)).length;
  }

  /** A project whose lists may change. */
  pickOpenProject(): Project | undefined {
    return this.#openProjects()[0];
  }

  /** A lasting project at rest. */
  projectToUpdate(): Project | undefined {
    return this.#projectAtRest((project) => project.deleted_at === null && !this.#isShort(project));
  }

  /** A short project that has reached its minimum age. */
  projectToDelete(): Project | undefined {
    return this.#projectAtRest(
      (project) =>
        project.deleted_at === null &&
        this.#isShort(project) &&
        this.#age(project) >= SHORT_PROJECT_LIFE_MS,
    );
  }

  /** A deleted project at rest. */
  projectToRestore(): Project | undefined {
    return this.#projectAtRest((project) => project.deleted_at !== null && this.#isShort(project));
  }

  /** An entity at rest in one of the open projects' lists. */
  pick<T extends Row>(
    listOf: (projectId: string) => Collection<T>,
    matches: (row: T) => boolean,
  ): T | undefined {
    for (const project of this.#openProjects()) {
      const found = this.#atRest(listOf(project.id), matches);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #projectAtRest(matches: (project: Project) => boolean): Project | undefined {
    return this.#atRest(this.world.projects.list, matches);
  }

  /** In random order. */
  #openProjects(): Project[] {
    return this.random.shuffle(
      this.aliveProjects().filter(
        (project) => !this.#isShort(project) || this.#age(project) < SHORT_PROJECT_OPEN_MS,
      ),
    );
  }

  /** A matching row that has not changed for {@link REST_MS}. */
  #atRest<T extends Row>(list: Collection<T>, matches: (row: T) => boolean): T | undefined {
    const until = new Date(this.world.now() - REST_MS).toISOString();
    const resting = list.unchangedSince(until);
    const start = this.random.below(resting);
    const rows = list.all();
    for (let step = 0; step < resting; step += 1) {
      const row = rows[(start + step) % resting];
      // Readers may see an older version, see `lateCommits`.
      const newest = row && list.newest(row.id);
      if (newest !== undefined && newest.updated_at <= until && matches(newest)) return newest;
    }
    return undefined;
  }

  #isShort(project: Project): boolean {
    return this.#shortProjects.has(project.id);
  }

  #age(project: Project): number {
    return this.world.now() - Date.parse(project.created_at);
  }
}
