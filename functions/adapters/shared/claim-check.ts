import { SitecastError } from '../../core/model/errors.ts';

/** Stores texts that are too large for the topic or the table, where they can be read. */
export interface ClaimCheck {
  /**
   * Stores a text for at least 30 days. Idempotent.
   *
   * @param name an object of this name is replaced. Only events that differ in nothing but
   *   `recordedtime` may share one.
   * @returns the address, for `dataref`.
   * @throws ClaimCheckFailedError when the text is not stored after all retries.
   */
  put(name: string, json: string): Promise<string>;
}

/** A text was not stored: nothing may refer to it. */
export class ClaimCheckFailedError extends SitecastError {
  override readonly name = 'ClaimCheckFailedError';
}
