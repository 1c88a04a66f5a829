import type { EntityState } from '../../core/model/entity-state.ts';
import type { ChildVersion, StateStore } from '../../core/ports/state-store.ts';
import type { Row } from './attributes.ts';
import { stateFromRecord, stateToRecord, type EntityStateRecord } from './entity-state-record.ts';
import { sortKeyOf, type Key } from './keys.ts';
import type { Table } from './table.ts';

/** Items that are alive or unpublished, and their version. */
const LIVE_CHILDREN = {
  filter: 'attribute_not_exists(d) OR attribute_exists(u)',
  attributes: ['sk', 'v', 'u'],
};

/** Keeps entity states, those of a feed in a partition of their own. */
export function makeEntityStateStore(table: Table) {
  async function* liveVersions(feedId: string, prefix: string): AsyncGenerator<ChildVersion[]> {
    const query = { pk: partitionKey(feedId), prefix, ...LIVE_CHILDREN };
    for await (const rows of table.pages(query)) yield rows.map(childIn);
  }
  return {
    async loadStates(feedId, keys) {
      const rows = await table.get([...new Set(keys)].map((key) => keyOf(feedId, key)));
      return new Map(rows.map(stateIn).map((state) => [state.key, state]));
    },

    async loadStatesAfter(feedId, after) {
      const start = after === undefined ? undefined : keyOf(feedId, after);
      const { rows, last } = await table.page({ pk: partitionKey(feedId) }, start);
      return { states: rows.map(stateIn), ...(last && { next: sortKeyOf(last) }) };
    },

    async loadLiveChildren(feedId, prefix) {
      // As one of the table's calls, since a page may have a thousand lists.
      const pages = await table.forEach([prefix], () =>
        Array.fromAsync(liveVersions(feedId, prefix)),
      );
      return pages.flat(2);
    },

    liveVersions,

    async saveStates(feedId, states) {
      // A batch must not name a key twice; the last state of a key counts.
      const byKey = new Map(states.map((state) => [state.key, state]));
      await table.putAll([...byKey.values()], (state) => stateRow(feedId, state));
    },
  } satisfies Partial<StateStore>;
}

/** The row of an entity state, reduced to DynamoDB's maximum item size. */
export function stateRow(feedId: string, state: EntityState): Row {
  const key = keyOf(feedId, state.key);
  const keyBytes = Buffer.byteLength(`pk${key.pk}sk${key.sk}`);
  return { ...key, ...stateToRecord(state, keyBytes) };
}

export function stateIn(row: Row): EntityState {
  return stateFromRecord(sortKeyOf(row), row as unknown as EntityStateRecord);
}

function childIn(row: Row): ChildVersion {
  const { v: version, u } = row as unknown as EntityStateRecord;
  return { key: sortKeyOf(row), version, isUnpublished: u !== undefined };
}

function partitionKey(feedId: string): string {
  return `state#${feedId}`;
}

function keyOf(feedId: string, key: string): Key {
  return { pk: partitionKey(feedId), sk: key };
}
