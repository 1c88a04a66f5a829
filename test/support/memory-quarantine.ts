import type { KeptItem, QuarantineOperations } from '../../functions/control/ports.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import type { Quarantine, QuarantinedItem } from '../../functions/core/ports/quarantine.ts';

/** A quarantine in memory. It keeps JSON texts, so that nobody shares an object with it. */
export class MemoryQuarantine implements Quarantine, QuarantineOperations {
  readonly #added: string[] = [];
  /** Items by subject. */
  readonly #kept = new Map<string, string>();

  /** All items that were ever new, in that order. */
  get items(): QuarantinedItem[] {
    return this.#added.map((json) => parseJson(json) as QuarantinedItem);
  }

  put(items: readonly QuarantinedItem[]): Promise<readonly QuarantinedItem[]> {
    const added = items.filter((item) => {
      const before = this.#find(item.subject);
      if (before !== undefined && before.version >= item.version) return false;
      this.#kept.set(item.subject, JSON.stringify(item));
      this.#added.push(JSON.stringify(item));
      return true;
    });
    return Promise.resolve(added);
  }

  list(): Promise<readonly KeptItem[]> {
    const subjects = [...this.#kept.keys()].sort();
    return Promise.resolve(
      subjects.flatMap((subject, n) => {
        const { value: _, ...item } = this.#find(subject) ?? { value: undefined };
        return 'subject' in item ? [{ ...item, quarantinedAt: n }] : [];
      }),
    );
  }

  loadValue(subject: string): Promise<unknown> {
    return Promise.resolve(this.#find(subject)?.value);
  }

  delete(subjects: readonly string[]): Promise<void> {
    for (const subject of subjects) this.#kept.delete(subject);
    return Promise.resolve();
  }

  #find(subject: string): QuarantinedItem | undefined {
    const json = this.#kept.get(subject);
    return json === undefined ? undefined : (parseJson(json) as QuarantinedItem);
  }
}
