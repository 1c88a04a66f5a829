import { randomBytes } from 'node:crypto';
import type { WebhookOperations } from '../../control/ports.ts';
import { isoTime } from '../../core/model/timestamp.ts';
import type {
  DisabledBy,
  WebhookAttempt,
  WebhookState,
  WebhookStore,
} from '../../deliver/ports.ts';
import { number, text, type Item } from './items.ts';
import type { Table } from './table.ts';

/** Attempts are kept for this time. */
const KEPT_MS = 14 * 86_400_000;

const ATTEMPTS = 'attempts#';

const pkOf = (name: string): string => `webhook#${name}`;
const stateKey = (name: string): Item => ({ pk: text(pkOf(name)), sk: text('state') });

/** Keeps a webhook's state and attempts, see {@link WebhookStore}. */
export class WebhookItems implements WebhookStore {
  readonly #table: Table;
  readonly name: string;

  constructor(table: Table, name: string) {
    this.#table = table;
    this.name = name;
  }

  async loadState(): Promise<WebhookState> {
    const [item] = await this.#table.get([stateKey(this.name)]);
    return stateIn(item);
  }

  async noteFailure(at: number, maxGapMs: number): Promise<number> {
    const values = { ':at': number(at), ':over': number(at - maxGapMs) };
    const row =
      (await this.#table.update(stateKey(this.name), {
        UpdateExpression: 'SET l = :at',
        ConditionExpression: 'l >= :over',
        ExpressionAttributeValues: values,
      })) ??
      (await this.#table.update(stateKey(this.name), {
        UpdateExpression: 'SET f = :at, l = :at',
        ConditionExpression: 'attribute_not_exists(l) OR l < :over',
        ExpressionAttributeValues: values,
      }));
    return stateIn(row).failingSince ?? at;
  }

  async endFailures(): Promise<void> {
    await this.#table.update(stateKey(this.name), {
      UpdateExpression: 'REMOVE f, l',
      ConditionExpression: 'attribute_exists(f)',
    });
  }

  async disable(by: DisabledBy, at: number, failingSince?: number): Promise<boolean> {
    const isKnown = failingSince !== undefined;
    const item = await this.#table.update(stateKey(this.name), {
      UpdateExpression: 'SET d = :at, b = :by',
      ConditionExpression: `attribute_not_exists(d)${isKnown ? ' AND f = :since' : ''}`,
      ExpressionAttributeValues: {
        ':at': number(at),
        ':by': text(by),
        ...(isKnown && { ':since': number(failingSince) }),
      },
    });
    return item !== undefined || (await this.loadState()).disabled !== undefined;
  }

  async saveAttempts(attempts: readonly WebhookAttempt[]): Promise<void> {
    const at = Math.max(...attempts.map((attempt) => attempt.at));
    const mark = randomBytes(6).toString('base64url');
    await this.#table.put({
      pk: text(pkOf(this.name)),
      sk: text(`${ATTEMPTS}${isoTime(at)}#${mark}`),
      x: text(JSON.stringify(attempts)),
      z: number(Math.floor((at + KEPT_MS) / 1000)),
    });
  }
}

/** The states and attempts of all webhooks, see {@link WebhookOperations}. */
export class WebhookRecords implements WebhookOperations {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async loadState(name: string): Promise<WebhookState> {
    return new WebhookItems(this.#table, name).loadState();
  }

  async enable(name: string): Promise<void> {
    await this.#table.deleteAll([stateKey(name)]);
  }

  async disable(name: string, at: number): Promise<void> {
    const disabled = { ...stateKey(name), d: number(at), b: text('operator') };
    await this.#table.write([disabled], (Item) => ({ PutRequest: { Item } }));
  }

  async *attempts(name: string): AsyncGenerator<readonly WebhookAttempt[]> {
    const query = { pk: pkOf(name), prefix: ATTEMPTS, isDescending: true };
    for await (const items of this.#table.pages(query)) {
      for (const { x } of items) yield JSON.parse(x?.S ?? '[]') as WebhookAttempt[];
    }
  }
}

function stateIn(item: Item | undefined): WebhookState {
  const { f, d, b } = item ?? {};
  return {
    ...(f?.N !== undefined && { failingSince: Number(f.N) }),
    ...(d?.N !== undefined && { disabled: { at: Number(d.N), by: b?.S as DisabledBy } }),
  };
}
