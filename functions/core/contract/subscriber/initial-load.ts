import type { EntityVersion } from './entity-version.ts';
import { readLists, type Gap, type ListOptions } from './read-lists.ts';

/** Options of {@link initialLoad}. */
export interface InitialLoadOptions extends ListOptions {
  /** Saves a version if it is newer than the saved one, in one step. As for events. */
  readonly save: (version: EntityVersion) => Promise<unknown>;
}

/** The outcome of {@link initialLoad}. */
export interface InitialLoadResult {
  readonly entityCount: number;
  /** Lists and entities that could not be read. */
  readonly gaps: readonly Gap[];
}

/**
 * Saves all entities of the service, so that a subscriber starts with everything. Subscribe first,
 * let the queue fill, load, then consume: an event older than a loaded entity changes nothing.
 *
 * @throws Error when the service fails. Loading again is harmless.
 */
export async function initialLoad(options: InitialLoadOptions): Promise<InitialLoadResult> {
  const gaps: Gap[] = [];
  let entityCount = 0;
  for await (const version of readLists(options, gaps)) {
    await options.save(version);
    entityCount++;
  }
  return { entityCount, gaps };
}
