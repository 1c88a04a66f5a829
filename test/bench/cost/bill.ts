import { PRICES } from './prices.ts';
import { TICKS_A_MONTH, type TickUsage } from './simulated-month.ts';

/** What a stage is deployed with. */
export interface Deployment {
  /** Memory of the poller, in MB. */
  readonly memoryMb: number;
  /** Counts the custom metrics, which an operator can do without. */
  readonly withMetrics: boolean;
}

/** What a log entry of a run and its metrics take, in bytes; measured on the local stack. */
const LOGGED_BYTES_A_TICK = 1_500;
/** DynamoDB asks for the key of a table every five minutes. */
const KEY_REQUESTS_A_MONTH = 8_640;
/** The secret is read at a cold start, of which there are some a day. */
const SECRET_READS_A_MONTH = 300;

/** A month's bill in US dollars, by what is paid for. */
export interface Bill {
  readonly lambda: number;
  readonly schedule: number;
  readonly table: number;
  readonly topic: number;
  readonly secret: number;
  readonly keys: number;
  readonly logs: number;
  readonly metrics: number;
}

/** Prices a month of such ticks. */
export function billOf(tick: TickUsage, { memoryMb, withMetrics }: Deployment): Bill {
  const seconds = (tick.runMs / 1000) * TICKS_A_MONTH;
  const storedGb = tick.storedBytes / 1024 ** 3;
  return {
    lambda:
      seconds * (memoryMb / 1024) * PRICES.lambdaGbSecond + TICKS_A_MONTH * PRICES.lambdaRequest,
    schedule: TICKS_A_MONTH * PRICES.scheduledTick,
    table:
      TICKS_A_MONTH * (tick.readUnits * PRICES.readUnit + tick.writeUnits * PRICES.writeUnit) +
      storedGb * (PRICES.storedGbMonth + PRICES.backedUpGbMonth),
    topic: TICKS_A_MONTH * tick.publishRequests * PRICES.publishRequest,
    secret: PRICES.secretMonth + SECRET_READS_A_MONTH * PRICES.secretRequest,
    keys: KEY_REQUESTS_A_MONTH * PRICES.keyRequest,
    logs: ((LOGGED_BYTES_A_TICK * TICKS_A_MONTH) / 1e9) * PRICES.loggedGb,
    metrics: withMetrics ? tick.metrics * PRICES.metricMonth : 0,
  };
}

/** What is to be paid. */
export function totalOf(bill: Bill): number {
  let total = 0;
  for (const amount of Object.values(bill) as number[]) total += amount;
  return total;
}
