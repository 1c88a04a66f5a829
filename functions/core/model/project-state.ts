import { type Entity } from './entity.ts';

/** Where an entity of the list stands after the page. */
export interface ProjectState {
  readonly entity: Entity;
  readonly deleted: boolean;
  /** True when the page showed a change of it. */
  readonly changed: boolean;
}
