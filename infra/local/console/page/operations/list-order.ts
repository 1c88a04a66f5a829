import type { ListState, ListStatus } from '../../../../../functions/control/protocol.ts';

/** Waiting lists come first, those of deleted projects last. */
const RANKS: Readonly<Partial<Record<ListState, number>>> = { waiting: 0, paused: 1, parked: 3 };
const OTHER_RANK = 2;

/** Keeps the rows of lists in their places, as far as it can. */
export class ListOrder {
  /** By list, in the order in which they appeared. */
  #places = new Map<string, number>();
  #shown: readonly string[] = [];
  #count = 0;

  /**
   * Puts lists in the order of their states. Within one they stay in the order in which they appeared, those that appeared
   * together by name, although projects are renamed.
   *
   * @param isHeld a person is at the rows: none moves, and new ones come last.
   */
  arrange(
    lists: readonly ListStatus[],
    nameOf: (list: string) => string,
    isHeld: boolean,
  ): readonly ListStatus[] {
    this.#addPlaces(lists, nameOf);
    const held = new Map(isHeld ? this.#shown.map((list, index) => [list, index]) : []);
    const keyOf = ({ list, state }: ListStatus): readonly [number, number] => {
      const place = this.#places.get(list) ?? 0;
      if (isHeld) return [held.get(list) ?? Infinity, place];
      return [RANKS[state] ?? OTHER_RANK, place];
    };
    const keys = new Map(lists.map((list) => [list, keyOf(list)]));
    const arranged = lists.toSorted((a, b) => {
      const [[rankA = 0, placeA = 0] = [], [rankB = 0, placeB = 0] = []] = [
        keys.get(a),
        keys.get(b),
      ];
      return rankA === rankB ? placeA - placeB : rankA - rankB;
    });
    this.#shown = arranged.map(({ list }) => list);
    return arranged;
  }

  #addPlaces(lists: readonly ListStatus[], nameOf: (list: string) => string): void {
    const before = this.#places;
    // The projects themselves have no name, and come first.
    const sortName = (list: string): string => (list.includes('/') ? nameOf(list) : '');
    const added = lists.map(({ list }) => list).filter((list) => !before.has(list));
    added.sort((a, b) => sortName(a).localeCompare(sortName(b)));
    for (const list of added) before.set(list, ++this.#count);
    this.#places = new Map(
      lists.flatMap(({ list }) => {
        const place = before.get(list);
        return place === undefined ? [] : [[list, place]];
      }),
    );
  }
}
