import { TableFormatError } from '../core/model/errors.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import { changeFeeds, newJobId } from './change-feeds.ts';
import { RequestRefusedError } from './control-error.ts';
import { feedsInScope } from './in-scope.ts';
import { parseRequest } from './parse-request.ts';
import type { OperatedStore, QuarantineOperations } from './ports.ts';
import type { ChangeRequest, ControlAnswer, ControlRequest, WebhookRequest } from './protocol.ts';
import { answerQuarantine } from './quarantine/answer-quarantine.ts';
import { ALL_PARTITIONS, loadAccount, reportStatus, type StatusStore } from './report-status.ts';
import { answerWebhook, type WebhookContext } from './webhooks/answer-webhook.ts';

export interface ControlContext {
  readonly store: StatusStore &
    Pick<
      OperatedStore,
      'checkFormat' | 'commitFeed' | 'loadFeeds' | 'loadFeedsById' | 'saveAllPaused'
    >;
  readonly quarantine: QuarantineOperations;
  readonly catalog: Catalog;
  readonly shardCount: number;
  readonly webhooks: Omit<WebhookContext, 'now' | 'random'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/**
 * Answers a request of an operator. It holds no lease: it changes feeds by conditional writes, and the poller finds
 * that with its next load. What takes a run or more is a job in the feed.
 *
 * @returns a refusal for what the operator can mend.
 * @throws other errors: of the table, or of the code.
 */
export async function control(input: unknown, context: ControlContext): Promise<ControlAnswer> {
  const { store, quarantine, catalog, shardCount, now, random } = context;
  try {
    const request = parseRequest(input, now());
    await store.checkFormat();
    if (isAboutWebhooks(request)) {
      return await answerWebhook(request, { ...context.webhooks, now, random });
    }
    if (isChange(request)) {
      const all = await store.loadFeeds(ALL_PARTITIONS);
      return await changeFeeds(request, feedsInScope(all, catalog, request.scope), context);
    }
    const account = await loadAccount(store, shardCount, now());
    const scope = 'scope' in request ? request.scope : undefined;
    const feeds = feedsInScope(account.feeds, catalog, scope ?? {});
    if (request.command === 'status') {
      const { length: quarantinedCount } = await quarantine.list();
      const status = reportStatus(account, feeds, request, catalog, now());
      return { ...status, ...(quarantinedCount > 0 && { quarantinedCount }) };
    }
    const lists = { catalog, feeds: account.feeds, inScope: scope && feeds };
    return await answerQuarantine(request, {
      quarantine,
      store,
      ...lists,
      nextId: () => newJobId(now(), random),
    });
  } catch (error) {
    // Of any other error nobody knows whether something was changed.
    const isRefusal = error instanceof RequestRefusedError || error instanceof TableFormatError;
    if (!isRefusal) throw error;
    const { name, message, hint } = error;
    return { error: { name, message, hint } };
  }
}

const CHANGES: readonly string[] = [
  ...['pause', 'resume', 'retry', 'rewind'],
  ...['replay', 'reconcile', 'cancel'],
];

function isChange(request: ControlRequest): request is ChangeRequest {
  return CHANGES.includes(request.command);
}

function isAboutWebhooks(request: ControlRequest): request is WebhookRequest {
  return request.command.startsWith('webhook-');
}
