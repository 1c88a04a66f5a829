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
  /** Forgets the state: nothing is held against the endpoint. */
  enable(name: string): Promise<void>;
  /** @param at milliseconds since 1970. */
  disable(name: string, at: number): Promise<void>;
  /** The attempts of invocations, the latest first. */
  attempts(name: string): AsyncIterable<readonly WebhookAttempt[]>;
}

/** The queues of webhooks, for operators. */
export interface WebhookQueues {
  /** About how many messages a queue has, visible or not. */
  count(queueUrl: string): Promise<number>;
  send(queueUrl: string, body: string): Promise<void>;
  /**
   * Moves dead letters back. Looks at a limited number of them: those that stay are then hidden for two
   * minutes, so that the repeated call finds others.
   *
   * @param isToMove decides by the body.
   */
  redrive(webhook: DeployedWebhook, isToMove: (body: string) => boolean): Promise<Redriven>;
}

/** What came of a call that moves dead letters. */
export interface Redriven {
  readonly movedCount: number;
  /** False if there may be more. */
  readonly isComplete: boolean;
  /** About so many were hidden, since somebody has looked at them in the two minutes before. */
  readonly hiddenCount: number;
}

/** The state of an event source mapping that is not there. */
export const MISSING = 'missing';

/** The event source mapping of a webhook's function. */
export interface OperatedMapping {
  /** `Enabled`, `Disabled`, a word for the way there, or {@link MISSING}. */
  state(): Promise<string>;
  setEnabled(isEnabled: boolean): Promise<void>;
}
