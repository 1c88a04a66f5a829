import type { QuarantinedItem } from './quarantine.ts';

/** An item of the quarantine, without what was received. */
export interface KeptItem extends Omit<QuarantinedItem, 'value'> {
  /** In milliseconds since 1970. */
  readonly quarantinedAt: number;
}

/** The quarantine, for operators. */
export interface QuarantineOperations {
  /** All items, by the path of their entities. */
  list(): Promise<readonly KeptItem[]>;

  /**
   * What was received of an item.
   *
   * @throws SitecastError when it is no longer there.
   */
  loadValue(subject: string): Promise<unknown>;

  /** Deletes items; absent ones are ignored. */
  delete(subjects: readonly string[]): Promise<void>;
}
