import { TableFormatError } from '../../core/model/errors.ts';
import { FEED_PARTITIONS } from '../../core/model/feed.ts';
import { feedsPk, FORMAT_KEY, isFeed, number } from './items.ts';
import { migrateFormat0, type MigrationOptions } from './migrate-format-0.ts';
import { IS_ABSENT, type Table } from './table.ts';

/** The format of the table that this code reads and writes, see `docs/table.md`. */
const TABLE_FORMAT = 1;

/**
 * Makes sure that the table has the current format.
 *
 * - Newer: throws.
 * - Absent, without feeds: the table is new, and gets the format item.
 * - Absent, with feeds: format 0, which is migrated; the format item is written last.
 */
export async function openTable(table: Table, options: MigrationOptions): Promise<void> {
  const format = await readFormat(table);
  if (format === undefined) {
    await migrateUnversioned(table, options);
    const formatItem = { ...FORMAT_KEY, v: number(TABLE_FORMAT) };
    if (await table.put(formatItem, IS_ABSENT, options.guard)) return;
    // Another process wrote the item in the meantime.
    await openTable(table, options);
  } else if (format !== TABLE_FORMAT) {
    throw new TableFormatError(
      `Table ${table.name} cannot be used: it has format ${format}, and this version of Sitecast supports format ${TABLE_FORMAT}.`,
      {
        hint: 'Deploy the newer version again, or restore the table from a backup made before it was deployed.',
      },
    );
  }
}

async function readFormat(table: Table): Promise<number | undefined> {
  const [item] = await table.get([FORMAT_KEY]);
  return item && Number(item['v']?.N);
}

async function migrateUnversioned(table: Table, options: MigrationOptions): Promise<void> {
  const partitions = Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition);
  const items = await table.forEach(partitions, (partition) =>
    table.query({ pk: feedsPk(partition) }),
  );
  if (items.flat().some(isFeed)) await migrateFormat0(table, items.flat(), options);
}
