import { validateEntities, type JsonObject } from '../../functions/core/model/entity.ts';
import { ServiceError, ProtocolError } from '../../functions/core/model/errors.ts';
import { parseJson } from '../../functions/core/model/json/json.ts';
import { toFixedWidth } from '../../functions/core/model/timestamp.ts';
import type {
  EntityAnswer,
  EntityRequest,
  Page,
  PageRequest,
} from '../../functions/core/ports/service-api.ts';
import type { Random } from '../../infra/local/simulator/world/random.ts';
import type { History } from './history/history.ts';
import type { Outage } from './history/mishaps.ts';
import { skewOf, type ServiceTraits } from './history/setup.ts';
import { slowAboveOf, strangersOf } from './memory.ts';
import { isNumber, written } from './numbers.ts';
import { NESTED_DEEPLY, Row, type List, type ProjectRows, type Version } from './truth.ts';

/** How far machines of the service are apart, in milliseconds. */
export const JITTER_MS = 1_000;
const DAY_MS = 86_400_000;
/** Errors of a `Date` that jumps: too old, or so far ahead that it cannot be true. */
const JUMPS_MS = [-3_600_000, -40 * DAY_MS, 40 * DAY_MS] as const;

/** The lists there are. */
export interface Lists {
  readonly projects: List;
  readonly byProject: ReadonlyMap<string, ProjectRows>;
}

/** How lists fail: all of them, or as in a {@link SplitOutage}. */
export type Failure =
  | Outage['how']
  | 'project lists are refused'
  | 'projects fail, and project lists are refused'
  | 'projects fail';

/** A page as it goes over the wire. */
export interface PageAnswer extends Pick<Page, 'hasMore' | 'lastSyncedAt'> {
  readonly body: string;
  /** Entities in the body. */
  readonly entities: number;
}

/** Answers page requests by the spec, and by the traits where the spec leaves it open. */
export class SimulatedService {
  readonly #lists: Lists;
  readonly #traits: ServiceTraits;
  readonly #luck: Random;
  readonly #strangers: ReadonlySet<Row>;
  readonly #slowAbove: number;
  readonly #lastPageCursor: string | undefined;
  readonly #hangs: boolean;
  readonly #failsSlowly: boolean;
  /** Whether no answer is spoiled on its way, since what waits is judged. */
  isSteady = false;
  #reads = 0;
  #isCalm = false;
  #outage: Failure | undefined;
  #failingLists:
    | { readonly isFailing: (path: string) => boolean; readonly retryAfterMs: number }
    | undefined;

  constructor(lists: Lists, history: History, luck: Random) {
    this.#lists = lists;
    this.#traits = history.service;
    this.#luck = luck;
    this.#slowAbove = slowAboveOf(history);
    this.#lastPageCursor = history.lastPageCursor;
    this.#hangs = history.hangs;
    this.#failsSlowly = history.failsSlowly;
    const length = strangersOf(history);
    this.#strangers = new Set(Array.from({ length }, (_, n) => strangerAt(n)));
  }

  /** True when faults have stopped. */
  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** Stops all faults. */
  calmDown(): void {
    this.#isCalm = true;
  }

  /** Makes lists fail, until it is called without a failure. */
  fail(how?: Failure): void {
    this.#outage = how;
  }

