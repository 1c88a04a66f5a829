import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import type { Context } from 'aws-lambda';
import { AccessTokenSource } from '../adapters/auth/access-token.ts';
import { SecretsManagerRefreshToken } from '../adapters/auth/refresh-token-secret.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { QuarantineItems } from '../adapters/dynamodb/quarantine.ts';
import { makeDynamoDbStore } from '../adapters/dynamodb/state-store.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { ServiceApiClient } from '../adapters/service-api/service-client.ts';
import type { ClaimCheck } from '../adapters/shared/claim-check.ts';
import { loadOnce } from '../adapters/shared/load-once.ts';
import { safeError } from '../adapters/shared/redact.ts';
import { CONNECTIONS, requestHandler } from '../adapters/shared/request-handler.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../adapters/shared/retry.ts';
import { SnsTopic } from '../adapters/sns/event-topic.ts';
import { PollerTelemetry } from '../adapters/telemetry/poller-telemetry.ts';
import type { Ports } from '../core/ports/ports.ts';
import type { RunSummary } from '../core/run/run-summary.ts';
import { run } from '../core/run/run.ts';
import { parseSettings, type Settings } from '../settings/settings.ts';
import { runOptions } from './run-options.ts';

/** Time to report pages that could not be published before the end of a run, and to back off. */
const PUBLISH_END_MS = 6_000;

/** Time to end a run whose calls to the table are throttled to the last. */
const END_MS = 3_000;

/** Memory of a page as a multiple of its body: parsed, compared, published, not yet collected. */
const MEMORY_OF_PAGE = 16;

const telemetry = new PollerTelemetry();

/** Kept for the next runs of the process: connections, access token, request limits. */
let wired: { readonly settings: Settings; readonly ports: Ports } | undefined;

/** The present invocation; a process has one at a time. */
let invocation: Context | undefined;

/**
 * One run of the poller: reads the settings, wires adapters to the ports, polls, reports.
 *
 * - Bounded by the time-out of its function: a run that is killed is repeated by the next one.
 * - A failure of service, topic or table is visible: in the log, as a metric, and to Lambda.
 *
 * @throws the {@link safeError} of any error of the run, after logging it: Lambda counts it among
 *   the function's errors.
 */
export async function handler(_event: unknown, context: Context): Promise<RunSummary> {
  telemetry.startRun(context);
  invocation = context;
  try {
    wired ??= wire(parseSettings(process.env), context);
    const summary = await run(wired.ports, runOptions(wired.settings, context));
    const isComplete = !summary.leaseHeld && summary.token === undefined;
    if (isComplete) telemetry.info('Run completed', { ...summary });
    return summary;
  } catch (error) {
    telemetry.error('Run failed', error);
    throw safeError(error);
  } finally {
    telemetry.count('PeakMemoryPercent', peakMemoryPercent(context));
    telemetry.flush();
  }
}

function wire(settings: Settings, context: Context): NonNullable<typeof wired> {
  telemetry.setMonitoring(settings.monitoring);
  if (settings.shards > 1) telemetry.setShard(settings.shard);
  const table = {
    client: new DynamoDBClient({ requestHandler }),
    tableName: settings.table,
    concurrency: CONNECTIONS,
    retry: { ...retryUntil(END_MS), maxTries: Infinity },
  };
  const ports: Ports = {
    api: makeServiceApi(settings, context),
    store: makeDynamoDbStore(table),
    topic: new SnsTopic({
      client: new SNSClient({ requestHandler }),
      topicArn: settings.topicArn,
      claimCheck: folderOf(settings, 'events'),
      concurrency: CONNECTIONS,
      retry: retryUntil(PUBLISH_END_MS),
    }),
    quarantine: new QuarantineItems({
      table: new Table(table),
      bucket: folderOf(settings, 'quarantine'),
      retentionMs: settings.retentionDays * 86_400_000,
    }),
    telemetry,
    clock: systemClock,
  };
  return { settings, ports };
}

function makeServiceApi(settings: Settings, { memoryLimitInMB }: Context): ServiceApiClient {
  const { baseUrl, serviceVersion, headers, concurrency } = settings;
  const memoryBytes = Number(memoryLimitInMB) * 1e6;
  const api = new ServiceApiClient({
    baseUrl,
    accessTokens: makeAccessTokens(settings, () => {
      api.countRequest();
      telemetry.count('TokenExchanges', 1);
    }),
    requestsPerMinute: Math.floor(settings.requestsPerMinute / settings.shards),
    concurrency,
    // Pages of all lists in flight fit into the memory.
    maxBodyBytes: Math.floor(memoryBytes / concurrency / MEMORY_OF_PAGE),
    clock: systemClock,
    ...(serviceVersion !== undefined && { serviceVersion }),
    headers,
    onRequest: () => {
      telemetry.count('RequestsSent', 1);
    },
    onRateLimited,
    onSmallPage: (page) => {
      telemetry.info('The service shows fewer entities than asked for', { ...page });
    },
  });
  return api;
}

function makeAccessTokens(
  { authUrl, refreshTokenSecret: secretId }: Settings,
  onExchange: () => void,
): AccessTokenSource {
  const client = new SecretsManagerClient({ requestHandler });
  return new AccessTokenSource({
    authUrl,
    secret: new SecretsManagerRefreshToken(secretId, client),
    onExchange,
    onReplaced: () => {
      const hint = 'If it is refused soon, ask the provider for one that stays valid.';
      const message = 'The token endpoint replaces the refresh token, and the new one is not kept';
      telemetry.warn(message, { hint });
    },
  });
}

function onRateLimited(event: object): void {
  telemetry.count('RateLimited', 1);
  telemetry.warn('The service limits requests; the run pauses', { ...event });
}

/** A folder of the bucket. Few runs need it: the client of S3 is loaded with its first use. */
function folderOf({ largeEventsBucket: bucket }: Settings, folder: string): ClaimCheck {
  const claimCheck = loadOnce(async () => {
    const { S3ClaimCheck } = await import('../adapters/s3/claim-check.ts');
    return new S3ClaimCheck({ bucket, folder, ...retryUntil(PUBLISH_END_MS) });
  });
  return { put: async (...object) => (await claimCheck()).put(...object) };
}

/** Retries that end this long before the invocation. */
function retryUntil(reserveMs: number): RetryPolicy {
  const leftMs = () => (invocation?.getRemainingTimeInMillis() ?? 0) - reserveMs;
  return { ...DEFAULT_RETRY, leftMs };
}

/** The maximum memory of the process so far, as a share of its limit. */
function peakMemoryPercent({ memoryLimitInMB }: Context): number {
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return Math.round((100 * peakMb) / Number(memoryLimitInMB));
}
