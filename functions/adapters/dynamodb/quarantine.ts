import { createHash } from 'node:crypto';
import type { KeptItem, QuarantineOperations } from '../../control/ports.ts';
import { SitecastError } from '../../core/model/errors.ts';
import { parseJson } from '../../core/model/json/json.ts';
import type { Quarantine, QuarantinedItem } from '../../core/ports/quarantine.ts';
import type { ClaimCheck } from '../shared/claim-check.ts';
import type { Row } from './attributes.ts';
import { sortKeyOf, type Key } from './keys.ts';
import type { Table } from './table.ts';

/** All items share a partition, so that one query lists them. No run loads it. */
const PARTITION = 'quarantine';

/** Larger values are kept in the bucket: a query of the table reads whole items. */
const MAX_INLINE_BYTES = 8_192;

/** The fields of an item in a list. */
const ATTRIBUTES = ['sk', 'feed', 'kind', 'version', 'listedAt', 'reason', 'quarantinedAt'];

const keyOf = (subject: string): Key => ({ pk: PARTITION, sk: subject });

export interface QuarantineItemsOptions {
  readonly table: Table;
  /** Keeps large values. */
  readonly bucket: ClaimCheck;
  /** The table deletes an item when it is so old. */
  readonly retentionMs: number;
  /** Milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Keeps the quarantine in the table, see {@link Quarantine}: the fields of an item under their own
 * names, and `body`, the JSON of its value, or `bodyAt`, its address in the bucket.
 */
export class QuarantineItems implements Quarantine {
  readonly #options: QuarantineItemsOptions;

  constructor(options: QuarantineItemsOptions) {
    this.#options = options;
  }

  async put(items: readonly QuarantinedItem[]): Promise<readonly QuarantinedItem[]> {
    const { table } = this.#options;
    const latest = latestOfEach(items);
    const kept = await table.get(
      latest.map(({ subject }) => keyOf(subject)),
      ['sk', 'version'],
    );
    const versions = new Map(kept.map((row) => [sortKeyOf(row), row['version'] as string]));
    const added = latest.filter(({ subject, version }) => {
      const before = versions.get(subject);
      return before === undefined || version > before;
    });
    const rows = await table.forEach(added, (item) => this.#rowOf(item));
    await table.putAll(rows, (row) => row);
    return added;
  }

  async #rowOf({ value, subject, ...item }: QuarantinedItem): Promise<Row> {
    const { now = Date.now, retentionMs, bucket } = this.#options;
    const json = JSON.stringify(value);
    const isLarge = Buffer.byteLength(json) > MAX_INLINE_BYTES;
    return {
      ...keyOf(subject),
      ...item,
      reason: item.reason.slice(0, MAX_INLINE_BYTES),
      quarantinedAt: now(),
      ...(isLarge
        ? { bodyAt: await bucket.put(digestOf(subject, item.version), json) }
        : { body: json }),
      z: Math.ceil((now() + retentionMs) / 1000),
    };
  }
}

/** A batch must not name a key twice. */
function latestOfEach(items: readonly QuarantinedItem[]): QuarantinedItem[] {
  const latest = new Map<string, QuarantinedItem>();
  for (const item of items) {
    const before = latest.get(item.subject);
    if (before === undefined || item.version > before.version) latest.set(item.subject, item);
  }
  return [...latest.values()];
}

function digestOf(...texts: readonly string[]): string {
  return createHash('sha256').update(texts.join(' ')).digest('hex').slice(0, 32);
}

/** Reads the quarantine, and deletes from it, see {@link QuarantineOperations}. */
export class QuarantineRecords implements QuarantineOperations {
  readonly #table: Table;
  readonly #readObject: (address: string) => Promise<string>;

  /** @param readObject reads a large value from its address in the bucket. */
  constructor(table: Table, readObject: (address: string) => Promise<string>) {
    this.#table = table;
    this.#readObject = readObject;
  }

  async list(): Promise<readonly KeptItem[]> {
    const rows = await this.#table.query({ pk: PARTITION, attributes: ATTRIBUTES });
    return rows.map(({ sk, ...item }) => ({ subject: sk, ...item }) as KeptItem);
  }

  async loadValue(subject: string): Promise<unknown> {
    const [{ body, bodyAt } = {}] = await this.#table.get([keyOf(subject)]);
    if (typeof bodyAt === 'string') return parseJson(await this.#readObject(bodyAt));
    if (typeof body === 'string') return parseJson(body);
    throw new SitecastError(`The quarantine has no item of ${subject} any more.`, {
      hint: 'List the items again.',
    });
  }

  delete(subjects: readonly string[]): Promise<void> {
    return this.#table.deleteAll(subjects.map(keyOf));
  }
}
