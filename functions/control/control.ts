import { TableFormatError } from '../core/model/errors.ts';
import { changeFeeds } from './change-feeds.ts';
import type { ControlContext } from './ports.ts';
import type { ControlAnswer } from './protocol.ts';
import { answerQuarantine } from './quarantine.ts';
import { parseRequest, RequestRefusedError, type ControlRequest } from './requests.ts';
import { ALL_PARTITIONS, feedsInScope } from './scope.ts';
import { reportStatus } from './status.ts';
import { answerWebhook } from './webhooks.ts';

/**
 * Answers a request of an operator.
 *
 * - It holds no lease: it changes feeds by conditional writes, and the poller finds the change with
 *   its next load. A command that takes a run or more is a job in the feed.
 * - Many lists are changed in parts: after half a minute the answer carries a key to go on with.
 * - It explains silence (promise 7): the status shows each list that is not polled, since when and
 *   why.
 *
 * @returns a refusal if the operator can mend the request.
 * @throws other errors: of the table, or of the code. Nobody knows whether something was changed.
 */
export async function control(input: unknown, context: ControlContext): Promise<ControlAnswer> {
  try {
    const request = parseRequest(input);
    await context.store.checkFormat();
    return await answerTo(request, context);
  } catch (error) {
    const isRefusal = error instanceof RequestRefusedError || error instanceof TableFormatError;
    if (!isRefusal) throw error;
    const { name, message, hint } = error;
    return { error: { name, message, hint } };
  }
}

async function answerTo(request: ControlRequest, context: ControlContext): Promise<ControlAnswer> {
  switch (request.command) {
    case 'status':
      return reportStatus(request, context);
    case 'quarantine-list':
    case 'quarantine-show':
    case 'quarantine-retry':
    case 'quarantine-drop':
      return answerQuarantine(request, context);
    case 'webhook-list':
    case 'webhook-test':
    case 'webhook-enable':
    case 'webhook-disable':
    case 'webhook-attempts':
    case 'webhook-resend':
      return answerWebhook(request, context.webhooks, context.now());
    default: {
      const feeds = await context.store.loadFeeds(ALL_PARTITIONS);
      return changeFeeds(request, feedsInScope(feeds, context.catalog, request.scope), context);
    }
  }
}
