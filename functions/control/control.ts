import { TableFormatError } from '../core/model/errors.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import type { QuarantineOperations } from '../core/ports/quarantine-operations.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import { cancelCommand } from './cancel-command.ts';
import { changeFeeds } from './change-feeds.ts';
import { RequestRefusedError } from './control-error.ts';
import { feedsInScope, replayableFeeds } from './in-scope.ts';
import { parseRequest } from './parse-request.ts';
import { ALL_PARTITIONS, commandId, placeCommand, placedAt } from './place-command.ts';
import type {
  ChangeRequest,
  ControlAnswer,
  ControlRequest,
  QuarantineRequest,
  WebhookRequest,
} from './protocol.ts';
import { answerQuarantine } from './quarantine/answer-quarantine.ts';
import { refuseInBaseline } from './refusals/refuse-in-baseline.ts';
import { refuseLongCommand } from './refusals/refuse-long-command.ts';
import {
  describeCommands,
  loadAccount,
  reportStatus,
  type Account,
  type StatusStore,
} from './report-status.ts';
import { answerWebhook, type WebhookContext } from './webhooks/answer-webhook.ts';

export interface ControlContext {
  readonly store: StatusStore &
    Pick<
      StateStore,
      | 'checkFormat'
      | 'loadStates'
      | 'loadStatesAfter'
      | 'loadCommands'
      | 'saveCommands'
      | 'deleteCommands'
      | 'commitFeed'
      | 'loadFeeds'
      | 'loadFeedsById'
      | 'saveAllPaused'
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
 * Answers a request of an operator. It holds no lease: it changes feeds by conditional writes, and leaves what takes
 * many runs in the table as a command, which the shard that owns the lists carries out.
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
    if (request.command === 'cancel') {
      const commands = describeCommands(account, catalog);
      return await cancelCommand(request, commands, account, store);
    }
    const nextId = () => nextCommandId(account, context);
    if (isAboutQuarantine(request)) {
      const lists = { catalog, feeds: account.feeds, inScope: scope && feeds };
      return await answerQuarantine(request, { quarantine, store, ...lists, nextId, now });
    }
    refuseLongCommand(request, account.commands, account.feeds);
    if (request.command === 'reconcile') refuseInBaseline(feeds, catalog);
    const concerned = request.command === 'replay' ? replayableFeeds(feeds, catalog) : feeds;
    return await placeCommand(request, concerned, { ...context, nextId });
  } catch (error) {
    // Of any other error nobody knows whether something was changed.
    const isRefusal = error instanceof RequestRefusedError || error instanceof TableFormatError;
    if (!isRefusal) throw error;
    const { name, message, hint } = error;
    return { error: { name, message, hint } };
  }
}

/**
 * The id of a command that is placed now. It comes after those of all that are there, one that was placed a moment ago by a host
 * whose clock is ahead, too: commands are carried out in the order of their ids.
 */
async function nextCommandId(
  { reports }: Account,
  { store, now, random }: Pick<ControlContext, 'store' | 'now' | 'random'>,
): Promise<string> {
  // What the account was loaded with may be a second old.
  const commands = await store.loadCommands(ALL_PARTITIONS);
  const ids = [
    ...commands.map(({ command }) => command.id),
    ...reports.map((report) => report.commandId),
  ];
  const lastAt = Math.max(0, ...ids.map((id) => Date.parse(placedAt(id)) || 0));
  return commandId(Math.max(now(), lastAt + 1), random);
}

function isChange(request: ControlRequest): request is ChangeRequest {
  return ['pause', 'resume', 'retry', 'rewind'].includes(request.command);
}

function isAboutQuarantine(request: ControlRequest): request is QuarantineRequest {
  return request.command.startsWith('quarantine-');
}

function isAboutWebhooks(request: ControlRequest): request is WebhookRequest {
  return request.command.startsWith('webhook-');
}
