import { setTimeout as delay } from 'node:timers/promises';
import type { CliOutcome } from '../support/run-cli.ts';
import type { TestStack } from './stack.ts';

/** The command line looks about as often. Polling more would spend the request budget, and CPU. */
const PAUSE_MS = 500;

/** Lets the poller run until the command line ends. */
export async function pollUntilEnd(
  stack: TestStack,
  ended: Promise<CliOutcome>,
): Promise<CliOutcome> {
  let isEnded = false;
  const outcome = ended.finally(() => (isEnded = true));
  while (!isEnded) {
    await stack.invoke();
    await delay(PAUSE_MS);
  }
  return outcome;
}
