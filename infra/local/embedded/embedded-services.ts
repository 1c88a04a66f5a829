import dynalite from 'dynalite';
import { buildApp } from 'fauxqs';
import type { LocalPorts } from './endpoints.ts';
import { startListening, type LocalServer } from './http-server.ts';
import { startSecretsManager } from './secrets-manager.ts';

/** Starts DynamoDB, S3, SNS, SQS and Secrets Manager, all in memory. */
export async function startEmbeddedServices(ports: Partial<LocalPorts> = {}) {
  const [database, messaging, secrets] = await Promise.all([
    startListening(dynalite({ createTableMs: 0 }), ports.dynamodb),
    startMessaging(ports.messaging),
    startSecretsManager(ports.secretsManager),
  ]);
  return {
    endpoints: {
      ...{ dynamodb: database.url, secretsManager: secrets.url },
      ...{ s3: messaging.url, sns: messaging.url, sqs: messaging.url },
    },
    /** Stops all of them and discards their data. */
    close: async () => {
      await Promise.all([database.close(), messaging.close(), secrets.close()]);
    },
  };
}

/** One server for SNS, SQS and S3: a topic delivers only to queues of its own server. */
async function startMessaging(port?: number): Promise<LocalServer> {
  const app = buildApp({ logger: false });
  await app.ready();
  const server = await startListening(app.server, port);
  return {
    url: server.url,
    close: async () => {
      await server.close();
      await app.close();
    },
  };
}
