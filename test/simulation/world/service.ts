import { validateEntities, type JsonObject } from '../../../functions/core/model/entity.ts';
import { PageTooSlowError, ServiceError } from '../../../functions/core/model/errors.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import type {
  EntityAnswer,
  EntityRequest,
  Page,
  PageRequest,
} from '../../../functions/core/ports/service-api.ts';
import type { Random } from '../../../infra/local/simulator/world/random.ts';
import type { History } from '../history/history.ts';
import type { Outage } from '../history/mishaps.ts';
import { skewOf, type ServiceTraits } from '../history/traits.ts';
import { shuffle } from './shuffle.ts';
import { Row, type List, type ProjectRows, type Shown } from './truth.ts';

const HOUR_MS = 3_600_000;
/** Errors of a `Date` that jumps: too old, or so far ahead that it cannot be true. */
const JUMPS_MS = [-HOUR_MS, -40 * 24 * HOUR_MS, 40 * 24 * HOUR_MS] as const;
/** The wait that it asks for. */
const RETRY_AFTER_MS = 20 * 60_000;

/** The lists there are. */
export interface Lists {
  readonly projects: List;
  readonly byProject: ReadonlyMap<string, ProjectRows>;
}

/** Answers page requests by the spec, and by the traits where the spec leaves it open. */
export class SimulatedService {
  readonly #lists: Lists;
  readonly #traits: ServiceTraits;
  readonly #luck: Random;
  readonly #strangers: readonly Row[];
  #reads = 0;
  #isCalm = false;
  #outage: Pick<Outage, 'lists' | 'answer'> | undefined;

  constructor(lists: Lists, { service }: History, luck: Random) {
    this.#lists = lists;
    this.#traits = service;
    this.#luck = luck;
    this.#strangers = Array.from({ length: service.strangers }, (_, n) => strangerAt(n));
  }

  /** True when faults have stopped. */
  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** Stops all faults. */
  calmDown(): void {
    this.#isCalm = true;
  }

  /** Makes lists fail, until it is called without an outage. */
  fail(outage?: Pick<Outage, 'lists' | 'answer'>): void {
    this.#outage = outage;
  }

