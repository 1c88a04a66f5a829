import { randomBytes } from 'node:crypto';
import { isoTime } from '../core/model/timestamp.ts';
import type { WebhookAttempt } from '../deliver/ports.ts';
import { MISSING, type DeployedWebhook, type WebhookPorts } from './ports.ts';
import type {
  WebhookAttemptsAnswer,
  WebhookHealth,
  WebhookRequest,
  WebhookRequestAnswer,
  WebhookStatus,
} from './protocol.ts';
import { RequestRefusedError } from './requests.ts';

/** Attempts in an answer, unless a number is asked for. */
const ATTEMPTS = 100;
/** Invocations that are looked through for attempts that failed. */
const MAX_INVOCATIONS = 10_000;
/** Lambda's words for a change that an earlier one keeps from beginning. */
const BUSY: readonly string[] = ['ResourceInUseException', 'ResourceConflictException'];

/**
 * Answers the commands of webhooks.
 *
 * @param now milliseconds since 1970.
 * @throws RequestRefusedError if there is no webhook of the name, or it cannot deliver.
 */
export async function answerWebhook(
  request: WebhookRequest,
  ports: WebhookPorts,
  now: number,
): Promise<WebhookRequestAnswer> {
  const { deployed, records, queues } = ports;
  const { command } = request;
  if (command === 'webhook-list') {
    return { command, webhooks: await Promise.all(deployed.map((each) => report(each, ports))) };
  }
  const webhook = find(request.name, deployed);
  const { name } = webhook;
  if (command === 'webhook-attempts') return listAttempts(request, ports, now);
  await requireMapping(webhook, ports);
  switch (command) {
    case 'webhook-test': {
      const event = makeTestEvent(name, now);
      await queues.send(webhook.queueUrl, JSON.stringify(event));
      const { disabled } = await records.loadState(name);
      return { command, name, id: event.id, disabled: disabled && true };
    }
    case 'webhook-enable':
      // In this order: the function stops a mapping whose webhook is disabled.
      await records.enable(name);
      await switchMapping(webhook, true, ports);
      return { command, name };
    case 'webhook-disable':
      await records.disable(name, now);
      await switchMapping(webhook, false, ports);
      return { command, name };
    case 'webhook-resend': {
      const { since } = request;
      const isToMove = (body: string) => since === undefined || isSince(body, since);
      const { movedCount, ...rest } = await queues.redrive(webhook, isToMove);
      return { command, name, resentCount: movedCount, ...rest };
    }
  }
}

function find(name: string, deployed: readonly DeployedWebhook[]): DeployedWebhook {
  const found = deployed.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = deployed.map((each) => each.name).join(', ');
  throw new RequestRefusedError(`There is no webhook "${name}".`, {
    hint:
      names === ''
        ? 'The stack has no webhooks: add a subscriber with protocol "webhook" to its config.'
        : `Name one of ${names}.`,
  });
}

/** @throws RequestRefusedError if no event could reach the endpoint. */
async function requireMapping(webhook: DeployedWebhook, ports: WebhookPorts): Promise<void> {
  const mapping = await ports.mappingOf(webhook);
  if ((await mapping.state()) !== MISSING) return;
  throw new RequestRefusedError(
    `${webhook.name} delivers nothing: its function has no event source mapping.`,
    { hint: `Deploy the stack again. On a laptop: npm start -- --webhook ${webhook.url}` },
  );
}

/** How the endpoint of a webhook fares, by the table alone. */
export async function healthOfWebhook(
  { name }: DeployedWebhook,
  { records }: WebhookPorts,
): Promise<WebhookHealth> {
  const { failingSince, disabled } = await records.loadState(name);
  return {
    name,
    failingSince: failingSince === undefined ? undefined : isoTime(failingSince),
    disabledAt: disabled && isoTime(disabled.at),
    disabledBy: disabled?.by,
  };
}

async function report(webhook: DeployedWebhook, ports: WebhookPorts): Promise<WebhookStatus> {
  const { queues, mappingOf } = ports;
  const [health, mapping, waitingCount, deadCount] = await Promise.all([
    healthOfWebhook(webhook, ports),
    mappingOf(webhook).then((found) => found.state()),
    queues.count(webhook.queueUrl),
    queues.count(webhook.deadLettersUrl),
  ]);
  return {
    ...health,
    url: webhook.url,
    state: stateOf(mapping, health),
    mapping,
    waitingCount,
    deadCount,
  };
}

function stateOf(mapping: string, health: WebhookHealth): WebhookStatus['state'] {
  if (mapping === MISSING) return 'not delivering';
  if (health.disabledAt !== undefined) return 'disabled';
  return health.failingSince === undefined ? 'delivering' : 'failing';
}

/** Lambda refuses a change while an earlier one takes effect: rarely for longer than we wait. */
async function switchMapping(
  webhook: DeployedWebhook,
  isEnabled: boolean,
  { mappingOf }: WebhookPorts,
): Promise<void> {
  try {
    await (await mappingOf(webhook)).setEnabled(isEnabled);
  } catch (error) {
    if (!BUSY.includes((error as Error).name)) throw error;
    const state = isEnabled ? 'enabled, but gets no events' : 'disabled, but still gets events';
    throw new RequestRefusedError(
      `${webhook.name} is ${state}: Lambda is still changing its event source mapping.`,
      { hint: 'Repeat the command in a minute.' },
    );
  }
}

/** An event that no change caused, in the form of all others: every subscriber can parse it. */
function makeTestEvent(name: string, now: number) {
  const time = isoTime(now);
  return {
    specversion: '1.0',
    id: randomBytes(16).toString('hex'),
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
  { command, name, failed, limit = ATTEMPTS }: WebhookRequest & { command: 'webhook-attempts' },
  { records }: WebhookPorts,
  now: number,
): Promise<WebhookAttemptsAnswer> {
  const { disabled } = await records.loadState(name);
  const found: WebhookAttempt[] = [];
  let invocations = 0;
  let isComplete = true;
  for await (const made of records.attempts(name)) {
    found.push(...made.filter(({ outcome }) => failed !== true || outcome !== 'delivered'));
    invocations += 1;
    isComplete = found.length <= limit && invocations < MAX_INVOCATIONS;
    if (!isComplete) break;
  }
  const attempts = found
    .sort((a, b) => b.at - a.at)
    .slice(0, limit)
    .map(({ at, nextAt, ...attempt }) => {
      // The next attempt of an event that was tried again lies in the past.
      const isPlanned = nextAt !== undefined && nextAt > now && !disabled;
      return { ...attempt, at: isoTime(at), nextAt: isPlanned ? isoTime(nextAt) : undefined };
    });
  return { command, name, disabled: disabled && true, attempts, isComplete };
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