  /** Answers requests to some lists with 503, until it is called without them. */
  failLists(isFailing?: (path: string) => boolean, retryAfterMs = 0): void {
    this.#failingLists = isFailing && { isFailing, retryAfterMs };
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
    if (this.#isCalm || dates === 'always') return clock;
    if (dates === 'jittering') return clock + this.#luck.below(2 * JITTER_MS + 1) - JITTER_MS;
    if (this.#luck.chance(0.6)) return clock;
    return dates === 'missing' ? undefined : clock + this.#luck.pick(JUMPS_MS);
  }

  /** Whether a page takes longer than an attempt may. */
  isTooSlow(
    { path, lastSyncedAt = '', perPage }: PageRequest,
    { entities, invalid }: Page,
  ): boolean {
    const rows = entities.length + invalid.length;
    if (path !== this.#lists.projects.path) return rows > this.#slowAbove;
    const others = [...this.#strangers].filter(({ newest }) => newest.stamp > lastSyncedAt);
    return rows + Math.min(others.length, perPage, this.#traits.largestPage) > this.#slowAbove;
  }

  /** Whether the tries of a request to this list fail one by one until the time of a run is over. */
  failsSlowly(path: string): boolean {
    const isAlone = this.#outage === 'projects fail' && path === this.#lists.projects.path;
    return isAlone && this.#failsSlowly;
  }

  /** Whether no request is answered in time. */
  get isHanging(): boolean {
    return this.#hangs && this.#outage === 'is down';
  }

  /**
   * Reads a page.
   *
   * @param now virtual time at which the list is read.
   * @throws ServiceError when the list may not be read.
   * @throws ServiceError during an outage.
   */
  page(request: PageRequest, now: number): Page {
    this.checkOutage(request.path);
    const { body, entities: _, ...rest } = this.answer(request, now);
    return { ...validateEntities(parseJson(body) as unknown[]), ...rest };
  }

  /** Throws the error of an outage. */
  checkOutage(path: string): void {
    if (this.#failingLists?.isFailing(path)) {
      throw unavailable(path, this.#failingLists.retryAfterMs);
    }
    if (this.#outage === undefined) return;
    const isProjects = path === this.#lists.projects.path;
    if (this.#outage.endsWith('are refused') && !isProjects) throw refused(path, 403);
    if (this.#outage === (isProjects ? 'project lists are refused' : 'projects fail')) return;
    if (this.#outage === 'flaps' && this.#luck.chance(0.5)) return;
    if (this.#outage === 'refuses') throw refused(path, 404);
    throw unavailable(path, 0, this.#outage === 'limits requests' ? 429 : 503);
  }

  /** Reads a page as it goes over the wire; see {@link page}. */
  answer(request: PageRequest, now: number): PageAnswer {
    const { filter, largestPage } = this.#traits;
    const { lastSyncedAt: after } = request;
    const from = after === undefined ? '' : toFixedWidth(after);
    const isShown = ({ version: { stored } }: Shown): boolean =>
      stored > from || (filter === '>=' && stored === from);
    const isCopy = this.#luck.chance(0.5);
    const readAt = isCopy ? now - this.#luck.below(this.#traits.lagMs + 1) : now;
    const inList = this.#inOrder(this.#readable(request.path, readAt).filter(isShown));
    const onPage = inList.slice(0, Math.min(request.perPage, largestPage));
    const shown = onPage.filter(({ row }) => !this.#strangers.has(row));
    for (const { row } of shown) row.isShownAgain ||= (row.returnedAt ?? Infinity) <= readAt;
    const hidden = onPage.at(-1)?.version.stamp;
    const hasMore = inList.length > onPage.length;
    const usual = shown.length === 0 && hidden ? hidden : this.#cursor(shown, after, now);
    const cursor = hasMore ? usual : (this.#lastPageCursor ?? usual);
    const repeated = this.#traits.repeats ? shown.slice(0, 1) : [];
    this.#reads += 1;
    const body = [...repeated, ...shown].map((item) => this.#shape(item, request));
    return {
      body: withDeepValues(JSON.stringify(body, (_key, value: unknown) => this.#write(value))),
      entities: body.length,
      hasMore,
      ...(cursor !== undefined && { lastSyncedAt: cursor }),
    };
  }

  /**
   * What it says of one entity.
   *
   * @throws ServiceError during an outage; ProtocolError when the entity is invalid.
   */
  entity({ path, ...request }: EntityRequest, now: number): EntityAnswer {
    const end = path.lastIndexOf('/');
    const list = path.slice(0, end);
    this.checkOutage(list);
    const isCopy = this.#luck.chance(0.5);
    const copiedAt = isCopy ? now - this.#luck.below(this.#traits.lagMs + 1) : now;
    // A copy that still lacks a project which is back says of its content that it is gone: see the guarantees.
    const { returnedAt = 0 } = this.#lists.byProject.get(path.split('/')[2] ?? '')?.project ?? {};
    const readAt = Math.max(copiedAt, Math.min(returnedAt, now));
    try {
      const asked = this.#lists.projects.rows.find(({ id }) => list + `/${id}` === path);
      if (asked?.hidden) return { verdict: 'forbidden' };
      const found = this.#whole(list, readAt).find(({ row }) => row.id === path.slice(end + 1));
      if (found === undefined) return { verdict: 'missing' };
      const shown = [this.#shape(found, { path: list, ...request, perPage: 1 })];
      const body = JSON.stringify(shown, (_key, value: unknown) => this.#write(value));
      const [entity] = validateEntities(parseJson(withDeepValues(body)) as unknown[]).entities;
      if (entity === undefined) throw new ProtocolError('GET: no entity', { hint: 'Wait.' });
      return { verdict: 'found', entity };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { verdict: error.status === 403 ? 'forbidden' : 'missing' };
    }
  }

  /** A list with all that it hides. */
  #whole(path: string, now: number): Shown[] {
    const isHidden = ({ hidden }: Row): boolean => hidden;
    const [, , id = ''] = path.split('/');
    const project = this.#lists.byProject.get(id);
    if (project && isHidden(project.project)) throw refused(path, 403);
    if (project === undefined) return this.#lists.projects.visible(now);
    return this.#readable(path, now, true);
  }

  #readable(path: string, now: number, isWhole = false): Shown[] {
    if (path === this.#lists.projects.path) {
      const strangers = [...this.#strangers].map((row) => ({ row, version: row.newest }));
      return [...strangers, ...this.#lists.projects.visible(now)];
    }
    const [, , id = '', name] = path.split('/');
    const project = this.#lists.byProject.get(id);
    if (project === undefined) throw refused(path, 404);
    const row = project.project;
    if (row.isGoneAt(now)) throw refused(path, 404);
    if (row.hidden && this.#traits.lostPermission === 'refused') throw refused(path, 403);
    const isDeleted = row.visible(now)?.object['deleted_at'] !== null;
    if (isDeleted && this.#traits.deletedProjectLists === 'not_found') throw refused(path, 404);
    if (row.hidden) return [];
    const list = name === 'floorplans' ? project.floorplans : project.checklists;
    const isShown = (n: number): boolean =>
      list.hides === 'none' || (list.hides === 'some' && n % 2 === 0);
    return isWhole ? list.visible(now) : list.visible(now).filter((_, n) => isShown(n));
  }

  #inOrder(rows: readonly Shown[]): Shown[] {
    const { tieOrder } = this.#traits;
    const ties =
      tieOrder === 'another on every read' ? this.#luck.shuffle(rows) : rows.toSorted(byId);
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
    // Where the page shows no time either, what lies between is lost: limit 6.
    const isTimed = rows.some(({ row }) => row.broken === undefined);
    const ahead = isTimed && last < clock ? clock : last;
    return { 'last item': last, absent: undefined, behind, ahead }[this.#traits.cursorHeader];
  }

  #shape({ row, version }: Shown, { path, query }: PageRequest): unknown {
    const signed = `https://files.example/${row.id}?signature=${this.#reads}`;
    if (row.broken !== undefined) return invalidValue(row.broken, signed);
    const { current_sheet, ...object } = version.object;
    if (row.showsBrokenItem(version)) {
      const items = object['template_check_items'] as readonly JsonObject[];
      const shown = items.map((each) =>
        each === row.brokenItem ? invalidValue(each, signed) : each,
      );
      return { ...object, template_check_items: shown };
    }
    if (!path.endsWith('/floorplans')) return object;
    return {
      ...object,
      // Signed addresses differ on every read, and are no change.
      preview_url: signed,
      ...(query?.['with_current_sheet'] === 'true' && { current_sheet }),
    };
  }

  /** Numbers in another form on each read. */
  #write(value: unknown): unknown {
    return isNumber(value) ? written(value, this.#reads) : value;
  }
}

function invalidValue(identity: JsonObject, signed: string): JsonObject {
  return { ...identity, ...(identity['id'] !== undefined && { preview_url: signed }) };
}

/** A value with more levels than an entity may have. Far deeper ones are read with rounded numbers. */
const DEEP_JSON = '['.repeat(1_000) + ']'.repeat(1_000);

function withDeepValues(json: string): string {
  return json.replaceAll(`"${NESTED_DEEPLY}":true`, `"${NESTED_DEEPLY}":${DEEP_JSON}`);
}

interface Shown {
  readonly row: Row;
  readonly version: Version;
}

/** A project of somebody else, older than all of ours. */
function strangerAt(hour: number): Row {
  const row = new Row(`stranger${hour}`);
  const stamp = new Date(Date.parse('2026-01-01T00:00:00.000Z') + hour * 3_600_000).toISOString();
  row.versions.push({
    stamp,
    stored: toFixedWidth(stamp),
    visibleAt: 0,
    isUnmoved: false,
    object: {},
  });
  return row;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byId = (a: Shown, b: Shown): number => compare(a.row.id, b.row.id);

function refused(path: string, status: number): ServiceError {
  return new ServiceError(`GET ${path} was answered with ${status}`, { status, hint: 'Wait.' });
}

function unavailable(path: string, retryAfterMs = 0, status = 503): ServiceError {
  const message = `GET ${path} was answered with ${status}`;
  return new ServiceError(message, { status, hint: 'Wait.', retryAfterMs });
}
