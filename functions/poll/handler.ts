import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SNSClient } from '@aws-sdk/client-sns';
import type { Context } from 'aws-lambda';
import { AccessTokenSource } from '../adapters/auth/access-token.ts';
import { SecretsManagerRefreshToken } from '../adapters/auth/refresh-token-secret.ts';
import { systemClock } from '../adapters/clock/system-clock.ts';
import { QuarantineItems } from '../adapters/dynamodb/quarantine.ts';
import { DynamoDbStore } from '../adapters/dynamodb/state-store.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { ServiceApiClient } from '../adapters/service-api/service-client.ts';
import { loadOnce } from '../adapters/shared/load-once.ts';
import { safeError } from '../adapters/shared/redact.ts';
import { CONNECTIONS, requestHandler } from '../adapters/shared/request-handler.ts';
import { DEFAULT_RETRY, type RetryPolicy } from '../adapters/shared/retry.ts';
import { SnsTopic } from '../adapters/sns/event-topic.ts';
import { PowertoolsTelemetry } from '../adapters/telemetry/powertools-telemetry.ts';
import { partitionsOf } from '../core/model/feed.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import type { ClaimCheck } from '../core/ports/event-topic.ts';
import type { Ports } from '../core/ports/ports.ts';
import type { RunOptions } from '../core/run/run-options.ts';
import type { RunSummary } from '../core/run/run-summary.ts';
import { run } from '../core/run/run.ts';
import { parseSettings, type Settings } from '../settings/settings.ts';

/** Time that a run reserves to finish its pages, or a third of a short run. A page that takes longer is read again. */
const RESERVE_MS = 10_000;

/** Time to report pages that could not be published before the end of a run, and to back off from them. */
const PUBLISH_END_MS = 6_000;

/** Time to end a run whose calls to the table are throttled to the last. */
const END_MS = 3_000;

/** A feed with more pages waits for its next turn, so that a long catch-up starves no other feed. */
const PAGES_PER_TURN = 20;

const telemetry = new PowertoolsTelemetry();

/** Kept for the next runs of the process: connections, access token, request limits. */
let wired: { readonly settings: Settings; readonly ports: Ports } | undefined;

/** The present invocation; a process has one at a time. */
let invocation: Context | undefined;

/**
 * One run of the poller.
 *
 * @throws the {@link safeError} of any error of the run, after logging it: Lambda counts it among
 *   the function's errors.
 */
export async function handler(_event: unknown, context: Context): Promise<RunSummary> {
  telemetry.startRun(context);
  invocation = context;
  try {
    wired ??= wire(parseSettings(process.env), context);
    const summary = await run(wired.ports, optionsOf(wired.settings, context));
    const isComplete = !summary.leaseHeld && summary.token === undefined;
    if (isComplete) telemetry.info('Run completed', { ...summary });
    return summary;
  } catch (error) {
    telemetry.error('Run failed', error);
    telemetry.countFailedRun(error);
    throw safeError(error);
  } finally {
    telemetry.count('PeakMemoryPercent', peakMemoryPercent(context));
    telemetry.flush();
  }
}

/** The most memory that the process has had, as a share of what it may have. */
function peakMemoryPercent({ memoryLimitInMB }: Context): number {
  const peakMb = process.resourceUsage().maxRSS / 1024;
  return Math.round((100 * peakMb) / Number(memoryLimitInMB));
}

