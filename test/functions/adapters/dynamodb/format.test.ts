import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, expect, it } from 'vitest';
import { toItem } from '../../../../functions/adapters/dynamodb/attributes.ts';
import { FORMAT_KEY } from '../../../../functions/adapters/dynamodb/keys.ts';
import { makeDynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import { FatalError, TableFormatError } from '../../../../functions/core/model/errors.ts';
import { Site } from '../../../support/site.ts';
import { testAws } from '../../../support/test-aws.ts';

const aws = testAws();
let tableName: string;

beforeEach(async () => {
  tableName = await aws.createTable();
});

/** The table as a new process sees it. */
const open = () => makeDynamoDbStore({ client: aws.clients.dynamodb, tableName });

const putFormat = (format: number) =>
  aws.clients.dynamodb.send(
    new PutItemCommand({ TableName: tableName, Item: toItem({ ...FORMAT_KEY, v: format }) }),
  );

it('a new table gets the current format, which other processes find', async () => {
  await Promise.all([open().openTable(), open().openTable()]);
  await open().openTable();
  await open().checkFormat();
});

it.each([1, 3])(
  'a table of format %i is refused, and ends the run that polls it',
  async (format) => {
    await putFormat(format);
    const store = open();
    for (const refused of [store.checkFormat(), store.openTable()]) {
      await expect(refused).rejects.toThrow(TableFormatError);
      await expect(refused).rejects.toThrow(FatalError);
      await expect(refused).rejects.toThrow(`format ${format};`);
    }
    const site = new Site();
    await expect(site.poll({}, { store })).rejects.toThrow(TableFormatError);
    expect(site.api.requests).toEqual([]);
    expect(await store.loadLeases()).toEqual(new Map());
    expect(await store.loadFeeds([0])).toEqual([]);
  },
);
