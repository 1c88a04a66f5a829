import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Item } from '../../../../functions/adapters/dynamodb/attributes.ts';
import { makeDynamoDbStore } from '../../../../functions/adapters/dynamodb/state-store.ts';
import type { OperatedStore } from '../../../../functions/control/ports.ts';
import { feedPartition } from '../../../../functions/core/model/feed.ts';
import { feedOf, stateOf, noise } from '../../../support/samples.ts';
import { testAws } from '../../../support/test-aws.ts';

const FEED_ID = 'projects/p1/floorplans';
const MARK = { S: expect.stringMatching(/^[\w-]{4}$/) as string };

const aws = testAws();
let tableName: string;
let store: OperatedStore;

beforeEach(async () => {
  tableName = await aws.createTable();
  store = makeDynamoDbStore({ client: aws.clients.dynamodb, tableName });
});

async function itemsInTable(): Promise<Item[]> {
  const { Items = [] } = await aws.clients.dynamodb.send(new ScanCommand({ TableName: tableName }));
  return Items;
}

describe('the table', () => {
  it('holds a feed in the partition of its project, under its id, with its fields by name', async () => {
    const feed = feedOf({
      projectId: '0b1f0f62-aaaa-4c1a-9f9a-1234567890ab',
      cursor: '2024-01-01T00:00:00.000Z',
      revision: 7,
    });
    await store.addFeeds([feed]);
    expect(await itemsInTable()).toEqual([
      {
        pk: { S: `feeds#${String(feedPartition(feed)).padStart(2, '0')}` },
        sk: { S: feed.id },
        rev: { N: '7' },
        cursor: { S: '2024-01-01T00:00:00.000Z' },
        mark: MARK,
      },
    ]);
  });

  it('holds an entity state under its feed and key', async () => {
    await store.saveStates(FEED_ID, [stateOf('a')]);
    expect(await itemsInTable()).toEqual([
      {
        pk: { S: `state#${FEED_ID}` },
        sk: { S: 'floorplan#a' },
        v: { S: '2024-01-01T00:00:00.000Z' },
        c: { S: '{"id":"a","name":"Floorplan a"}' },
      },
    ]);
  });

  it.each([
    ['as text if it fits one write unit', 'x'.repeat(500), 'S'],
    ['deflated if that saves write units', 'lorem ipsum '.repeat(200), 'B'],
    ['as text if deflating saves bytes but no unit', noise(1_900), 'S'],
  ])('holds content %s', async (_, notes, type) => {
    await store.saveStates(FEED_ID, [{ ...stateOf('a'), content: () => ({ notes }) }]);
    const [item] = await itemsInTable();
    expect(Object.keys(item?.['c'] ?? {})).toEqual([type]);
  });
});