  /** The time by the service's clock, in milliseconds since 1970. */
  clockAt(now: number): number {
    return now + skewOf(this.#traits);
  }

  /** The `Date` of an answer, in milliseconds since 1970. */
  dateAt(now: number): number | undefined {
    const clock = this.clockAt(now);
    const { dates } = this.#traits;
    if (dates === 'never') return undefined;
    if (this.#isCalm || dates === 'always' || this.#luck.chance(0.6)) return clock;
    return dates === 'missing' ? undefined : clock + this.#luck.pick(JUMPS_MS);
  }

  /** Whether a list fails in the present outage. */
  isFailing(path: string): boolean {
    if (this.#outage === undefined) return false;
    const { lists } = this.#outage;
    const isProjects = path === this.#lists.projects.path;
    if (lists === 'projects') return isProjects;
    if (lists === 'floorplans') return path.endsWith('/floorplans');
    return lists === 'all' || !isProjects;
  }

  /** Whether a request to a list is not answered in time. */
  isHanging(path: string): boolean {
    return this.#outage?.answer === 'hangs' && this.isFailing(path);
  }

  /**
   * Reads a page.
   *
   * @param now virtual time at which the list is read.
   * @throws ServiceError when the list may not be read, or during an outage.
   */
  page(request: PageRequest, now: number): Page {
    const { path, lastSyncedAt: after, perPage } = request;
    this.#checkOutage(path);
    const from = after === undefined ? '' : toFixedWidth(after);
    const isLater = ({ version: { stored } }: Shown): boolean =>
      stored > from || (this.#traits.filter === '>=' && stored === from);
    const inList = this.#inOrder(this.#readable(path, this.#copiedAt(now)).filter(isLater));
    const onPage = inList.slice(0, perPage);
    const shown = onPage.filter(({ row }) => !this.#strangers.includes(row));
    const stranger = onPage.at(-1)?.version.stamp;
    const hasMore = inList.length > onPage.length;
    const cursor = shown.length === 0 && stranger ? stranger : this.#cursor(shown, after, now);
    this.#reads += 1;
    return {
      ...validateEntities(copyOf(shown.map((each) => this.#shape(each, request)))),
      hasMore,
      ...(cursor !== undefined && { lastSyncedAt: cursor }),
    };
  }

  /**
   * Its answer for one entity.
   *
   * @throws ServiceError during an outage.
   */
  entity({ path, ...request }: EntityRequest, now: number): EntityAnswer {
    const end = path.lastIndexOf('/');
    const list = path.slice(0, end);
    const id = path.slice(end + 1);
    this.#checkOutage(list);
    try {
      const { projects } = this.#lists;
      if (projects.rows.some((row) => row.hidden && path === `${projects.path}/${row.id}`))
        return { verdict: 'forbidden' };
      const readAt = this.#copiedAt(now);
      const found = this.#readable(list, readAt, true).find(({ row }) => row.id === id);
      if (found === undefined) return { verdict: 'missing' };
      const shown = this.#shape(found, { path: list, ...request, perPage: 1 });
      const [entity] = validateEntities(copyOf([shown])).entities;
      return entity === undefined ? { verdict: 'forbidden' } : { verdict: 'found', entity };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { verdict: error.status === 403 ? 'forbidden' : 'missing' };
    }
  }

  /** Of when the copy is that answers a request. */
  #copiedAt(now: number): number {
    return this.#luck.chance(0.5) ? now - this.#luck.below(this.#traits.lagMs + 1) : now;
  }

  #checkOutage(path: string): void {
    if (!this.isFailing(path)) return;
    const answer = this.#outage?.answer ?? 'is down';
    if (answer === 'hangs') throw new PageTooSlowError(`GET ${path}: hangs`, { hint: 'Wait.' });
    const status = { refuses: 404, 'limits requests': 429, 'is down': 503, 'asks to wait': 503 };
    const retryAfterMs = answer === 'asks to wait' ? RETRY_AFTER_MS : 0;
    throw failure(path, status[answer], retryAfterMs);
  }

  /** @param isWhole whether a thin list shows all it has. */
  #readable(path: string, now: number, isWhole = false): Shown[] {
    const { projects, byProject } = this.#lists;
    if (path === projects.path) {
      const strangers = this.#strangers.map((row) => ({ row, version: row.newest }));
      return [...strangers, ...projects.visible(now)];
    }
    const [, , id = '', name] = path.split('/');
    const lists = byProject.get(id);
    const version = lists?.project.visible(now);
    if (lists === undefined || version === undefined) throw failure(path, 404);
    const { hidden } = lists.project;
    if (hidden && (isWhole || this.#traits.lostPermission === 'refused')) throw failure(path, 403);
    const isDeleted = version.object['deleted_at'] !== null;
    if (isDeleted && this.#traits.deletedProjectLists === 'not_found') throw failure(path, 404);
    if (hidden) return [];
    const list = name === 'floorplans' ? lists.floorplans : lists.checklists;
    return list.visible(now).filter((_, n) => isWhole || !list.isThin || n % 2 === 0);
  }

  #inOrder(rows: readonly Shown[]): Shown[] {
    const { tieOrder } = this.#traits;
    const ties =
      tieOrder === 'another on every read' ? shuffle(rows, this.#luck) : rows.toSorted(byId);
    if (tieOrder === 'by id, backwards') ties.reverse();
    return ties.sort((a, b) => compare(a.version.stored, b.version.stored));
  }

  #cursor(rows: readonly Shown[], after: string | undefined, now: number): string | undefined {
    const last = rows.at(-1)?.version.stamp;
    const clock = new Date(this.clockAt(now)).toISOString();
    if (last === undefined) {
      return { echo: after, now: clock, absent: undefined }[this.#traits.emptyPageCursor];
    }
    const behind = rows[0]?.version.stamp;
    // Where the page shows no time either, entities between are lost: limit 6.
    const isTimed = rows.some(({ row }) => row.broken === undefined);
    const ahead = isTimed && last < clock ? clock : last;
    return { 'last item': last, absent: undefined, behind, ahead }[this.#traits.cursorHeader];
  }

  #shape({ row, version }: Shown, { path, query }: PageRequest): JsonObject {
    if (row.broken !== undefined) return row.broken;
    const { current_sheet, ...object } = version.object;
    if (!path.endsWith('/floorplans')) return object;
    return {
      ...object,
      // Signed addresses differ on every read, and are no change.
      preview_url: `https://files.example/${row.id}?signature=${this.#reads}`,
      ...(query?.['with_current_sheet'] === 'true' && { current_sheet }),
    };
  }
}

/** A copy, so that nobody shares an object with the truth. */
export function copyOf<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/** A project of somebody else, older than all of ours. */
function strangerAt(hour: number): Row {
  const row = new Row(`stranger${hour}`);
  const stamp = new Date(Date.parse('2026-01-01T00:00:00.000Z') + hour * HOUR_MS).toISOString();
  row.versions.push({ stamp, stored: toFixedWidth(stamp), visibleAt: 0, object: {} });
  return row;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byId = (a: Shown, b: Shown): number => compare(a.row.id, b.row.id);

function failure(path: string, status: number, retryAfterMs = 0): ServiceError {
  const message = `GET ${path} was answered with ${status}`;
  return new ServiceError(message, { status, hint: 'Wait.', retryAfterMs });
}
