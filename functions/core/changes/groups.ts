import type { EntityKey, EntityState } from '../model/entity-state.ts';

/** Divides a list into parts of at most `size`. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}

/** Entities of the first group, whose states may have any size. */
const FIRST_COUNT = 20;
/** A group has at most so many times the entities of the one before it. */
const GROWTH = 5;

/**
 * Bounds the saved states that are in memory at once: an entity that is small on its page may have had
 * megabytes when it was saved. A page is worked on in groups, so large that states like those seen before fit.
 */
export class StateGroups {
  /** Maximum bytes of the contents of a group, if one state does not exceed it. */
  readonly bytes: number;
  /** Entities of the next group, by kind. */
  readonly #counts = new Map<string, number>();

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** How many entities to load at once. */
  countOf(kind: string): number {
    return this.#counts.get(kind) ?? FIRST_COUNT;
  }

  /** Records the states of a group of entities. */
  record(kind: string, count: number, states: ReadonlyMap<EntityKey, EntityState>): void {
    let bytes = 0;
    for (const state of states.values()) bytes += state.bytes ?? 0;
    const fitting = Math.floor((this.bytes * count) / bytes);
    const grown = GROWTH * Math.max(count, this.countOf(kind));
    this.#counts.set(kind, Math.max(1, Math.min(fitting, grown)));
  }
}
