import { TableFormatError } from '../../core/model/errors.ts';
import { IS_ABSENT } from './condition.ts';
import { FORMAT_KEY, number } from './items.ts';
import type { Table } from './table.ts';

/** The format of the table that this code reads and writes, see `docs/table.md`. */
const TABLE_FORMAT = 2;

/**
 * Checks the format of the table. A table without one is new and gets the current format.
 *
 * @throws TableFormatError when the table has another format.
 */
export async function openTable(table: Table): Promise<void> {
  if ((await checkFormat(table)) !== undefined) return;
  await table.put({ ...FORMAT_KEY, v: number(TABLE_FORMAT) }, IS_ABSENT);
}

/**
 * @returns the format of the table; undefined when the table is new.
 * @throws TableFormatError when the table has another format.
 */
export async function checkFormat(table: Table): Promise<number | undefined> {
  const [item] = await table.get([FORMAT_KEY]);
  if (item === undefined) return undefined;
  const format = Number(item['v']?.N);
  if (format !== TABLE_FORMAT) throw otherFormatError(table.name, format);
  return format;
}

function otherFormatError(tableName: string, format: number): TableFormatError {
  return new TableFormatError(
    `Table ${tableName} has format ${format}; this version of Sitecast needs ${TABLE_FORMAT}.`,
    {
      hint: 'Deploy the version that wrote the table again, restore a backup, or use a new table.',
    },
  );
}
