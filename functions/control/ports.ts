import type { Feed } from '../core/model/feed.ts';
import type { Catalog } from '../core/model/resource-catalog.ts';
import type { QuarantinedItem } from '../core/ports/quarantine.ts';
import type { StateStore } from '../core/ports/state-store.ts';
import type { WebhookAttempt, WebhookState } from '../deliver/ports.ts';

/** Everything that the control function uses. */
export interface ControlContext {
  readonly store: OperatedStore;
  readonly quarantine: QuarantineOperations;
  readonly catalog: Catalog;
  readonly shardCount: number;
  readonly webhooks: WebhookPorts;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The part of the table that changes feeds. */
export type FeedStore = Pick<StateStore, 'commitFeed' | 'loadFeedsById'>;

/** The table, for operators, who hold no lease. */
export interface OperatedStore extends StateStore {
  /**
   * Checks the table's format version, and changes nothing.
   *
   * @throws TableFormatError when the table has another format.
   */
  checkFormat(): Promise<void>;

  /** All feeds in these partitions, with the latest writes. */
  loadFeeds(partitions: readonly number[]): Promise<Feed[]>;

  /** The ends of leases by partition, also of those that a dead run has left. */
  loadLeases(): Promise<ReadonlyMap<number, number>>;

  /** Pauses all lists, or ends that. The lists that are paused by themselves stay so. */
  saveAllPaused(isPaused: boolean): Promise<void>;
}

/** An item of the quarantine, without its value. */
export interface KeptItem extends Omit<QuarantinedItem, 'value'> {
  /** In milliseconds since 1970. */
  readonly quarantinedAt: number;
}

/** The quarantine, for operators. */
export interface QuarantineOperations {
  /** All items, by the path of their entities. */
  list(): Promise<readonly KeptItem[]>;

  /**
   * The entity or event of an item.
   *
   * @throws SitecastError when it is no longer there.
   */
  loadValue(subject: string): Promise<unknown>;

  /** Deletes items; absent ones are ignored. */
  delete(subjects: readonly string[]): Promise<void>;
}

/** The webhooks of the stack. */
export interface WebhookPorts {
  readonly deployed: readonly DeployedWebhook[];
  readonly records: WebhookOperations;
  readonly queues: WebhookQueues;
  readonly mappingOf: (webhook: DeployedWebhook) => Promise<OperatedMapping>;
}

/** A webhook of the stack, as deployment made it. */
export interface DeployedWebhook {
  readonly name: string;
  readonly url: string;
  readonly queueUrl: string;
  readonly deadLettersUrl: string;
  readonly functionName: string;
}

/** States and attempts of webhooks, for operators. */
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
   * Moves dead letters back. Looks at a limited number of them: those that stay are then hidden for
   * two minutes, so that the repeated call finds others.
   *
   * @param isToMove decides by the body.
   */
  redrive(webhook: DeployedWebhook, isToMove: (body: string) => boolean): Promise<Redriven>;
}

/** The result of a call that moves dead letters. */
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
