import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
import { type ChangeEvent } from 'sitecast-events';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTable, isAlive, keepLatest } from '../../../docs/examples/latest-state.ts';
import { S3ClaimCheck } from '../../../functions/adapters/s3/claim-check.ts';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { type Ports } from '../../../functions/core/ports/ports.ts';
import type { PartialPorts } from '../../support/complete-api.ts';
import { eventOf } from '../../support/samples.ts';
import { deletedAt, liveSite, type Site } from '../../support/site.ts';
import { testAws } from '../../support/test-aws.ts';
import { BUCKET, consumeAll, subscribeQueue } from './subscription.ts';

const SOURCE = 'https://service.example/api/v3';
const FLOORPLAN = `${SOURCE}/projects/p/floorplans/f`;

const aws = testAws();
let site: Site;
let topicArn: string;
let topic: Ports['topic'];
let table: string;
let tables = 0;

beforeAll(async () => {
  await aws.clients.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

beforeEach(async () => {
  site = await liveSite();
  const created = await aws.clients.sns.send(new CreateTopicCommand({ Name: `t${++tables}` }));
  topicArn = created.TopicArn ?? '';
  const claimCheck = new S3ClaimCheck({ client: aws.clients.s3, bucket: BUCKET });
  topic = new SnsTopic({ client: aws.clients.sns, topicArn, claimCheck });
  table = `changes-${tables}`;
  await createTable(aws.clients.dynamodb, table);
});

const poll = (ports: PartialPorts = {}) => site.poll({}, { topic, ...ports });
const typesOf = (events: readonly ChangeEvent[]) => events.map(({ type }) => type);

/** Applies all events of a queue. @returns each type, and whether the event was applied. */
async function applyAll(queueUrl: string): Promise<[string, boolean][]> {
  const applied: [string, boolean][] = [];
  await consumeAll(aws, queueUrl, async (event) => {
    applied.push([event.type, await keepLatest(aws.clients.dynamodb, table, event)]);
  });
  return applied;
}

/** The state of an entity in the consumer's table. */
async function savedState(
  subject = FLOORPLAN,
): Promise<{ name: unknown; deleted: boolean | undefined } | undefined> {
  const { Item } = await aws.clients.dynamodb.send(
    new GetItemCommand({ TableName: table, Key: { entity: { S: subject } } }),
  );
  if (Item === undefined) return undefined;
  const object = JSON.parse(Item['object']?.S ?? '{}') as { readonly name?: unknown };
  return { name: object.name, deleted: Item['deleted']?.BOOL };
}

describe('a subscriber', () => {
  it('that receives an event twice sees one id and one content, and applies it once', async () => {
    const queue = await subscribeQueue(aws, topicArn);
    site.floorplan('p', 'f', 10, { name: 'Cellar' });
    const killed = vi.spyOn(site.store, 'saveStates').mockRejectedValueOnce(new Error('killed'));
    await expect(poll()).rejects.toThrow('killed');
    killed.mockRestore();
    await poll();
    const received: ChangeEvent[] = [];
    const applied: boolean[] = [];
    await consumeAll(aws, queue, async (event) => {
      received.push(event);
      applied.push(await keepLatest(aws.clients.dynamodb, table, event));
    });
    expect(typesOf(received)).toEqual(['floorplan.updated', 'floorplan.updated']);
    const [first, second] = received.map(({ recordedtime, ...rest }) => [rest, recordedtime]);
    expect(first?.[0]).toEqual(second?.[0]);
    expect(applied).toEqual([true, false]);
  });

  it('that receives an update before its create ends with the update', async () => {
    const late = await subscribeQueue(aws, topicArn, { action: ['created'] });
    const early = await subscribeQueue(aws, topicArn, { action: ['updated'] });
    await site.poll();
    site.floorplan('p', 'f', 10, { name: 'Cellar' });
    site.api.put('/projects/p/floorplans', {
      id: 'n',
      name: 'New',
      updated_at: '2026-03-02T08:00:20.000Z',
    });
    await poll();
    site.api.put('/projects/p/floorplans', {
      id: 'n',
      name: 'Newer',
      updated_at: '2026-03-02T08:00:30.000Z',
    });
    await poll();
    const applied = new Map<string, boolean>();
    for (const queue of [early, late]) {
      await consumeAll(aws, queue, async (event) => {
        const isApplied = await keepLatest(aws.clients.dynamodb, table, event);
        if (event.subject.endsWith('/n')) applied.set(event.type, isApplied);
      });
    }
    expect([...applied]).toEqual([
      ['floorplan.updated', true],
      ['floorplan.created', false],
    ]);
  });

  it('keeps a deleted entity, so that a late event does not bring it back', async () => {
    const all = await subscribeQueue(aws, topicArn);
    const updates = await subscribeQueue(aws, topicArn, { action: ['updated'] });
    site.floorplan('p', 'f', 10, { name: 'Cellar' });
    await poll();
    site.floorplan('p', 'f', 20, deletedAt(20));
    await poll();
    await applyAll(all);
    expect(await applyAll(updates)).toEqual([['floorplan.updated', false]]);
    expect(await savedState()).toMatchObject({ deleted: true });
  });

  it('hides the floorplans of a deleted project, until it is restored', async () => {
    const filterPolicy = { entity: ['floorplan', 'project'] };
    const queue = await subscribeQueue(aws, topicArn, filterPolicy);
    const isShown = () => isAlive(aws.clients.dynamodb, table, SOURCE, '/projects/p/floorplans/f');
    expect(await isShown()).toBe(false);
    site.floorplan('p', 'f', 10);
    await poll();
    await applyAll(queue);
    expect(await isShown()).toBe(true);
    site.project('p', 20, deletedAt(20));
    await poll();
    expect(await applyAll(queue)).toEqual([['project.deleted', true]]);
    expect(await isShown()).toBe(false);
    site.project('p', 30);
    await poll();
    expect(await applyAll(queue)).toEqual([['project.restored', true]]);
    expect(await isShown()).toBe(true);
  });

  it('keeps a deleted entity as deleted when it is updated', async () => {
    const queue = await subscribeQueue(aws, topicArn, { action: ['updated'] });
    site.floorplan('p', 'gone', 10, { ...deletedAt(2), name: 'Gone' });
    await poll();
    expect(await applyAll(queue)).toEqual([['floorplan.updated', true]]);
    expect(await savedState(`${SOURCE}/projects/p/floorplans/gone`)).toMatchObject({
      deleted: true,
    });
  });

  it('keeps an entity too large for an item without its object', async () => {
    const queue = await subscribeQueue(aws, topicArn);
    site.floorplan('p', 'f', 10, { drawing: 'x'.repeat(2_000_000) });
    await poll();
    expect(await applyAll(queue)).toEqual([['floorplan.updated', true]]);
    expect(await savedState()).toEqual({ name: undefined, deleted: false });
  });

  it('ignores unknown types', async () => {
    const { clients } = aws;
    const event = { ...eventOf('f'), type: 'floorplan.updated.v2' } as unknown as ChangeEvent;
    expect(await keepLatest(clients.dynamodb, table, event)).toBe(false);
  });
});