function wire(settings: Settings, context: Context): { settings: Settings; ports: Ports } {
  telemetry.setMonitoring(settings.monitoring);
  if (settings.shards > 1) telemetry.setShard(settings.shard);
  const retry = retryUntil(PUBLISH_END_MS);
  const table = {
    client: new DynamoDBClient({ requestHandler }),
    tableName: settings.table,
    concurrency: CONNECTIONS,
    retry: { ...retryUntil(END_MS), maxTries: Infinity },
  };
  const api = new ServiceApiClient({
    baseUrl: settings.baseUrl,
    accessTokens: new AccessTokenSource({
      authUrl: settings.authUrl,
      secret: new SecretsManagerRefreshToken({
        client: new SecretsManagerClient({ requestHandler }),
        secretId: settings.refreshTokenSecret,
      }),
      onExchange: () => {
        api.countRequest();
        telemetry.count('TokenExchanges', 1);
      },
      onRefusal: () => {
        telemetry.count('TokenRefusals', 1);
      },
      onReplaced: () => {
        telemetry.warn(
          'The token endpoint replaces the refresh token, and the new one is not kept',
          {
            hint: 'If it is refused soon, ask the provider for one that stays valid.',
          },
        );
      },
      onRateLimited,
    }),
    requestsPerMinute: Math.floor(settings.requestsPerMinute / settings.shards),
    concurrency: settings.concurrency,
    maxBodyBytes: maxBodyBytesOf(settings, context),
    clock: systemClock,
    ...(settings.serviceVersion !== undefined && { serviceVersion: settings.serviceVersion }),
    headers: settings.headers,
    onRequest: (isRetry) => {
      telemetry.count('RequestsSent', 1);
      if (isRetry) telemetry.count('RequestRetries', 1);
    },
    onRateLimited,
    onSmallPage: (page) => {
      telemetry.info('The service shows fewer entities than asked for', { ...page });
    },
  });
  const ports: Ports = {
    api,
    store: new DynamoDbStore(table),
    topic: new SnsTopic({
      client: new SNSClient({ requestHandler }),
      topicArn: settings.topicArn,
      claimCheck: makeClaimCheck('events', settings, retry),
      concurrency: CONNECTIONS,
      retry,
      onLargeEvent: () => {
        telemetry.count('LargeEvents', 1);
      },
    }),
    quarantine: new QuarantineItems({
      table: new Table(table),
      bucket: makeClaimCheck('quarantine', settings, retry),
      retentionMs: retentionMsOf(settings),
    }),
    telemetry,
    clock: systemClock,
  };
  return { settings, ports };
}

/** A folder of the bucket. Few runs need it: its client of AWS is a module that no start loads. */
function makeClaimCheck(
  folder: string,
  { largeEventsBucket: bucket }: Settings,
  retry: RetryPolicy,
): ClaimCheck {
  const claimCheck = loadOnce(async () => {
    const { S3ClaimCheck } = await import('../adapters/s3/claim-check.ts');
    return new S3ClaimCheck({ bucket, folder, ...retry });
  });
  return { put: async (...object) => (await claimCheck()).put(...object) };
}

function retentionMsOf({ retentionDays }: Settings): number {
  return retentionDays * 86_400_000;
}

function onRateLimited(event: object): void {
  telemetry.count('RateLimited', 1);
  telemetry.warn('The service limits requests; the run pauses', { ...event });
}

/** Retries that end this long before the invocation. */
function retryUntil(reserveMs: number): RetryPolicy {
  const leftMs = () => (invocation?.getRemainingTimeInMillis() ?? 0) - reserveMs;
  return { ...DEFAULT_RETRY, leftMs };
}

/** Memory of a page as a multiple of its body: parsed, compared, published, not yet collected. */
const MEMORY_OF_PAGE = 16;

/** The most that a body may have, so that pages of all lists in flight fit into the memory. */
function maxBodyBytesOf({ concurrency }: Settings, { memoryLimitInMB }: Context): number {
  return Math.floor((Number(memoryLimitInMB) * 1e6) / concurrency / MEMORY_OF_PAGE);
}

function optionsOf(settings: Settings, context: Context): RunOptions {
  return {
    // Lambda may deliver one event twice, to two processes, under one request id.
    runId: `${context.awsRequestId} ${randomUUID()}`,
    shard: settings.shard,
    partitions: partitionsOf(settings.shard, settings.shards),
    catalog: makeCatalog(settings),
    source: `${settings.baseUrl}/api/v3`,
    paging: { perPage: settings.perPage, lookbackMs: settings.lookbackSeconds * 1000 },
    baseline: settings.baseline,
    concurrency: settings.concurrency,
    pagesPerTurn: PAGES_PER_TURN,
    retentionMs: retentionMsOf(settings),
    maxMissingShare: settings.reconcile.maxMissingShare,
    reserveMs: Math.min(RESERVE_MS, context.getRemainingTimeInMillis() / 3),
    everyMs: settings.everyMinutes * 60_000,
    maxWaitMs: settings.maxWaitSeconds * 1000,
    ...(settings.pollEverySeconds !== undefined && {
      pollEveryMs: settings.pollEverySeconds * 1000,
    }),
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}
