import { markdown } from '../report-table.ts';
import { PRICES } from './prices.ts';

/** A month of 30 days of Lambda's pollers on a queue with nothing in it: five of them, 20 seconds each time. */
const EMPTY_POLLS = (5 * 30 * 24 * 3600) / 20;

// Estimates, of an event of 2 kB that is delivered at the first attempt and alone; ten at once cost less each.
/** A receiver that answers in 200 ms, and the work before and after. */
const DELIVERY_SECONDS = 0.3;
const FUNCTION_GB = 0.5;
const SENT_BYTES = 3_000;
const LOGGED_BYTES = 1_200;

/** What a kind of subscriber adds to a month, in US dollars, without monitoring. */
interface DeliveryCost {
  readonly idleMonth: number;
  readonly event: number;
}

/** SNS's own deliveries to queues are free; the queue's owner pays for the requests. */
const SEND_AND_DELETE = 2 * PRICES.queueRequest;
const SENDING = SENT_BYTES * (PRICES.sentGb / 1e9);

/** By protocol of the config. The consumer's own costs are not in it. */
export const DELIVERY_COSTS: Readonly<Record<'sqs' | 'webhook' | 'eventBridge', DeliveryCost>> = {
  sqs: { idleMonth: 0, event: SEND_AND_DELETE + PRICES.queueRequest },
  webhook: {
    idleMonth: PRICES.secretMonth + EMPTY_POLLS * PRICES.queueRequest,
    event:
      SEND_AND_DELETE +
      PRICES.lambdaRequest +
      DELIVERY_SECONDS * FUNCTION_GB * PRICES.lambdaGbSecond +
      // The state of the webhook is read, its attempts are written.
      PRICES.readUnit +
      PRICES.writeUnit +
      LOGGED_BYTES * ((PRICES.loggedGb + PRICES.storedLogGbMonth) / 1e9) +
      SENDING,
  },
  eventBridge: {
    idleMonth: EMPTY_POLLS * PRICES.queueRequest,
    event: SEND_AND_DELETE + PRICES.pipeRequest + PRICES.busEvent,
  },
};

const EVENT_COUNTS = [0, 100_000, 1_000_000];

/** What each kind of subscriber adds to a month: a table in Markdown. */
export function deliveryLines(): string {
  const head = ['Kind', ...EVENT_COUNTS.map((count) => `${count.toLocaleString('en')} events`)];
  const rows = Object.entries(DELIVERY_COSTS).map(([kind, { idleMonth, event }]) => [
    `\`${kind}\``,
    ...EVENT_COUNTS.map((count) => (idleMonth + count * event).toFixed(2)),
  ]);
  return markdown(head, rows);
}
