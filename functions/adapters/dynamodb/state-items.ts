import type { EntityKey, EntityState } from '../../core/model/entity-state.ts';
import type { ChildVersion, StatesPage } from '../../core/ports/state-store.ts';
import {
  childIn,
  LIVE_CHILDREN,
  sortKey,
  stateIn,
  stateItem,
  stateKey,
  statesPk,
} from './items.ts';
import type { Table } from './table.ts';

/** The items of entity states. Its methods are those of {@link StateStore} on states. */
export class StateItems {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async load(feedId: string, keys: readonly EntityKey[]): Promise<Map<EntityKey, EntityState>> {
    const items = await this.#table.get([...new Set(keys)].map((key) => stateKey(feedId, key)));
    return new Map(items.map(stateIn).map((state) => [state.key, state]));
  }

  async loadAfter(feedId: string, after?: EntityKey): Promise<StatesPage> {
    const start = after === undefined ? undefined : stateKey(feedId, after);
    const { items, last } = await this.#table.page({ pk: statesPk(feedId) }, start);
    return { states: items.map(stateIn), ...(last && { next: sortKey(last) }) };
  }

  async loadLiveChildren(feedId: string, prefix: string): Promise<ChildVersion[]> {
    const live: ChildVersion[] = [];
    // As one of the table's calls, since a page may have a thousand lists.
    await this.#table.forEach([prefix], async () => {
      for await (const versions of this.liveVersions(feedId, prefix)) live.push(...versions);
    });
    return live;
  }

  async *liveVersions(feedId: string, prefix: string): AsyncGenerator<ChildVersion[]> {
    const query = { pk: statesPk(feedId), prefix, ...LIVE_CHILDREN };
    for await (const items of this.#table.pages(query)) yield items.map(childIn);
  }

  async save(feedId: string, states: readonly EntityState[]): Promise<void> {
    // A batch must not name a key twice; the last state of a key counts.
    const byKey = new Map(states.map((state) => [state.key, state]));
    await this.#table.write([...byKey.values()], (state) => ({
      PutRequest: { Item: stateItem(feedId, state) },
    }));
  }
}
