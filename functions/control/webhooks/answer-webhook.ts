import { createHash } from 'node:crypto';
import { isoTime } from '../../core/model/timestamp.ts';
import type { WebhookAttempt } from '../../deliver/ports.ts';
import { RequestRefusedError } from '../control-error.ts';
import {
  MISSING,
  type DeployedWebhook,
  type OperatedMapping,
  type WebhookOperations,
  type WebhookQueues,
} from '../ports.ts';
import type {
  WebhookAttemptsAnswer,
  WebhookAttemptStatus,
  WebhookRequest,
  WebhookRequestAnswer,
  WebhookStatus,
} from './webhook-protocol.ts';

/** Attempts in an answer, unless a number is asked for. */
const ATTEMPTS = 100;
/** Invocations that are looked through for attempts that failed. */
const MAX_INVOCATIONS = 10_000;

export interface WebhookContext {
  readonly webhooks: readonly DeployedWebhook[];
  readonly records: WebhookOperations;
  readonly queues: WebhookQueues;
  readonly mappingOf: (webhook: DeployedWebhook) => OperatedMapping;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/**
 * Answers what is asked about webhooks.
 *
 * @throws RequestRefusedError if there is no webhook of the name, or it cannot deliver.
 */
export async function answerWebhook(
  request: WebhookRequest,
  context: WebhookContext,
): Promise<WebhookRequestAnswer> {
  const { webhooks, records, queues, now } = context;
  const { command } = request;
  if (command === 'webhook-list') {
    return { command, webhooks: await Promise.all(webhooks.map((each) => report(each, context))) };
  }
  const webhook = find(request.name, webhooks);
  const { name } = webhook;
  if (request.command === 'webhook-attempts') return listAttempts(request, records);
  const mapping = await loadMapping(webhook, context);
  const { disabled } = await records.loadState(name);
  switch (request.command) {
    case 'webhook-test': {
      const event = makeTestEvent(name, context);
      await queues.send(webhook.queueUrl, JSON.stringify(event));
      return { command: request.command, name, id: event.id, ...(disabled && { disabled: true }) };
    }
    case 'webhook-enable':
      // In this order: the function stops a mapping whose webhook is disabled.
      await records.enable(name);
      await switchMapping(webhook, true, context);
      return {
        command: request.command,
        name,
        ...(!disabled && mapping === 'Enabled' && { wasSo: true }),
      };
    case 'webhook-disable':
      await records.disable(name, now());
      await switchMapping(webhook, false, context);
      return {
        command: request.command,
        name,
        ...(disabled && mapping === 'Disabled' && { wasSo: true }),
      };
    case 'webhook-resend': {
      const { since } = request;
      const { movedCount, ...rest } = await queues.redrive(
        webhook,
        (body) => since === undefined || isSince(body, since),
      );
      return { command: request.command, name, resentCount: movedCount, ...rest };
    }
  }
}

function find(name: string, webhooks: readonly DeployedWebhook[]): DeployedWebhook {
  const found = webhooks.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = webhooks.map((each) => each.name).join(', ');
  throw new RequestRefusedError(`There is no webhook "${name}".`, {
    hint:
      names === ''
        ? 'The stack has no webhooks: add a subscriber with protocol "webhook" to its config.'
        : `Name one of ${names}.`,
  });
}

/**
 * The state of the event source mapping.
 *
 * @throws RequestRefusedError if there is none: nothing of what is asked could reach the endpoint.
 */
async function loadMapping(
  webhook: DeployedWebhook,
  { mappingOf }: WebhookContext,
): Promise<string> {
  const state = await mappingOf(webhook).state();
  if (state !== MISSING) return state;
  const { name, url } = webhook;
  throw new RequestRefusedError(
    `${name} delivers nothing: its function has no event source mapping.`,
    { hint: `Deploy the stack again. On a laptop: npm start -- --webhook ${url}` },
  );
}

async function report(webhook: DeployedWebhook, context: WebhookContext): Promise<WebhookStatus> {
  const { records, queues, mappingOf } = context;
  const { name, url } = webhook;
  const [{ failingSince, disabled }, mapping, waitingCount, deadCount] = await Promise.all([
    records.loadState(name),
    mappingOf(webhook).state(),
    queues.count(webhook.queueUrl),
    queues.count(webhook.deadLettersUrl),
  ]);
  return {
    name,
    url,
    state: stateOf(mapping, disabled !== undefined, failingSince !== undefined),
    ...(failingSince !== undefined && { failingSince: isoTime(failingSince) }),
    ...(disabled && { disabledAt: isoTime(disabled.at), disabledBy: disabled.by }),
    mapping,
    waitingCount,
    deadCount,
  };
}

function stateOf(mapping: string, isDisabled: boolean, isFailing: boolean): WebhookStatus['state'] {
  if (mapping === MISSING) return 'not delivering';
  if (isDisabled) return 'disabled';
  return isFailing ? 'failing' : 'delivering';
}

/** Lambda refuses a change while the one before takes effect: in rare cases for longer than the mapping waits. */
async function switchMapping(
  webhook: DeployedWebhook,
  isEnabled: boolean,
  { mappingOf }: WebhookContext,
): Promise<void> {
  try {
    await mappingOf(webhook).setEnabled(isEnabled);
  } catch (error) {
    const { name } = error as Error;
    if (name !== 'ResourceInUseException' && name !== 'ResourceConflictException') throw error;
    throw new RequestRefusedError(
      `${webhook.name} is ${isEnabled ? 'enabled, but gets no events' : 'disabled, but still gets events'}: Lambda is still changing its event source mapping.`,
      { hint: 'Repeat the command in a minute.' },
    );
  }
}

/** An event that no change caused, in the form of those of additional resources: every subscriber can parse it. */
function makeTestEvent(name: string, { now, random }: WebhookContext) {
  const time = isoTime(now());
  return {
    specversion: '1.0',
    id: createHash('sha256').update(`${time} ${random()}`).digest('hex').slice(0, 32),
    source: 'urn:sitecast:webhooks',
    type: 'webhook.test',
    subject: `/webhooks/${name}`,
    time,
    datacontenttype: 'application/json',
    dataschema: 'urn:sitecast:schema:webhook.test:1',
    sequence: time.replace('Z', '000000Z'),
    partitionkey: name,
    recordedtime: time,
    cause: 'test',
    data: { object: { id: name }, changed: [] },
  };
}

async function listAttempts(
  request: Extract<WebhookRequest, { readonly command: 'webhook-attempts' }>,
  records: WebhookOperations,
): Promise<WebhookAttemptsAnswer> {
  const { command, name, failed, limit = ATTEMPTS } = request;
  const { disabled } = await records.loadState(name);
  const answer = { command, name, ...(disabled && { disabled: true as const }) };
  const asked: WebhookAttempt[] = [];
  const latestAt = new Map<string, number>();
  let invocations = 0;
  let isComplete = true;
  // Invocations overlap: one that ended later may have begun before an event was tried again.
  for await (const made of records.attempts(name)) {
    for (const { id, at } of made) latestAt.set(id, Math.max(at, latestAt.get(id) ?? at));
    asked.push(...made.filter(({ outcome }) => failed !== true || outcome !== 'delivered'));
    invocations += 1;
    isComplete = asked.length <= limit && invocations < MAX_INVOCATIONS;
    if (!isComplete) break;
  }
  const attempts = asked
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
    .map((attempt) => toStatus(attempt, !disabled && attempt.at === latestAt.get(attempt.id)));
  return { ...answer, attempts, isComplete };
}

function toStatus(
  { at, nextAt, ...attempt }: WebhookAttempt,
  isPlanned: boolean,
): WebhookAttemptStatus {
  const next = nextAt !== undefined && isPlanned && { nextAt: isoTime(nextAt) };
  return { ...attempt, at: isoTime(at), ...next };
}

/** Whether the change of an event is not older. A message without a time is resent in any case. */
function isSince(body: string, since: string): boolean {
  try {
    const { time } = JSON.parse(body) as { time?: string };
    return time === undefined || Date.parse(time) >= Date.parse(since);
  } catch {
    return true;
  }
}
