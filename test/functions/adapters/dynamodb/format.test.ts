import { PutItemCommand, ScanCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { toItem, type Item } from '../../../../functions/adapters/dynamodb/attributes.ts';
import { FORMAT_KEY } from '../../../../functions/adapters/dynamodb/keys.ts';
import { makeDynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import type { OperatedStore } from '../../../../functions/control/ports.ts';
import { FatalError, TableFormatError } from '../../../../functions/core/model/errors.ts';
import { Site } from '../../../support/site.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let tableName: string;
let store: OperatedStore;

beforeEach(async () => {
  tableName = await aws.createTable();
  store = newProcess();
});

/** A store that has not opened the table yet. */
function newProcess(client: DynamoDBClient = aws.clients.dynamodb) {
  return makeDynamoDbStore({ client, tableName });
}

const putItem = (item: Item) =>
  aws.clients.dynamodb.send(new PutItemCommand({ TableName: tableName, Item: item }));

/** All items by their keys, without the random marks of puts. */
async function scanTable(): Promise<Record<string, Item>> {
  const { Items = [] } = await aws.clients.dynamodb.send(new ScanCommand({ TableName: tableName }));
  const byKey = Items.map(({ mark, ...item }): [string, Item] => [
    `${item['pk']?.S} ${item['sk']?.S}`,
    item,
  ]);
  return Object.fromEntries(byKey.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('a new table', () => {
  it('gets the current format, which a second process finds', async () => {
    await store.openTable();
    await newProcess().openTable();
    expect(await scanTable()).toEqual({
      'table format': { pk: { S: 'table' }, sk: { S: 'format' }, v: { N: '2' } },
    });
  });
});

describe('a table of another format', () => {
  it.each([1, 3])('is refused with what to do, and nothing is written: %i', async (format) => {
    await putItem(toItem({ ...FORMAT_KEY, v: format }));
    const before = await scanTable();
    for (const refused of [store.checkFormat(), store.openTable(), store.openTable()]) {
      await expect(refused).rejects.toThrow(TableFormatError);
      await expect(refused).rejects.toThrow(FatalError);
      await expect(refused).rejects.toThrow(
        `Table ${tableName} has format ${format}; this version of Sitecast needs 2.`,
      );
      await expect(refused).rejects.toHaveProperty(
        'hint',
        expect.stringMatching(/^Deploy the version that wrote the table again, restore/),
      );
    }
    expect(await scanTable()).toEqual(before);
  });

  it('ends the run before anything is polled, and the lease is freed', async () => {
    await putItem(toItem({ ...FORMAT_KEY, v: 1 }));
    const site = new Site();
    await expect(site.poll({}, { store })).rejects.toThrow(TableFormatError);
    expect(site.api.requests).toEqual([]);
    expect(await store.loadTaken(1)).toEqual(new Set());
    expect(Object.keys(await scanTable())).toEqual(['table format', 'table lease']);
  });
});
