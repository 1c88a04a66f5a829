import type { Scope } from '../../core/model/command.ts';
import type { Timestamp } from '../../core/model/timestamp.ts';

/** What is asked about the quarantine. */
export type QuarantineRequest =
  /** All items, or those of the lists in the scope. */
  | { readonly command: 'quarantine-list'; readonly scope?: Scope }
  | { readonly command: 'quarantine-show'; readonly id: string }
  /** Either items by their ids, which may be cut, or all in the scope. */
  | {
      readonly command: 'quarantine-retry' | 'quarantine-drop';
      readonly ids?: readonly string[];
      readonly all?: boolean;
      readonly scope?: Scope;
      readonly dryRun?: boolean;
    };

/** An item in the quarantine. Times are ISO 8601. */
export interface QuarantineItem {
  readonly id: string;
  /** An entity that we cannot process, or an event that the topic refuses. */
  readonly kind: 'entity' | 'event';
  readonly list: string;
  /** When it was quarantined. */
  readonly at: Timestamp;
  /** Cut, but for one item that is shown. */
  readonly reason: string;
  /** Address of the whole item in the bucket. */
  readonly copy: string;
}

/** How much of the queue was looked at. */
interface QueueView {
  /** False when the queue may hold more items. */
  readonly isComplete: boolean;
  /** About so many messages somebody else is reading at this moment. */
  readonly hiddenCount: number;
}

export interface QuarantineListAnswer extends QueueView {
  readonly command: 'quarantine-list';
  /** By their time. */
  readonly items: readonly QuarantineItem[];
}

export interface QuarantineShowAnswer {
  readonly command: 'quarantine-show';
  readonly item: QuarantineItem & {
    /** `last_synced_at` of the page it was on; absent on the first page. */
    readonly cursor?: Timestamp;
    /** The entity as received, or the event as built. */
    readonly value: unknown;
  };
}

/** Items are tried again or dropped, or with `dryRun` would be. */
export interface QuarantineChangeAnswer extends QueueView {
  readonly command: 'quarantine-retry' | 'quarantine-drop';
  /** Of the command that reads lists again; absent if there is none to read. */
  readonly id?: string;
  readonly items: readonly QuarantineItem[];
  /** Those that stay in the quarantine, and why. */
  readonly skipped: readonly { readonly item: QuarantineItem; readonly reason: string }[];
}

export type QuarantineAnswer = QuarantineListAnswer | QuarantineShowAnswer | QuarantineChangeAnswer;
