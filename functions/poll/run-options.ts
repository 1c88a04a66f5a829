import { randomUUID } from 'node:crypto';
import type { Context } from 'aws-lambda';
import { partitionsOf } from '../core/model/feed.ts';
import { makeCatalog } from '../core/model/resource-catalog.ts';
import type { RunOptions } from '../core/run/run-options.ts';
import type { Settings } from '../settings/settings.ts';

/**
 * Time that a run reserves to finish its pages, or a third of a short run. A page that takes longer
 * is read again.
 */
const RESERVE_MS = 10_000;

/**
 * A feed with more pages waits for its next turn, so that a long catch-up starves no other feed.
 */
const PAGES_PER_TURN = 20;

/** The options of one run. */
export function runOptions(settings: Settings, context: Context): RunOptions {
  const { shard, shards, pollEverySeconds } = settings;
  return {
    // Lambda may deliver one event twice, to two processes, under one request id.
    runId: `${context.awsRequestId} ${randomUUID()}`,
    shard,
    partitions: partitionsOf(shard, shards),
    catalog: makeCatalog(settings),
    source: `${settings.baseUrl}/api/v3`,
    paging: { perPage: settings.perPage, lookbackMs: settings.lookbackSeconds * 1000 },
    baseline: settings.baseline,
    concurrency: settings.concurrency,
    pagesPerTurn: PAGES_PER_TURN,
    retentionMs: settings.retentionDays * 86_400_000,
    maxMissingShare: settings.reconcile.maxMissingShare,
    reserveMs: Math.min(RESERVE_MS, context.getRemainingTimeInMillis() / 3),
    everyMs: settings.everyMinutes * 60_000,
    maxWaitMs: settings.maxWaitSeconds * 1000,
    ...(pollEverySeconds !== undefined && { pollEveryMs: pollEverySeconds * 1000 }),
    remainingMs: () => context.getRemainingTimeInMillis(),
  };
}
