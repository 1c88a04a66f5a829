import { type Entity } from './entity.ts';

/** The state of a project after a page of the projects' list. */
export interface ProjectState {
  readonly entity: Entity;
  readonly deleted: boolean;
  /** True when the page showed a change of the project. */
  readonly changed: boolean;
}
