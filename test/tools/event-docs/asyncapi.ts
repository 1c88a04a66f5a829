import type { Example } from './examples.ts';
import { bundledSchema, eventSchemas, type EventSchema } from './json-schemas.ts';
import { MESSAGE_ATTRIBUTES, WEBHOOK_HEADERS } from './vocabulary.ts';

/** The AsyncAPI 3 document: topic and webhook as channels, with a message for each event type. */
export function asyncApi(examples: readonly Example[]): object {
  const schemas = eventSchemas(examples);
  const refersTo = (path: string) =>
    Object.fromEntries(schemas.map(({ name }) => [name, { $ref: `#/${path}/${name}` }]));
  const posted = schemas.map((schema) => {
    const message = { ...messageOf(schema, []), headers: reference('schemas/WebhookHeaders') };
    return [schema.name, message] as const;
  });
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Sitecast change events',
      // The contract's version: its first number is in each `dataschema`.
      version: '1.0.0',
      description:
        'Every change in the Construction Project Service, as a CloudEvent. Delivered at least ' +
        'once: apply an event only if its `sequence` is above the last one of its `subject`.',
      license: { name: 'MIT' },
    },
    defaultContentType: 'application/cloudevents+json',
    servers: {
      sns: {
        host: 'sns.{region}.amazonaws.com',
        protocol: 'sns',
        variables: { region: { description: 'An AWS region.', default: 'eu-central-1' } },
      },
      receiver: {
        host: '{host}',
        protocol: 'https',
        variables: { host: { description: 'A public host.', default: 'receiver.example' } },
      },
    },
    channels: {
      changes: {
        address: '{topicArn}',
        servers: [{ $ref: '#/servers/sns' }],
        parameters: { topicArn: { description: 'The output `TopicArn` of the stack.' } },
        messages: refersTo('components/messages'),
      },
      webhook: {
        address: '{path}',
        description: 'Each request has one event, signed by Standard Webhooks.',
        servers: [{ $ref: '#/servers/receiver' }],
        parameters: { path: { description: 'The path and query of the configured URL.' } },
        messages: Object.fromEntries(posted),
      },
    },
    operations: {
      publishChanges: {
        action: 'send',
        summary: 'Sitecast publishes each change that it sees in a list of the service.',
        channel: { $ref: '#/channels/changes' },
        messages: Object.values(refersTo('channels/changes/messages')),
      },
      postChanges: {
        action: 'send',
        summary:
          'Sitecast posts each change until it is answered 2xx in 15 seconds, for up to three days.',
        channel: { $ref: '#/channels/webhook' },
        messages: Object.values(refersTo('channels/webhook/messages')),
        bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      },
    },
    components: {
      messages: Object.fromEntries(
        schemas.map((schema) => [schema.name, messageOf(schema, examples)]),
      ),
      schemas: {
        ...inComponents(bundledSchema(schemas).$defs ?? {}),
        MessageAttributes: texts('MessageAttributes', 'For filter policies.', MESSAGE_ATTRIBUTES),
        WebhookHeaders: texts('WebhookHeaders', 'For webhooks.', WEBHOOK_HEADERS),
      },
    },
  };
}

function messageOf({ name, schema }: EventSchema, examples: readonly Example[]): object {
  const { title = '', description, examples: events } = schema;
  const shown = examples.filter(({ event }) => events?.includes(event as never));
  return {
    name,
    title: name,
    summary: description,
    headers: reference('schemas/MessageAttributes'),
    payload: reference(`schemas/${title}`),
    ...(shown.length > 0 && {
      examples: shown.map(({ title: summary, attributes: headers, event: payload }) => ({
        ...{ summary, headers, payload },
      })),
    }),
  };
}

interface Text {
  readonly name: string;
  readonly isOptional?: true;
}

/** The schema of an object of texts. */
function texts(title: string, description: string, fields: readonly Text[]): object {
  return {
    ...{ type: 'object', title, description },
    properties: Object.fromEntries(
      fields.map(({ name, isOptional, ...field }) => [name, { type: 'string', ...field }]),
    ),
    required: fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name),
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
