import { randomBytes } from 'node:crypto';
import { isoTime } from '../../core/model/timestamp.ts';
import type { WebhookOperations } from '../../core/ports/webhook-operations.ts';
import type {
  DisabledBy,
  Tries,
  WebhookAttempt,
  WebhookState,
  WebhookStore,
} from '../../core/ports/webhook.ts';
import { number, text, type Item } from './items.ts';
import type { Table } from './table.ts';

/** Attempts are kept for this time. */
const KEPT_MS = 14 * 86_400_000;

/** A message is in its queue for 14 days at most. Then its tries are no use. */
const TRIES_KEPT_MS = 15 * 86_400_000;

const ATTEMPTS = 'attempts#';
const TRIES = 'tries#';

const pkOf = (name: string): string => `webhook#${name}`;
const stateKey = (name: string): Item => ({ pk: text(pkOf(name)), sk: text('state') });

/** Keeps a webhook's state and attempts, see {@link WebhookStore}. */
export class WebhookItems implements WebhookStore {
  readonly #table: Table;
  readonly #name: string;

  constructor(table: Table, name: string) {
    this.#table = table;
    this.#name = name;
  }

  async loadState(): Promise<WebhookState> {
    const [item] = await this.#table.get([stateKey(this.#name)]);
    return stateIn(item);
  }

  async load(messageIds: readonly string[]): ReturnType<WebhookStore['load']> {
    const keys = messageIds.map((id) => this.#triesKey(id));
    const items = await this.#table.get([stateKey(this.#name), ...keys]);
    const state = items.find(({ sk }) => sk?.S === 'state');
    const tries = items
      .filter((item) => item !== state)
      .map((item) => [item['sk']?.S?.slice(TRIES.length) ?? '', triesIn(item)] as const);
    return { state: stateIn(state), tries: new Map(tries) };
  }

  async saveTries(messageId: string, tried: Tries): Promise<void> {
    const { count, firstAt, lastAt, enabledAt } = tried;
    await this.#table.put({
      ...this.#triesKey(messageId),
      ...{ n: number(count), f: number(firstAt), l: number(lastAt) },
      ...(enabledAt !== undefined && { e: number(enabledAt) }),
      z: number(Math.floor((lastAt + TRIES_KEPT_MS) / 1000)),
    });
  }

  async startFailing(at: number, over: number): Promise<void> {
    await this.#table.update(stateKey(this.#name), {
      UpdateExpression: 'SET f = :at, l = :at',
      ConditionExpression: 'attribute_not_exists(l) OR l < :over',
      ExpressionAttributeValues: { ':at': number(at), ':over': number(over) },
    });
  }

  async keepFailing(at: number): Promise<void> {
    await this.#table.update(stateKey(this.#name), {
      UpdateExpression: 'SET l = :at',
      ConditionExpression: 'l < :at',
      ExpressionAttributeValues: { ':at': number(at) },
    });
  }

  async stopFailing(by: number): Promise<void> {
    await this.#table.update(stateKey(this.#name), {
      UpdateExpression: 'REMOVE f, l',
      ConditionExpression: 'f <= :by',
      ExpressionAttributeValues: { ':by': number(by) },
    });
  }

  async disable(by: DisabledBy, at: number, failingSince?: number): Promise<boolean> {
    const isKnown = failingSince !== undefined;
    const item = await this.#table.update(stateKey(this.#name), {
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
      pk: text(pkOf(this.#name)),
      sk: text(`${ATTEMPTS}${isoTime(at)}#${mark}`),
      x: text(JSON.stringify(attempts)),
      z: number(Math.floor((at + KEPT_MS) / 1000)),
    });
  }

  #triesKey(messageId: string): Item {
    return { pk: text(pkOf(this.#name)), sk: text(TRIES + messageId) };
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

  async enable(name: string, at: number): Promise<void> {
    await this.#replace({ ...stateKey(name), e: number(at) });
  }

  async disable(name: string, at: number): Promise<void> {
    await this.#replace({ ...stateKey(name), d: number(at), b: text('operator') });
  }

  async *attempts(name: string): AsyncGenerator<readonly WebhookAttempt[]> {
    const query = { pk: pkOf(name), prefix: ATTEMPTS, isDescending: true };
    for await (const items of this.#table.pages(query)) {
      for (const { x } of items) yield JSON.parse(x?.S ?? '[]') as WebhookAttempt[];
    }
  }

  async #replace(item: Item): Promise<void> {
    await this.#table.write([item], (Item) => ({ PutRequest: { Item } }));
  }
}

function stateIn(item: Item | undefined): WebhookState {
  const { f, l, d, b, e } = item ?? {};
  return {
    ...(f?.N !== undefined && { failingSince: Number(f.N) }),
    ...(l?.N !== undefined && { lastFailureAt: Number(l.N) }),
    ...(d?.N !== undefined && { disabled: { at: Number(d.N), by: b?.S as DisabledBy } }),
    ...(e?.N !== undefined && { enabledAt: Number(e.N) }),
  };
}

function triesIn({ n, f, l, e }: Item): Tries {
  const tried = { count: Number(n?.N), firstAt: Number(f?.N), lastAt: Number(l?.N) };
  return e?.N === undefined ? tried : { ...tried, enabledAt: Number(e.N) };
}
