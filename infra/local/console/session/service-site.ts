import type { Simulator } from '../../simulator/simulator.ts';
import type { Row } from '../../simulator/world/collection.ts';
import {
  nameProblem,
  type ChangeRequest,
  type NamedEntity,
  type ProjectAnswer,
} from '../protocol.ts';

/** The simulated service refused a change. The message is its own. */
export class ChangeRefusedError extends Error {
  override readonly name = 'ChangeRefusedError';
}

interface NamedRow extends Row {
  readonly name: string;
}

/** The content of the simulated service, as the console shows and changes it. */
export class ServiceSite {
  readonly #service: Pick<Simulator, 'world' | 'changes'>;

  constructor(service: Pick<Simulator, 'world' | 'changes'>) {
    this.#service = service;
  }

  /** All projects, by name. */
  readProjects(): readonly NamedEntity[] {
    return sorted(this.#service.world.projects.list.all(), toNamed);
  }

  readProject(projectId: string): ProjectAnswer {
    const { floorplans, checklists } = this.#service.world;
    return {
      floorplans: sorted(floorplans.list(projectId).all(), (plan) => ({
        ...toNamed(plan),
        rotation: plan.rotation,
      })),
      checklists: sorted(checklists.list(projectId).all(), (list) => ({
        ...toNamed(list),
        items: list.template_check_items.map(toNamed),
      })),
    };
  }

  /**
   * @returns the id of the entity that has changed.
   * @throws ChangeRefusedError if the service refuses it.
   */
  change({ change, ...wish }: ChangeRequest): string {
    const problem = wish.name === undefined ? undefined : nameProblem(wish.name);
    if (problem !== undefined) throw new ChangeRefusedError(problem);
    const subject = this.#make(change, wish);
    if (subject === undefined) throw new ChangeRefusedError(`There is no entity to ${change}.`);
    return subject.slice(subject.lastIndexOf('/') + 1);
  }

  #make(change: ChangeRequest['change'], wish: Omit<ChangeRequest, 'change'>): string | undefined {
    try {
      return this.#service.changes.make(change, wish);
    } catch (error) {
      throw new ChangeRefusedError(`The service refused it: ${(error as Error).message}.`);
    }
  }
}

function toNamed({ id, name, deleted_at }: NamedRow): NamedEntity {
  return { id, name, isDeleted: deleted_at !== null };
}

function sorted<R extends NamedRow, T extends NamedEntity>(
  rows: readonly R[],
  toView: (row: R) => T,
): T[] {
  return rows
    .map(toView)
    .sort((a, b) => Number(a.isDeleted) - Number(b.isDeleted) || a.name.localeCompare(b.name));
}
