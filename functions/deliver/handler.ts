import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import { SecretsManagerSigningSecrets } from '../adapters/auth/signing-secret.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { WebhookItems } from '../adapters/dynamodb/webhook-items.ts';
import { loadOnce } from '../adapters/shared/load-once.ts';
import { safeError } from '../adapters/shared/redact.ts';
import { requestHandler } from '../adapters/shared/request-handler.ts';
import { SqsWebhookQueue } from '../adapters/sqs/webhook-queue.ts';
import { PowertoolsWebhookTelemetry } from '../adapters/telemetry/webhook-telemetry.ts';
import { HttpsEndpoint } from '../adapters/webhook/https-endpoint.ts';
import { parseDeliverSettings, type DeliverSettings } from '../settings/settings.ts';
import { deliverBatch } from './deliver-batch.ts';
import type { DeliverContext } from './deliver-context.ts';
import type { LargeEvents, WebhookMapping, WebhookMessage } from './ports.ts';

/** What an invocation needs after its last wait. */
const END_MS = 10_000;

const telemetry = new PowertoolsWebhookTelemetry();

/** Kept for the next invocations of the process: connections, the secret. */
let wired: { readonly settings: DeliverSettings; readonly context: Ports } | undefined;

type Ports = Omit<DeliverContext, 'mapping'>;

/**
 * Delivers the messages of a webhook's queue.
 *
 * @returns those that stay in the queue; Lambda deletes the others.
 * @throws the {@link safeError} of any other error, after logging it: all messages stay.
 */
export async function handler(event: SQSEvent, context: Context): Promise<SQSBatchResponse> {
  try {
    wired ??= wire(parseDeliverSettings(process.env));
    const { settings } = wired;
    telemetry.start(context, settings.name, settings.monitoring);
    const messages = event.Records.map(toMessage);
    const left = await deliverBatch(messages, {
      ...wired.context,
      mapping: loadedWithFirstCall(context),
    });
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

function wire(settings: DeliverSettings): { settings: DeliverSettings; context: Ports } {
  const { name, queueUrl, deadLettersUrl } = settings;
  const table = new Table({
    client: new DynamoDBClient({ requestHandler }),
    tableName: settings.table,
  });
  const context: Ports = {
    webhook: { name },
    store: new WebhookItems(table, name),
    queue: new SqsWebhookQueue({
      client: new SQSClient({ requestHandler, useQueueUrlAsEndpoint: false }),
      queueUrl,
      deadLettersUrl,
    }),
    endpoint: new HttpsEndpoint(settings),
    secrets: new SecretsManagerSigningSecrets({
      client: new SecretsManagerClient({ requestHandler }),
      secretId: settings.secretArn,
    }),
    largeEvents: loadedWithFirstEvent(settings.largeEventsBucket),
    telemetry,
    now: Date.now,
    random: Math.random,
  };
  return { settings, context };
}

/** The client of S3, which every start would load in vain: large events are rare. */
function loadedWithFirstEvent(bucket: string): LargeEvents {
  const events = loadOnce(async () => {
    const { BucketEvents } = await import('../adapters/s3/bucket-events.ts');
    return new BucketEvents(bucket);
  });
  return {
    read: async (...event) => (await events()).read(...event),
    presign: async (dataref) => (await events()).presign(dataref),
  };
}

/** The client of Lambda, which every start would load in vain: webhooks are rarely disabled. */
function loadedWithFirstCall(context: Context): WebhookMapping {
  return {
    async setEnabled(isEnabled, isStillWanted) {
      const { LambdaMapping } = await import('../adapters/lambda/event-source-mapping.ts');
      const maxWaitMs = context.getRemainingTimeInMillis() - END_MS;
      await new LambdaMapping(context.functionName, { maxWaitMs }).setEnabled(
        isEnabled,
        isStillWanted,
      );
    },
  };
}
