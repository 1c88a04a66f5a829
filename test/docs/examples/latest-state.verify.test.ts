import { once } from 'node:events';
import { CreateTableCommand, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { CreateTopicCommand } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { parseChangeEvent, type ChangeEvent } from 'sitecast/events';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { makeReceiver } from '../../../docs/examples/https-receiver.ts';
import { isAlive, keepLatest } from '../../../docs/examples/latest-state.ts';
import { S3ClaimCheck } from '../../../functions/adapters/s3/claim-check.ts';
import { SnsTopic } from '../../../functions/adapters/sns/event-topic.ts';
import { type Ports } from '../../../functions/core/ports/ports.ts';
import type { PartialPorts } from '../../support/complete-api.ts';
import { eventOf } from '../../support/samples.ts';
import { deletedAt, entityAt, liveSite, type Site } from '../../support/site.ts';
import { testAws } from '../../support/test-aws.ts';
import { postMessage } from './post-message.ts';
import { makeSigner } from './signer.ts';
import { BUCKET, consumeAll, subscribeQueue } from './subscription.ts';

const SOURCE = 'https://service.example/api/v3';
const FLOORPLAN = `${SOURCE}/projects/p/floorplans/f`;
/** Fields that SNS adds to a signed envelope, for the embedded topic's region. */
const SIGNATURE = {
  SignatureVersion: '2',
  SigningCertURL: 'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0.pem',
};

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
  await aws.clients.dynamodb.send(
    new CreateTableCommand({
      TableName: table,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'entity', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'entity', KeyType: 'HASH' }],
    }),
  );
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
    const late = await subscribeQueue(aws, topicArn, { filterPolicy: { action: ['created'] } });
    const early = await subscribeQueue(aws, topicArn, { filterPolicy: { action: ['updated'] } });
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

  it('sees a change and its revert as two events, or as one without changed fields', async () => {
    const queue = await subscribeQueue(aws, topicArn);
    site.floorplan('p', 'f', 10, { name: 'Cellar' });
    await poll();
    site.floorplan('p', 'f', 20, { name: 'f' });
    await poll();
    site.floorplan('p', 'f', 30, { name: 'Cellar' });
    site.floorplan('p', 'f', 40, { name: 'f' });
    await poll();
    const events = await consumeAll(aws, queue);
    expect(events.map(({ data }) => [data.changed, data.previous])).toEqual([
      [['name'], { name: 'f' }],
      [['name'], { name: 'Cellar' }],
      [[], {}],
    ]);
  });

  it('sees a delete and a restore as two events, or as one update', async () => {
    const queue = await subscribeQueue(aws, topicArn);
    site.floorplan('p', 'f', 10, deletedAt(10));
    await poll();
    site.floorplan('p', 'f', 20);
    await poll();
    site.floorplan('p', 'f', 30, deletedAt(30));
    site.floorplan('p', 'f', 40);
    await poll();
    expect(await applyAll(queue)).toEqual([
      ['floorplan.deleted', true],
      ['floorplan.restored', true],
      ['floorplan.updated', true],
    ]);
    expect(await savedState()).toEqual({ name: 'f', deleted: false });
  });

  it('keeps a deleted entity, so that a late event does not bring it back', async () => {
    const all = await subscribeQueue(aws, topicArn);
    const updates = await subscribeQueue(aws, topicArn, { filterPolicy: { action: ['updated'] } });
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
    const queue = await subscribeQueue(aws, topicArn, { filterPolicy });
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

  it('keeps an item as deleted that vanished from its checklist', async () => {
    site.checklist('p', 'c', 10, [entityAt('i', 10)]);
    await site.poll();
    const queue = await subscribeQueue(aws, topicArn);
    site.checklist('p', 'c', 20, []);
    await poll();
    await applyAll(queue);
    const item = `${SOURCE}/projects/p/template_checklists/c/template_check_items/i`;
    expect(await savedState(item)).toEqual({ name: 'i', deleted: true });
  });

  it('keeps a deleted entity as deleted when it is updated', async () => {
    const queue = await subscribeQueue(aws, topicArn, { filterPolicy: { action: ['updated'] } });
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

  describe('with a filter', () => {
    const changeEverything = async () => {
      site.floorplan('p', 'f', 10, { name: 'Cellar' });
      site.floorplan('p', 'g', 11, { name: 'Roof' });
      site.checklist('p', 'c', 12, []);
      site.project('q', 13);
      await poll();
      site.floorplan('p', 'f', 20, { name: 'Cellar', scale: 50 });
      site.floorplan('p', 'g', 21, { ...deletedAt(21), name: 'Roof' });
      await poll();
    };
    const inAttributes = 'MessageAttributes';
    const inBody = 'MessageBody';

    it.each([
      ['type', inAttributes, { type: ['floorplan.created'] }, ['floorplan.created']],
      [
        'entity',
        inAttributes,
        { entity: ['project', 'template_checklist'] },
        ['project.created', 'template_checklist.created'],
      ],
      ['action', inAttributes, { action: ['deleted'] }, ['floorplan.deleted']],
      ['project', inAttributes, { project_id: ['q'] }, ['project.created']],
      [
        'a changed field',
        inAttributes,
        { action: ['updated'], changed: ['scale', '*'] },
        ['floorplan.updated'],
      ],
      ['another changed field', inAttributes, { changed: ['color', '*'] }, []],
      ['cause', inAttributes, { cause: [{ 'anything-but': ['poll'] }] }, []],
      ['type', inBody, { type: ['floorplan.created'] }, ['floorplan.created']],
      ['a changed field', inBody, { data: { changed: ['scale'] } }, ['floorplan.updated']],
      [
        'a value',
        inBody,
        { data: { object: { name: ['Roof'] } } },
        ['floorplan.created', 'floorplan.deleted'],
      ],
    ] as const)(
      'on %s in %s gets matching events only, raw or not',
      async (_, scope, filterPolicy, expected) => {
        const raw = await subscribeQueue(aws, topicArn, { filterPolicy, scope });
        const wrapped = await subscribeQueue(aws, topicArn, { filterPolicy, scope, raw: false });
        await changeEverything();
        for (const queue of [raw, wrapped]) {
          expect(typesOf(await consumeAll(aws, queue)).sort()).toEqual(expected);
        }
      },
    );
  });

  it('receives the same events with raw delivery on and off', async () => {
    const raw = await subscribeQueue(aws, topicArn, { raw: true });
    const wrapped = await subscribeQueue(aws, topicArn, { raw: false });
    site.floorplan('p', 'f', 10, { name: 'Größe „12" 🏗' });
    await poll();
    const events = await consumeAll(aws, raw);
    expect(typesOf(events)).toEqual(['floorplan.updated']);
    expect(await consumeAll(aws, wrapped)).toEqual(events);
  });

  it('that is down for two hours finds all events in the queue', async () => {
    const queue = await subscribeQueue(aws, topicArn);
    for (let minute = 1; minute <= 120; minute += 10) {
      site.clock.advance(600_000);
      site.floorplan('p', 'f', minute * 60, { name: `at ${minute}` });
      await poll();
    }
    expect((await applyAll(queue)).length).toBe(12);
    expect(await savedState()).toEqual({ name: 'at 111', deleted: false });
  });

  it('whose endpoint is down for two hours finds the events that SNS gave up on in the dead-letter queue', async () => {
    const posts = await subscribeQueue(aws, topicArn, { raw: false });
    const deadLetters = await aws.createQueue();
    const signer = await makeSigner();
    let isDown = true;
    const endpoint = makeReceiver({
      topicArn,
      s3: aws.clients.s3,
      bucket: BUCKET,
      fetch: () => Promise.resolve(new Response(signer.certificate)),
      handle: (event) =>
        isDown ? Promise.reject(new Error('down')) : keepLatest(aws.clients.dynamodb, table, event),
    });
    endpoint.listen(0, '127.0.0.1');
    await once(endpoint, 'listening');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    // SNS posts a message, retries, and gives up.
    const deliver = async () => {
      for (const { Body = '' } of await aws.drain(posts)) {
        const envelope = JSON.parse(Body) as Record<string, string>;
        const message = signer.sign({ ...envelope, ...SIGNATURE });
        const statuses = [
          await postMessage(endpoint, message),
          await postMessage(endpoint, message),
        ];
        if (statuses.includes(200)) continue;
        expect(statuses).toEqual([500, 500]);
        await aws.clients.sqs.send(
          new SendMessageCommand({ QueueUrl: deadLetters, MessageBody: Body }),
        );
      }
    };
    try {
      site.floorplan('p', 'f', 10, { name: 'Cellar' });
      site.floorplan('p', 'g', 11, { name: 'Roof' });
      await poll();
      await deliver();
      isDown = false;
      site.floorplan('p', 'f', 7200, { name: 'Basement' });
      await poll();
      await deliver();
    } finally {
      endpoint.close();
    }
    expect(await applyAll(deadLetters)).toEqual([
      ['floorplan.updated', false],
      ['floorplan.created', true],
    ]);
    expect(await savedState()).toEqual({ name: 'Basement', deleted: false });
  });

  it('receives an event larger than a message whole, by its id', async () => {
    const raw = await subscribeQueue(aws, topicArn, { filterPolicy: { changed: ['drawing'] } });
    const drawing = 'ü'.repeat(200_000);
    site.floorplan('p', 'f', 10, { drawing });
    await poll();
    const [message] = await aws.clients.sqs
      .send(new ReceiveMessageCommand({ QueueUrl: raw, VisibilityTimeout: 0 }))
      .then(({ Messages = [] }) => Messages.map(({ Body = '' }) => parseChangeEvent(Body)));
    const [event] = await consumeAll(aws, raw);
    expect(event?.data.object['drawing']).toBe(drawing);
    expect(message).toMatchObject({
      id: event?.id,
      dataref: `s3://${BUCKET}/events/${event?.id}.json`,
    });
    expect(message).not.toHaveProperty('data');
  });

  it('receives a failed event again, and the others meanwhile', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const queue = await subscribeQueue(aws, topicArn, { visibilitySeconds: 0 });
    site.floorplan('p', 'f', 10, { name: 'Cellar' });
    site.floorplan('p', 'g', 11);
    await poll();
    let failures = 1;
    const handled = await consumeAll(aws, queue, ({ partitionkey }) =>
      partitionkey === 'f' && failures-- > 0
        ? Promise.reject(new Error('busy'))
        : Promise.resolve(),
    );
    expect(handled.map(({ partitionkey }) => partitionkey)).toEqual(['g', 'f']);
  });
});
