import type { Example } from './examples.ts';
import { bundledSchema, eventSchemas, type EventSchema } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES } from './message-attributes.ts';

const BINDING_VERSION = '0.1.0';

/** The AsyncAPI 3 document: one channel, the topic, with a message for each event type. */
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
        'Every change of a project, a floorplan, a template checklist, one of its items or a sheet in the Construction Project Service, as a CloudEvent on an SNS topic. Delivered at least once: apply an event only if its `sequence` is above the last one you have for its `subject`.',
      license: { name: 'MIT' },
      tags: [{ name: 'CloudEvents' }, { name: 'SNS' }],
    },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      sns: {
        host: 'sns.{region}.amazonaws.com',
        protocol: 'sns',
        description: 'Amazon SNS in the region that Sitecast is deployed to.',
        variables: { region: { description: 'An AWS region.', default: 'eu-central-1' } },
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
    },
    operations: {
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
