import type { EntityState } from '../../model/entity-state.ts';
import type { InvalidEntity } from '../../model/entity.ts';
import type { ProjectState } from '../../model/project-state.ts';
import type { Timestamp } from '../../model/timestamp.ts';
import type { OutboxStates } from '../nested-changes.ts';
import type { ToldChange } from '../tell.ts';

/** The changes found in a part of a page, in the order they must be published and saved. */
export interface PageChanges {
  /** To be saved before the changes are published. */
  readonly outbox: OutboxStates;
  readonly changes: readonly ToldChange[];
  /** Invalid entities that are not yet in the quarantine. */
  readonly invalid: readonly InvalidEntity[];
  /** To be saved nested first: a saved parent says that its nested entities are saved. */
  readonly states: {
    readonly nested: readonly EntityState[];
    readonly own: readonly EntityState[];
  };
  /** Of the projects' list: the state of each project on the page. */
  readonly projects: readonly ProjectState[];
  /** True when there is any state to save, or an invalid entity to remember, in this part or one before. */
  readonly isNews: boolean;
  /** True when a nested list must be compared again: then the feed is not caught up. */
  readonly isUndecided: boolean;
  /**
   * The earliest version, in this part or one before, that the cursor must not pass yet: an entity that was missing is
   * shown by an answer that may be older than that, or a nested list must be compared again. Both are decided some
   * lookbacks later.
   */
  readonly readAgainFrom: Timestamp | undefined;
  /** See {@link Feed.boundary}; set when the list is caught up. */
  readonly boundary: string | undefined;
  /** True when the cursor may advance once this part is saved. */
  readonly isLast: boolean;
}
