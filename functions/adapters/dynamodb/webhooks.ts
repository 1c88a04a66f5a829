import { randomBytes } from 'node:crypto';
import type { WebhookOperations } from '../../control/ports.ts';
import { isoTime } from '../../core/model/timestamp.ts';
import type {
  DisabledBy,
  WebhookAttempt,
  WebhookState,
  WebhookStore,
} from '../../deliver/ports.ts';
import type { Row } from './attributes.ts';
import type { Key } from './keys.ts';
import type { Table } from './table.ts';

/** Attempts are kept for this time. */
const KEPT_MS = 14 * 86_400_000;

const ATTEMPTS = 'attempts#';

/** The state of a webhook as the table holds it. Times are milliseconds since 1970. */
interface StateRow {
  readonly failingSince?: number;
  readonly lastFailureAt?: number;
  readonly disabledAt?: number;
  readonly disabledBy?: DisabledBy;
}

const partitionKey = (name: string): string => `webhook#${name}`;
const stateKey = (name: string): Key => ({ pk: partitionKey(name), sk: 'state' });

/** Keeps a webhook's state and attempts, see {@link WebhookStore}. */
export class WebhookItems implements WebhookStore {
  readonly name: string;
  readonly #table: Table;
  readonly #key: Key;

  constructor(table: Table, name: string) {
    this.name = name;
    this.#table = table;
    this.#key = stateKey(name);
  }

  async loadState(): Promise<WebhookState> {
    return loadState(this.#table, this.name);
  }

  async noteFailure(at: number, maxGapMs: number): Promise<number> {
    const values = { ':at': at, ':over': at - maxGapMs };
    const row =
      (await this.#table.update(this.#key, {
        update: 'SET lastFailureAt = :at',
        if: 'lastFailureAt >= :over',
        values,
      })) ??
      (await this.#table.update(this.#key, {
        update: 'SET failingSince = :at, lastFailureAt = :at',
        if: 'attribute_not_exists(lastFailureAt) OR lastFailureAt < :over',
        values,
      }));
    return stateIn(row).failingSince ?? at;
  }

  async endFailures(): Promise<void> {
    await this.#table.update(this.#key, {
      update: 'REMOVE failingSince, lastFailureAt',
      if: 'attribute_exists(failingSince)',
    });
  }

  async disable(by: DisabledBy, at: number, failingSince?: number): Promise<boolean> {
    const isStill = failingSince === undefined ? '' : ' AND failingSince = :since';
    const row = await this.#table.update(this.#key, {
      update: 'SET disabledAt = :at, disabledBy = :by',
      if: `attribute_not_exists(disabledAt)${isStill}`,
      values: { ':at': at, ':by': by, ':since': failingSince },
    });
    return row !== undefined || (await this.loadState()).disabled !== undefined;
  }

  async saveAttempts(attempts: readonly WebhookAttempt[]): Promise<void> {
    const at = Math.max(...attempts.map((attempt) => attempt.at));
    const mark = randomBytes(6).toString('base64url');
    await this.#table.put({
      pk: partitionKey(this.name),
      sk: `${ATTEMPTS}${isoTime(at)}#${mark}`,
      attempts,
      z: Math.floor((at + KEPT_MS) / 1000),
    });
  }
}

/** The states and attempts of all webhooks, see {@link WebhookOperations}. */
export class WebhookRecords implements WebhookOperations {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  loadState(name: string): Promise<WebhookState> {
    return loadState(this.#table, name);
  }

  async enable(name: string): Promise<void> {
    await this.#table.deleteAll([stateKey(name)]);
  }

  async disable(name: string, at: number): Promise<void> {
    const state: StateRow = { disabledAt: at, disabledBy: 'operator' };
    await this.#table.put({ ...stateKey(name), ...state });
  }

  async *attempts(name: string): AsyncGenerator<readonly WebhookAttempt[]> {
    const query = { pk: partitionKey(name), prefix: ATTEMPTS, isDescending: true };
    for await (const rows of this.#table.pages(query)) {
      for (const { attempts } of rows) yield attempts as readonly WebhookAttempt[];
    }
  }
}

async function loadState(table: Table, name: string): Promise<WebhookState> {
  const [row] = await table.get([stateKey(name)]);
  return stateIn(row);
}

function stateIn(row: Row | undefined): WebhookState {
  const { failingSince, disabledAt: at, disabledBy: by } = (row ?? {}) as StateRow;
  return {
    ...(failingSince !== undefined && { failingSince }),
    ...(at !== undefined && by !== undefined && { disabled: { at, by } }),
  };
}
