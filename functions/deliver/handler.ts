import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { SecretsManagerSigningSecrets } from '../adapters/auth/signing-secret.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { WebhookItems } from '../adapters/dynamodb/webhooks.ts';
import { loadOnce } from '../adapters/shared/load-once.ts';
import { safeError } from '../adapters/shared/redact.ts';
import { requestHandler } from '../adapters/shared/request-handler.ts';
import { SqsWebhookQueue } from '../adapters/sqs/webhook-queue.ts';
import { PowertoolsWebhookTelemetry } from '../adapters/telemetry/webhook-telemetry.ts';
import { HttpsEndpoint } from '../adapters/webhook/https-endpoint.ts';
import { parseDeliverSettings, type DeliverSettings } from '../settings/settings.ts';
import { deliverBatch } from './deliver-batch.ts';
import type { DeliverPorts, LargeEvents, WebhookMapping, WebhookMessage } from './ports.ts';

/** Time that an invocation needs after its last wait. */
const END_MS = 10_000;

const telemetry = new PowertoolsWebhookTelemetry();

type KeptPorts = Omit<DeliverPorts, 'mapping'>;

/** Kept for the next invocations of the process: connections, the secret. */
let wired: { readonly settings: DeliverSettings; readonly ports: KeptPorts } | undefined;

/**
 * Delivers the messages of a webhook's queue, each as one signed POST.
 *
 * - Every event arrives at least once, or is a dead letter after twelve attempts in three days.
 * - SQS keeps the events and counts the attempts. No delivery depends on the table.
 * - An endpoint that is gone, or only fails for a day, is disabled; its events wait in the queue.
 *
 * @returns the messages that stay in the queue; Lambda deletes the others.
 * @throws the {@link safeError} of any other error, after logging it: all messages stay.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  try {
    wired ??= wire(parseDeliverSettings(process.env));
    const { settings, ports } = wired;
    telemetry.start(context, settings.name, settings.monitoring);
    const messages = event.Records.map(toMessage);
    const left = await deliverBatch(messages, { ...ports, mapping: mappingOf(context) });
    return { batchItemFailures: left.map(({ id }) => ({ itemIdentifier: id })) };
  } catch (error) {
    telemetry.error('No message was delivered', error);
    throw safeError(error);
  } finally {
    telemetry.flush();
  }
}

function toMessage({ messageId, receiptHandle, body, attributes }: SQSRecord): WebhookMessage {
  return {
    id: messageId,
    receipt: receiptHandle,
    body,
    receiveCount: Number(attributes.ApproximateReceiveCount),
    sentAt: Number(attributes.SentTimestamp),
  };
}

function wire(settings: DeliverSettings): NonNullable<typeof wired> {
  const dynamodb = new DynamoDBClient({ requestHandler });
  const table = new Table({ client: dynamodb, tableName: settings.table });
  const ports: KeptPorts = {
    store: new WebhookItems(table, settings.name),
    queue: new SqsWebhookQueue({
      client: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
      queueUrl: settings.queueUrl,
      deadLettersUrl: settings.deadLettersUrl,
    }),
    endpoint: new HttpsEndpoint(settings),
    secrets: new SecretsManagerSigningSecrets({
      client: new SecretsManagerClient({ requestHandler }),
      secretId: settings.secretArn,
    }),
    largeEvents: largeEventsIn(settings.largeEventsBucket),
    telemetry,
    now: Date.now,
  };
  return { settings, ports };
}

/** The client of S3 is loaded with the first large event: they are rare. */
function largeEventsIn(bucket: string): LargeEvents {
  const events = loadOnce(async () => {
    const { BucketEvents } = await import('../adapters/s3/bucket-events.ts');
    return new BucketEvents(bucket);
  });
  return {
    read: async (...event) => (await events()).read(...event),
    presign: async (dataref) => (await events()).presign(dataref),
  };
}

/** The client of Lambda is loaded with the first call: webhooks are rarely disabled. */
function mappingOf(context: Context): WebhookMapping {
  return {
    async stop(isStillWanted) {
      const { LambdaMapping } = await import('../adapters/lambda/event-source-mapping.ts');
      const maxWaitMs = context.getRemainingTimeInMillis() - END_MS;
      const mapping = new LambdaMapping(context.functionName, { maxWaitMs });
      await mapping.setEnabled(false, isStillWanted);
    },
  };
}
