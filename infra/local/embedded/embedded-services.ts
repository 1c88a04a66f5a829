import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import type { Endpoints } from './endpoints.ts';
import { startListening, type LocalServer } from './http-server.ts';
import { startSecretsManager } from './secrets-manager.ts';

/** The embedded AWS services, all in memory. */
export interface EmbeddedServices {
  readonly endpoints: Endpoints;
  /** Stops all of them and discards their data. */
  close(): Promise<void>;
}

/** Starts DynamoDB, S3, SNS, SQS and Secrets Manager on free ports of 127.0.0.1. */
export async function startEmbeddedServices(): Promise<EmbeddedServices> {
  const [database, messaging, secrets] = await Promise.all([
    startListening(dynalite({ createTableMs: 0 })),
    startMessaging(),
    startSecretsManager(),
  ]);
  return {
    endpoints: {
      dynamodb: database.url,
      s3: messaging.url,
      sns: messaging.url,
      sqs: messaging.url,
      secretsManager: secrets.url,
    },
    close: async () => {
      await Promise.all([database.close(), messaging.close(), secrets.close()]);
    },
  };
}

/** One server for SNS, SQS and S3: a topic delivers only to queues of its own server. */
async function startMessaging(): Promise<LocalServer> {
  const app = buildApp({ logger: false });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, close: () => app.close() };
}
