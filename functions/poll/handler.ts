import type { Context } from 'aws-lambda';
import { AccessTokenSource } from '../adapters/access-token.ts';
import { S3ClaimCheck } from '../adapters/claim-check.ts';
import { DynamoDbStore } from '../adapters/dynamodb-store.ts';
import { SqsQuarantine } from '../adapters/quarantine.ts';
import { SecretsManagerRefreshToken } from '../adapters/refresh-token-secret.ts';
import { ServiceApiClient } from '../adapters/service-api.ts';
import { parseSettings, type Settings } from '../adapters/settings.ts';
import { SnsTopic } from '../adapters/sns-topic.ts';
import { systemClock } from '../adapters/system-clock.ts';
import { safeError } from '../adapters/telemetry/redaction.ts';
import { PowertoolsTelemetry } from '../adapters/telemetry.ts';
import { FEED_PARTITIONS } from '../core/feed.ts';
import type { Ports } from '../core/poll-feed.ts';
import { makeCatalogue } from '../core/resources.ts';
import { run, type RunOptions } from '../core/run.ts';
import type { RunSummary } from '../core/tally.ts';
import { CONNECTIONS, makeAwsClients } from './aws-clients.ts';
import { makeBucketAccess } from './bucket-access.ts';
import { pageBytesIn } from './page-bytes.ts';

/** Time a run keeps to finish the pages it has begun. One that takes longer is read again. */
const RESERVE_MS = 10_000;

/** A feed with more pages lets others have their turn, so that a huge catch-up starves nobody. */
const PAGES_PER_TURN = 20;

const telemetry = new PowertoolsTelemetry();

/** Made by the first run and kept for those after it: connections, access token, request budget. */
let wired: { readonly settings: Settings; readonly ports: Ports } | undefined;

/**
 * One run of the poller.
 *
 * @throws what is left by {@link safeError} of SettingsInvalid, RefreshTokenRejected and the other
 *   errors of a run, after logging them: Lambda writes it to the log and the failure queue.
 */
export async function handler(_event: unknown, context: Context): Promise<RunSummary> {
  telemetry.startRun(context);
  try {
    wired ??= wire(parseSettings(process.env));
    const summary = await run(wired.ports, optionsOf(wired.settings, context));
    telemetry.info('Run completed', { ...summary });
    return summary;
  } catch (error) {
    telemetry.error('Run failed', error);
    throw safeError(error);
  } finally {
    telemetry.flush();
  }
}

function wire(settings: Settings): { settings: Settings; ports: Ports } {
  const { dynamoDb, secretsManager, sns, sqs } = makeAwsClients();
  const api = new ServiceApiClient({
    baseUrl: settings.baseUrl,
    accessTokens: new AccessTokenSource({
      authUrl: settings.authUrl,
      secret: new SecretsManagerRefreshToken({
        client: secretsManager,
        secretId: settings.refreshTokenSecret,
      }),
    }),
    requestsPerMinute: settings.requestsPerMinute,
    concurrency: settings.concurrency,
    clock: systemClock,
    ...(settings.serviceVersion !== undefined && { serviceVersion: settings.serviceVersion }),
    onRateLimited: (event) => {
      telemetry.warn('The service limits requests; the run pauses', { ...event });
    },
  });
  const ports: Ports = {
    api,
    store: new DynamoDbStore({
      client: dynamoDb,
      tableName: settings.table,
      concurrency: CONNECTIONS,
    }),
    topic: new SnsTopic({
      client: sns,
      topicArn: settings.topicArn,
      claimCheck: new S3ClaimCheck(makeBucketAccess(settings.largeEventsBucket, process.env)),
      concurrency: CONNECTIONS,
    }),
    quarantine: new SqsQuarantine({ client: sqs, queueUrl: settings.quarantineUrl }),
    telemetry,
    clock: systemClock,
  };
  return { settings, ports };
}

function optionsOf(settings: Settings, context: Context): RunOptions {
  return {
    runId: context.awsRequestId,
    shard: '0',
    partitions: Array.from({ length: FEED_PARTITIONS }, (_, partition) => partition),
    catalogue: makeCatalogue(settings),
    source: `${settings.baseUrl}/api/v3`,
    walk: { perPage: settings.perPage, overlapMs: settings.overlapSeconds * 1000 },
    firstRun: settings.firstRun,
    concurrency: settings.concurrency,
    pagesPerTurn: PAGES_PER_TURN,
    pageBytes: pageBytesIn(context.memoryLimitInMB),
    leaseMs: settings.leaseSeconds * 1000,
    reserveMs: RESERVE_MS,
    everyMs: settings.everyMinutes * 60_000,
    longestWaitMs: settings.longestWaitSeconds * 1000,
    ...(settings.pollEverySeconds !== undefined && {
      pollEveryMs: settings.pollEverySeconds * 1000,
    }),
    remainingMs: () => context.getRemainingTimeInMillis(),
    random: Math.random,
  };
}
