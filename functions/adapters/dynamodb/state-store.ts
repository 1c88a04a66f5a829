import type { OperatedStore } from '../../control/ports.ts';
import { TableFormatError } from '../../core/model/errors.ts';
import { IS_ABSENT } from './expressions.ts';
import { makeFeedStore } from './feeds.ts';
import { FORMAT_KEY } from './keys.ts';
import { makeLeaseStore } from './lease.ts';
import { makeHistoryStore } from './poll-history.ts';
import { makeEntityStateStore } from './states.ts';
import { Table, type TableOptions } from './table.ts';

/** The format of the table that this code reads and writes, see `README.md`. */
const TABLE_FORMAT = 2;

/**
 * Makes the store of feeds, entity states, leases and poll histories in one DynamoDB table, laid
 * out in `keys.ts`.
 *
 * Reads of feeds and entity states, but `loadShard`, are strongly consistent. Errors of the SDK
 * pass through, except failed conditions.
 */
export function makeDynamoDbStore(options: TableOptions): OperatedStore {
  const table = new Table(options);
  let isOpen = false;
  return {
    ...makeFeedStore(table),
    ...makeEntityStateStore(table),
    ...makeLeaseStore(table),
    ...makeHistoryStore(table),

    async openTable() {
      if (!isOpen) await openTable(table);
      isOpen = true;
    },

    async checkFormat() {
      await checkFormat(table);
    },
  };
}

/** Checks the format of the table. A table without one is new and gets the current format. */
async function openTable(table: Table): Promise<void> {
  if ((await checkFormat(table)) !== undefined) return;
  await table.put({ ...FORMAT_KEY, v: TABLE_FORMAT }, IS_ABSENT);
}

/**
 * @returns the format of the table; undefined when the table is new.
 * @throws TableFormatError when the table has another format.
 */
async function checkFormat(table: Table): Promise<number | undefined> {
  const [row] = await table.get([FORMAT_KEY]);
  if (row === undefined) return undefined;
  const format = Number(row['v']);
  if (format === TABLE_FORMAT) return format;
  throw new TableFormatError(
    `Table ${table.name} has format ${format}; this version of Sitecast needs ${TABLE_FORMAT}.`,
    {
      hint: 'Deploy the version that wrote the table again, restore a backup, or use a new table.',
    },
  );
}
