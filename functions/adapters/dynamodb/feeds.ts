import type { OperatedStore } from '../../control/ports.ts';
import { FeedConflictError } from '../../core/model/errors.ts';
import { feedPartition, type Feed } from '../../core/model/feed.ts';
import type { Row } from './attributes.ts';
import { IS_ABSENT } from './expressions.ts';
import { OPERATORS_KEY, sortKeyOf, twoDigits, type Key } from './keys.ts';
import type { Table } from './table.ts';

/** Keeps feeds, each in an item of its own under its revision. */
export function makeFeedStore(table: Table) {
  const load = async (partitions: readonly number[], isConsistent: boolean): Promise<Feed[]> => {
    const rows = await table.forEach([...new Set(partitions)], (partition) =>
      table.query({ pk: partitionKey(partition), isConsistent }),
    );
    return rows.flat().map(feedIn);
  };
  return {
    loadShard: (partitions) => load(partitions, false),
    loadFeeds: (partitions) => load(partitions, true),

    async loadFeedsById(feeds) {
      const found = (await table.get(feeds.map(keyOf))).map(feedIn);
      return new Map(found.map((feed) => [feed.id, feed]));
    },

    async loadAllPaused() {
      const [row] = await table.query({ pk: OPERATORS_KEY.pk, isConsistent: false });
      return row?.['paused'] === true;
    },

    async saveAllPaused(paused) {
      await table.put({ ...OPERATORS_KEY, paused });
    },

    async addFeeds(feeds) {
      const existing = await table.forEach(feeds, async (feed) =>
        (await table.put(feedRow(feed), IS_ABSENT)) ? [] : [feed.id],
      );
      return existing.flat();
    },

    async commitFeed(feed) {
      const next: Feed = { ...feed, revision: feed.revision + 1 };
      const isCommitted = await table.put(feedRow(next), {
        if: 'rev = :revision',
        values: { ':revision': feed.revision },
      });
      if (isCommitted) return next;
      throw new FeedConflictError(
        `Feed ${feed.id} is no longer at revision ${feed.revision}: ` +
          'it was written since, or removed.',
        { hint: 'The next run reads the list again.' },
      );
    },
  } satisfies Partial<OperatedStore>;
}

/**
 * A feed as the table holds it. Each run loads all feeds. So usual fields have short names, and the
 * usual phase and a project in the id are left out.
 */
export function feedRow(feed: Feed): Row {
  const { id, projectId, phase, ...fields } = feed;
  const { revision, accountId, lastChange, recentChanges, ...others } = fields;
  return {
    ...keyOf(feed),
    ...(projectId !== projectInId(id) && { projectId: projectId ?? '' }),
    ...(phase !== 'live' && { phase }),
    rev: revision,
    account: accountId,
    changed: lastChange,
    changes: recentChanges,
    ...others,
  };
}

/** Decodes a row that {@link feedRow} made. Fields of another version of the code stay. */
export function feedIn(row: Row): Feed {
  const { pk: _pk, sk: _sk, mark: _mark, projectId: stored, ...fields } = row;
  const { rev: revision, account, changed, changes, ...others } = fields;
  const id = sortKeyOf(row);
  const projectId = stored ?? projectInId(id);
  return {
    phase: 'live',
    ...others,
    id,
    revision,
    ...(projectId && { projectId }),
    ...(account !== undefined && { accountId: account }),
    ...(changed !== undefined && { lastChange: changed }),
    ...(changes !== undefined && { recentChanges: changes }),
  } as Feed;
}

/** The project that most ids name: `projects/<project_id>/floorplans`. */
function projectInId(id: string): string | undefined {
  const segments = id.split('/');
  return segments.length === 3 ? segments[1] : undefined;
}

function partitionKey(partition: number): string {
  return `feeds#${twoDigits(partition)}`;
}

function keyOf(feed: Pick<Feed, 'id' | 'projectId'>): Key {
  return { pk: partitionKey(feedPartition(feed)), sk: feed.id };
}
