import type { Example } from './examples.ts';
import { bundledSchema, eventSchemas, type EventSchema } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES } from './message-attributes.ts';
import { WEBHOOK_HEADERS } from './webhook-headers.ts';

const BINDING_VERSION = '0.1.0';

/** The AsyncAPI 3 document: the topic and a webhook as channels, with a message for each event type. */
export function asyncApi(examples: readonly Example[]): object {
  const schemas = eventSchemas(examples);
  const messages = schemas.map(({ name }) => [name, reference(`messages/${name}`)] as const);
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sitecast change events',
      // Of the contract: the first number is in each `dataschema`.
      version: '1.0.0',
      description:
        'Every change of a project and its lists in the Construction Project Service, as a CloudEvent on an SNS topic, and posted to webhooks. Delivered at least once: apply an event only if its `sequence` is above the last one you have for its `subject`.',
      license: { name: 'MIT' },
      tags: [{ name: 'CloudEvents' }, { name: 'SNS' }, { name: 'Webhooks' }],
    },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      sns: {
        host: 'sns.{region}.amazonaws.com',
        protocol: 'sns',
        description: 'Amazon SNS in the region that Sitecast is deployed to.',
        variables: { region: { description: 'An AWS region.', default: 'eu-central-1' } },
      },
      receiver: {
        host: '{host}',
        protocol: 'https',
        description: 'The host of a webhook, as the operator configured it.',
        variables: { host: { description: 'A public host.', default: 'receiver.example' } },
      },
    },
    channels: {
      changes: {
        address: '{topicArn}',
        title: 'Changes',
        description: 'The topic that Sitecast publishes to, and nobody else.',
        servers: [{ $ref: '#/servers/sns' }],
        parameters: { topicArn: { description: 'The output `TopicArn` of the stack.' } },
        messages: Object.fromEntries(messages),
        bindings: {
          sns: {
            name: 'TopicArn',
            ordering: { type: 'standard', contentBasedDeduplication: false },
            policy: {
              statements: [
                {
                  effect: 'Deny',
                  principal: '*',
                  action: 'sns:Publish',
                  condition: { Bool: { 'aws:SecureTransport': 'false' } },
                },
                {
                  effect: 'Deny',
                  principal: '*',
                  action: 'sns:Subscribe',
                  condition: { StringEquals: { 'sns:Protocol': 'http' } },
                },
              ],
            },
            bindingVersion: BINDING_VERSION,
          },
        },
      },
      webhook: {
        address: '{path}',
        title: 'Webhook',
        description:
          'An endpoint that a subscriber with `protocol` "webhook" names. Each request has one event, signed by Standard Webhooks.',
        servers: [{ $ref: '#/servers/receiver' }],
        parameters: { path: { description: 'The path and query of the configured URL.' } },
        messages: Object.fromEntries(
          schemas.map((schema) => [schema.name, posted(message(schema, []))]),
        ),
      },
    },
    operations: {
      postChanges: {
        action: 'send',
        title: 'Post changes',
        summary:
          'Sitecast posts each change to a webhook until it answers 2xx within 15 seconds, for up to three days.',
        channel: { $ref: '#/channels/webhook' },
        messages: messages.map(([name]) => ({ $ref: `#/channels/webhook/messages/${name}` })),
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
      publishChanges: {
        action: 'send',
        title: 'Publish changes',
        summary: 'Sitecast publishes each change that it sees in a list of the service.',
        channel: { $ref: '#/channels/changes' },
        messages: messages.map(([name]) => ({ $ref: `#/channels/changes/messages/${name}` })),
        bindings: { sns: { consumers: CONSUMERS, bindingVersion: BINDING_VERSION } },
      },
    },
    components: {
      messages: Object.fromEntries(
        schemas.map((schema) => [schema.name, message(schema, examples)]),
      ),
      schemas: {
        ...inComponents(bundledSchema(schemas).$defs ?? {}),
        MessageAttributes: messageAttributes(),
        WebhookHeaders: webhookHeaders(),
      },
    },
  };
}

/** Subscribers as they may be: two of many. */
const CONSUMERS = [
  {
    protocol: 'sqs',
    endpoint: { name: 'all-changes' },
    rawMessageDelivery: true,
  },
  {
    protocol: 'sqs',
    endpoint: { name: 'renamed-floorplans' },
    filterPolicy: { entity: ['floorplan'], changed: ['name', '*'] },
    filterPolicyScope: 'MessageAttributes',
    rawMessageDelivery: true,
  },
];

function message({ name, schema }: EventSchema, examples: readonly Example[]): object {
  const { title = '', description, examples: events } = schema;
  const shown = examples.filter(({ event }) => events?.includes(event as never));
  return {
    name,
    title: name,
    summary: description,
    headers: reference('schemas/MessageAttributes'),
    payload: reference(`schemas/${title}`),
    ...(shown.length > 0 && {
      examples: shown.map((example) => ({
        summary: example.title,
        headers: example.attributes,
        payload: example.event,
      })),
    }),
  };
}

/** The same message as a request. */
function posted(of: object): object {
  return {
    ...of,
    contentType: 'application/cloudevents+json',
    headers: reference('schemas/WebhookHeaders'),
  };
}

function webhookHeaders(): object {
  return {
    type: 'object',
    title: 'WebhookHeaders',
    description: 'The headers of a request to a webhook, see https://www.standardwebhooks.com.',
    properties: Object.fromEntries(
      WEBHOOK_HEADERS.map(({ name, ...described }) => [name, { type: 'string', ...described }]),
    ),
    required: WEBHOOK_HEADERS.map(({ name }) => name),
  };
}

function messageAttributes(): object {
  return {
    type: 'object',
    title: 'MessageAttributes',
    description:
      "SNS's message attributes, for filter policies. An attribute whose value SNS cannot carry is left out; the event has it all.",
    properties: Object.fromEntries(
      MESSAGE_ATTRIBUTES.map(({ name, type, description, absent }) => [
        name,
        {
          type: 'string',
          description: absent === undefined ? description : `${description} Absent ${absent}.`,
          ...(type === 'String.Array' && { contentMediaType: 'application/json' }),
        },
      ]),
    ),
    required: MESSAGE_ATTRIBUTES.filter(({ absent }) => absent === undefined).map(
      ({ name }) => name,
    ),
  };
}

function reference(path: string): { $ref: string } {
  return { $ref: `#/components/${path}` };
}

/** The same with references to the schemas of this document. */
function inComponents(schema: object): object {
  const json = JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(json) as object;
}
