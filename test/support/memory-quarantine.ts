import { parseJson } from '../../functions/core/model/json/json.ts';
import { type Quarantine, type QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

/** A quarantine in memory. It keeps JSON texts, so that nobody shares an object with it. */
export class MemoryQuarantine implements Quarantine {
  readonly #kept: string[] = [];

  /** The quarantined items, in that order. */
  get items(): QuarantinedItem[] {
    return this.#kept.map((json) => parseJson(json) as QuarantinedItem);
  }

  put(items: readonly QuarantinedItem[]): Promise<void> {
    this.#kept.push(...items.map((item) => JSON.stringify(item)));
    return Promise.resolve();
  }
}
