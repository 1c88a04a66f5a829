import { TableFormatError } from '../../core/model/errors.ts';
import { FEED_PARTITIONS } from '../../core/model/feed.ts';
import type { Condition } from './condition.ts';
import { feedsPk, FORMAT_KEY, number } from './items.ts';
import { migrateFeeds, type MigrationOptions } from './migrate-format-0.ts';
import type { Table } from './table.ts';

/** The format of the table that this code reads and writes, see `docs/table.md`. */
const TABLE_FORMAT = 1;

/** Two processes may migrate at the same time; neither takes back what the other one has completed. */
const IS_OLDER: Condition = {
  ConditionExpression: 'attribute_not_exists(pk) OR v < :format',
  ExpressionAttributeValues: { ':format': number(TABLE_FORMAT) },
};

/**
 * Makes sure that the table has the current format.
 *
 * - Newer: throws.
 * - Absent, or 0: the feeds of one partition after the other are migrated. The format item keeps count, so
 *   that a migration that was stopped continues there. An empty table is new.
 */
export async function openTable(table: Table, options: MigrationOptions): Promise<void> {
  const { version, migratedPartitions } = await readFormat(table);
  if (version === TABLE_FORMAT) return;
  if (version !== 0) throw newerFormatError(table.name, version);
  for (let partition = migratedPartitions; partition < FEED_PARTITIONS; partition += 1) {
    const items = await table.query({ pk: feedsPk(partition) });
    if (items.length === 0) continue;
    await migrateFeeds(table, items, options);
    const progress = { v: number(0), n: number(partition + 1) };
    await table.put({ ...FORMAT_KEY, ...progress }, IS_OLDER, options.guard);
  }
  await table.put({ ...FORMAT_KEY, v: number(TABLE_FORMAT) }, IS_OLDER, options.guard);
}

/** @throws TableFormatError when the format is newer than this code supports. */
export async function checkFormat(table: Table): Promise<void> {
  const { version } = await readFormat(table);
  if (version > TABLE_FORMAT) throw newerFormatError(table.name, version);
}

async function readFormat(table: Table): Promise<{ version: number; migratedPartitions: number }> {
  const [item] = await table.get([FORMAT_KEY]);
  return { version: Number(item?.['v']?.N ?? 0), migratedPartitions: Number(item?.['n']?.N ?? 0) };
}

function newerFormatError(tableName: string, format: number): TableFormatError {
  return new TableFormatError(
    `Table ${tableName} has format ${format}, and this version of Sitecast supports format ${TABLE_FORMAT}.`,
    {
      hint: 'Deploy the newer version again, or restore an older backup.',
    },
  );
}
