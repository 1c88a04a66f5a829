import { ALL_PROJECTS, resourceKeyOf } from '../model/feed.ts';

/** Polls that the service answered with 429, after which a list has a limit of its own. */
const MIN_POLLS = 2;
/** Time after which a 429 says nothing any more: two of the longest waits that are heeded. */
const LAPSE_MS = 2 * 3_600_000;
/** Lists that the next run is told of: they are kept with the lease, some 130 bytes each. A list that is forgotten pauses all others again. */
const MAX_HANDED_OVER = 1_000;

/** What the answers with 429 say of a list, or of all lists of a resource. */
export interface LimitedList {
  /** Polls that were answered with 429; 0 once it was no limit of the list's own. */
  readonly count: number;
  /** Time of the last one, in milliseconds since 1970 by our clock. */
  readonly at: number;
  /** Whether the list was read since. */
  readonly isRead?: boolean | undefined;
  /** Set while no list was read since a 429 of a list with a limit of its own: that of all lists may have ended. */
  readonly isUnproved?: boolean | undefined;
}

/**
 * The lists that the service has answered with 429 lately, which pauses all requests: it mostly limits
 * them together.
 *
 * One list that is limited alone would let all others starve. So it is polled last. If that happens again
 * although others are read, the limit is its own: it backs off, and pauses no other list. That it is read in between
 * proves nothing, since its limit may allow some requests an hour. But if another list is answered with 429 then, or before
 * any list is read, they are limited together.
 *
 * The same holds for all lists of a resource, if none of them is read: answers in two runs tell of all, where each list
 * alone would need two.
 */
export class LimitedLists {
  /** By feed id, and by {@link resourceKeyOf}. */
  readonly #limited: Map<string, LimitedList>;
  readonly #now: () => number;
  /** Whether a page of any list was read in this run. */
  #hasRead = false;
  /** The limited ones that do not know yet whether any list is read in this run. */
  readonly #undecided = new Set<string>();
  /** Resources that were counted in this run: a quota of the whole service ends for all requests in flight. */
  readonly #countedResources = new Set<string>();

  /** @param now milliseconds since 1970. */
  constructor(now: () => number, limited: Readonly<Record<string, LimitedList>> = {}) {
    this.#now = now;
    const isRecent = ({ at }: LimitedList): boolean => at > now() - LAPSE_MS;
    const entries = Object.entries(limited).filter(([, each]) => isRecent(each));
    // The clock of another host may have been ahead.
    const known = entries.map(
      ([key, each]) => [key, { ...each, at: Math.min(each.at, now()) }] as const,
    );
    this.#limited = new Map(known);
  }

  /** For the next run; undefined when there are none. */
  get handover(): Readonly<Record<string, LimitedList>> | undefined {
    if (this.#limited.size === 0) return undefined;
    const byCount = [...this.#limited].sort(([, a], [, b]) => b.count - a.count);
    return Object.fromEntries(byCount.slice(0, MAX_HANDED_OVER));
  }

  /** Whether the last poll of a list was answered with 429. */
  has(id: string): boolean {
    const known = this.#limited.get(id);
    return known !== undefined && known.isRead !== true;
  }

  /** Whether a list may pause all others. */
  comesLast(id: string): boolean {
    return this.#limited.get(id)?.count === 1 && !this.hasOwnLimit(id);
  }

  /** Whether a 429 concerns this list alone, or the lists of its resource. */
  hasOwnLimit(id: string): boolean {
    return [id, resourceKeyOf(id)].some((key) => (this.#limited.get(key)?.count ?? 0) >= MIN_POLLS);
  }

  /** Notes that a page of a list was read. */
  read(id: string): void {
    const known = this.#limited.get(id);
    if (known !== undefined) this.#limited.set(id, { ...known, isRead: true });
    const resource = resourceKeyOf(id);
    if (resource !== id) {
      this.#limited.delete(resource);
      this.#undecided.delete(resource);
      this.#countedResources.delete(resource);
    }
    this.#hasRead = true;
    for (const [key, { isUnproved, ...each }] of this.#limited)
      if (isUnproved) this.#limited.set(key, each);
    // A 429 is mostly answered sooner than a page that was requested with it.
    for (const key of this.#undecided) this.#count(key, 1, false);
    this.#undecided.clear();
  }

  /** Notes that the service answered a request for a page with 429. */
  limited(id: string): void {
    const isOwn = this.hasOwnLimit(id);
    if (!isOwn) this.#forgetCommonLimit(id);
    for (const key of new Set([id, resourceKeyOf(id)])) {
      const isFirst = !this.#limited.has(key);
      if (!isFirst && !this.#hasRead) this.#undecided.add(key);
      this.#count(key, isFirst || this.#hasRead ? 1 : 0, isOwn);
    }
  }

  #count(key: string, more: number, isUnproved: boolean): void {
    const count = this.#limited.get(key)?.count ?? 0;
    const isAgain = this.#countedResources.has(key);
    if (more > 0 && key.startsWith(ALL_PROJECTS)) this.#countedResources.add(key);
    this.#limited.set(key, {
      count: isAgain ? count : count + more,
      at: this.#now(),
      ...(isUnproved && { isUnproved }),
    });
  }

  /**
   * Forgets lists that were read since their last 429, or none was: now another one is limited, so it was no limit of theirs. That
   * one of them has backed off is remembered, for its place.
   */
  #forgetCommonLimit(id: string): void {
    for (const [key, { at, isRead, isUnproved }] of this.#limited) {
      if (key === id) continue;
      if (isRead) this.#limited.delete(key);
      else if (isUnproved) this.#limited.set(key, { count: 0, at });
    }
  }

  /**
   * The lists in the order to poll them: those that may pause all others last, and those with a limit of their own at any place.
   * Behind others that take all that the service allows they would never be read, nor before the time when it allows more.
   *
   * @param random uniform in [0, 1), as `Math.random`.
   */
  inOrder(ids: readonly string[], random: () => number): readonly string[] {
    const place = (id: string, index: number): number =>
      this.comesLast(id) ? 1 : this.has(id) ? random() : index / ids.length;
    return ids
      .map((id, index) => ({ id, place: place(id, index) }))
      .toSorted((a, b) => a.place - b.place)
      .map(({ id }) => id);
  }
}
