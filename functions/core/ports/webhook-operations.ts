import type { WebhookAttempt, WebhookState } from './webhook.ts';

/** A webhook of the stack, as deployment made it. */
export interface DeployedWebhook {
  readonly name: string;
  readonly url: string;
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
  readonly functionName: string;
}

/** What operators see and change of webhooks. */
export interface WebhookOperations {
  loadState(name: string): Promise<WebhookState>;
  /** Forgets the state: nothing is held against the endpoint. @param at milliseconds since 1970. */
  enable(name: string, at: number): Promise<void>;
  /** @param at milliseconds since 1970. */
  disable(name: string, at: number): Promise<void>;
  /** The attempts of invocations, the latest first. */
  attempts(name: string): AsyncIterable<readonly WebhookAttempt[]>;
}

/** The queues of webhooks, for operators. */
export interface WebhookQueues {
  /** About how many messages a queue has, visible or not. */
  count(queueUrl: string): Promise<number>;
  /** @param id tells repeats apart in a FIFO queue. */
  send(queueUrl: string, body: string, id: string): Promise<void>;
  /**
   * Moves dead letters back, the oldest first.
   *
   * @param isToMove decides by the body.
   */
  redrive(
    webhook: DeployedWebhook,
    isToMove: (body: string) => boolean,
  ): Promise<{ readonly movedCount: number; readonly isComplete: boolean }>;
}

/** The event source mapping of a webhook's function. */
export interface OperatedMapping {
  state(): Promise<string>;
  setEnabled(isEnabled: boolean): Promise<void>;
}
