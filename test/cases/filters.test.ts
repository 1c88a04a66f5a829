import { CreateTopicCommand, PublishCommand } from '@aws-sdk/client-sns';
import { expect, it } from 'vitest';
import { subscribe } from '../../infra/local/stack/subscriber.ts';
import {
  matchesFilterPolicy,
  matchesFilterPolicyOnBody,
} from '../../node_modules/fauxqs/dist/sns/filter.js';
import { startClients } from '../support/embedded.ts';

type Json = Readonly<Record<string, unknown>>;
type Attributes = Readonly<Record<string, string | readonly string[]>>;

/** A text is a String, a list a String.Array. */
function messageAttributes(attributes: Attributes) {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      typeof value === 'string'
        ? { DataType: 'String', StringValue: value }
        : { DataType: 'String.Array', StringValue: JSON.stringify(value) },
    ]),
  );
}

const inObject = (object: Json) => ({ data: { object } });

// The answers are those of AWS's rule engine (aws/event-ruler) to the same policies and messages.
it.each<[rule: string, policy: Json, delivered: Json[], others: Json[]]>([
  [
    '$or below a key is one',
    { data: { $or: [{ changed: ['name'] }, { object: { rotation: [90] } }] } },
    [
      { data: { changed: ['name'], object: {} } },
      { data: { changed: ['x'], object: { rotation: 90 } } },
    ],
    [{ data: { changed: ['x'], object: { rotation: 0 } } }],
  ],
  [
    '$or at two levels must both be met',
    {
      $or: [{ type: ['a'] }, { cause: ['poll'] }],
      data: { $or: [{ changed: ['name'] }, { object: { rotation: [90] } }] },
    },
    [
      { type: 'a', data: { changed: ['name'], object: {} } },
      { type: 'b', cause: 'poll', data: { changed: ['x'], object: { rotation: 90 } } },
    ],
    [
      { type: 'b', cause: 'x', data: { changed: ['name'], object: { rotation: 90 } } },
      { type: 'a', data: { changed: ['x'], object: { rotation: 0 } } },
    ],
  ],
  [
    'an object in an array is looked into',
    inObject({ emails: { is_primary: [true] } }),
    [inObject({ emails: [{ email: 'a', is_primary: true }] })],
    [inObject({ emails: [{ email: 'a', is_primary: false }] })],
  ],
  [
    'one object of an array meets all conditions',
    inObject({ emails: { email: ['a'], is_primary: [true] } }),
    [inObject({ emails: [{ email: 'b' }, [{ email: 'a', is_primary: true }]] })],
    [inObject({ emails: [{ email: 'a', is_primary: false }, { is_primary: true }] })],
  ],
  [
    'null is a value',
    inObject({ code: [null] }),
    [inObject({ code: null })],
    [inObject({}), inObject({ code: 'x' })],
  ],
  [
    'null exists',
    inObject({ code: [{ exists: true }] }),
    [inObject({ code: null }), inObject({ code: 'x' })],
    [inObject({})],
  ],
  [
    'only what is absent does not exist',
    inObject({ deleted_at: [{ exists: false }] }),
    [inObject({}), inObject({ deleted_at: [] }), inObject({ deleted_at: { by: 'x' } })],
    [inObject({ deleted_at: null })],
  ],
  [
    'a text is no number',
    inObject({ code: [90] }),
    [inObject({ code: 90 })],
    [inObject({ code: '90' })],
  ],
  [
    'a text has no range',
    inObject({ code: [{ numeric: ['>', 10, '<=', 90] }] }),
    [inObject({ code: 90 })],
    [inObject({ code: '90' }), inObject({ code: 10 }), inObject({ code: 91 })],
  ],
  [
    'a text is no boolean',
    inObject({ flag: [true] }),
    [inObject({ flag: true })],
    [inObject({ flag: 'true' })],
  ],
  [
    'anything but a number may be of another type',
    inObject({ code: [{ 'anything-but': 90 }] }),
    [inObject({ code: '90' }), inObject({ code: null })],
    [inObject({ code: 90 }), inObject({})],
  ],
  [
    'a star may be escaped',
    { type: [{ wildcard: 'a\\*b*' }] },
    [{ type: 'a*b' }, { type: 'a*bc' }],
    [{ type: 'axb' }],
  ],
])('of the body, %s', (_rule, policy, delivered, others) => {
  const passes = (body: Json) => matchesFilterPolicyOnBody(policy, JSON.stringify(body));
  expect([...delivered, ...others].filter(passes)).toEqual(delivered);
});

it.each(['{"n":1}', '{"n":1.0}', '{"n":1e0}'])('of the body, the number in %s is 1', (body) => {
  expect(matchesFilterPolicyOnBody({ n: [1] }, body)).toBe(true);
});

it.each(['x', '"x"', '[{}]', 'null'])(
  'the body %s, which is no JSON object, never passes',
  (body) => {
    expect(matchesFilterPolicyOnBody({ n: [{ exists: false }] }, body)).toBe(false);
  },
);

it.each<[rule: string, policy: Json, delivered: Attributes[], others: Attributes[]]>([
  [
    'a key in $or replaces the same key before it',
    { entity: ['floorplan'], $or: [{ action: ['deleted'] }, { entity: ['project'] }] },
    [
      { entity: 'project', action: 'updated' },
      { entity: 'floorplan', action: 'deleted' },
      { entity: 'project', action: 'deleted' },
    ],
    [{ entity: 'floorplan', action: 'updated' }],
  ],
  [
    'one element may be anything but the values',
    { changed: [{ 'anything-but': ['name'] }] },
    [{ changed: ['name', 'rotation'] }],
    [{ changed: ['name'] }, { changed: [] }, { type: 'x' }],
  ],
  [
    'one element may be without the prefix',
    { changed: [{ 'anything-but': { prefix: 'device_' } }] },
    [{ changed: ['device_updated_at', 'name'] }],
    [{ changed: ['device_updated_at'] }],
  ],
  [
    'an empty array does not exist',
    { changed: [{ exists: true }] },
    [{ changed: ['a'] }],
    [{ changed: [], type: 'x' }],
  ],
  [
    'a message without any cannot lack one',
    { changed: [{ exists: false }] },
    [{ changed: [], type: 'x' }, { type: 'x' }],
    [{ changed: ['a'] }, {}],
  ],
])('of attributes, %s', (_rule, policy, delivered, others) => {
  const passes = (attributes: Attributes) =>
    matchesFilterPolicy(policy, messageAttributes(attributes));
  expect([...delivered, ...others].filter(passes)).toEqual(delivered);
});

it('the embedded topic filters so', async () => {
  const clients = await startClients();
  const { TopicArn = '' } = await clients.sns.send(new CreateTopicCommand({ Name: 'events' }));
  const filterPolicy = { entity: ['sheet'], $or: [{ cause: ['poll'] }, { entity: ['project'] }] };
  const subscriber = await subscribe(clients, TopicArn, 'queue', filterPolicy);
  for (const entity of ['sheet', 'project']) {
    const MessageAttributes = messageAttributes({ entity, cause: 'replay' });
    await clients.sns.send(new PublishCommand({ TopicArn, Message: entity, MessageAttributes }));
  }
  expect((await subscriber.drain()).map(({ message }) => message)).toEqual(['project']);
});
