import type { Scope } from '../../core/model/scope.ts';
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
  /** Digest of the subject. */
  readonly id: string;
  /** An entity that we cannot process, or an event that the topic refuses. */
  readonly kind: 'entity' | 'event';
  readonly list: string;
  /** API path of the entity. */
  readonly subject: string;
  /** When it was quarantined. */
  readonly at: Timestamp;
  /** Cut, but for one item that is shown. */
  readonly reason: string;
}

export interface QuarantineListAnswer {
  readonly command: 'quarantine-list';
  /** The number of items that were asked for. */
  readonly matchCount: number;
  /** The first of them by their time: as many as fit an answer. */
  readonly items: readonly QuarantineItem[];
}

export interface QuarantineShowAnswer {
  readonly command: 'quarantine-show';
  readonly item: QuarantineItem & {
    /** The entity as received, or the event as built. */
    readonly value: unknown;
  };
}

/** Items are tried again or dropped, or with `dryRun` would be. */
export interface QuarantineChangeAnswer {
  readonly command: 'quarantine-retry' | 'quarantine-drop';
  /** The number of items that are tried again or dropped. */
  readonly matchCount: number;
  /** The first of them: as many as fit an answer. */
  readonly items: readonly QuarantineItem[];
  /** Those that stay in the quarantine, and why. */
  readonly skipped: readonly { readonly item: QuarantineItem; readonly reason: string }[];
}

export type QuarantineAnswer = QuarantineListAnswer | QuarantineShowAnswer | QuarantineChangeAnswer;
