import type { Random } from '../../infra/local/service/world/random.ts';
import { validateEntities, type JsonObject } from '../../functions/core/model/entity.ts';
import { FeedRefusedError } from '../../functions/core/model/errors.ts';
import type { Page, PageRequest } from '../../functions/core/ports/service-api.ts';
import type { ServiceTraits } from './history.ts';
import { NESTED_DEEPLY, type List, type ProjectRows, type Row, type Version } from './truth.ts';

/** The lists there are. */
export interface Lists {
  readonly projects: List;
  readonly byProject: ReadonlyMap<string, ProjectRows>;
}

/** A page as it goes over the wire. */
export interface PageAnswer extends Pick<Page, 'hasMore' | 'lastSyncedAt'> {
  readonly body: readonly unknown[];
}

/** Answers page requests by the spec, and by the traits where the spec leaves it open. */
export class SimulatedService {
  readonly #lists: Lists;
  readonly #traits: ServiceTraits;
  readonly #luck: Random;
  #reads = 0;
  #isCalm = false;

  constructor(lists: Lists, traits: ServiceTraits, luck: Random) {
    this.#lists = lists;
    this.#traits = traits;
    this.#luck = luck;
  }

  /** Whether answers have a `Date`. */
  get hasDates(): boolean {
    return this.#traits.dates;
  }

  /** True when faults have stopped. */
  get isCalm(): boolean {
    return this.#isCalm;
  }

  /** Stops all faults. */
  calmDown(): void {
    this.#isCalm = true;
  }

  /** The time by the service's clock, in milliseconds since 1970. */
  clockAt(now: number): number {
    return now + this.#traits.skewMs;
  }

  /**
   * Reads a page.
   *
   * @param now virtual time at which the list is read.
   * @throws FeedRefusedError when the list may not be read.
   */
  page(request: PageRequest, now: number): Page {
    const { body, ...rest } = this.answer(request, now);
    return { ...validateEntities(body.map(withDeepValue)), ...rest };
  }

  /** Reads a page as it goes over the wire; see {@link page}. */
  answer(request: PageRequest, now: number): PageAnswer {
    const { filter, largestPage } = this.#traits;
    const { lastSyncedAt: after } = request;
    const isShown = ({ version: { stamp } }: Shown): boolean =>
      after === undefined || stamp > after || (filter === '>=' && stamp === after);
    const isCopy = this.#luck.chance(0.5);
    const readAt = isCopy ? now - this.#luck.below(this.#traits.lagMs + 1) : now;
    const shown = this.#inOrder(this.#readable(request.path, readAt).filter(isShown));
    const onPage = shown.slice(0, Math.min(request.perPage, largestPage));
    const cursor = this.#cursor(onPage, after, now);
    const repeated = this.#traits.repeats ? onPage.slice(0, 1) : [];
    this.#reads += 1;
    return {
      body: [...onPage, ...repeated].map((item) => this.#shape(item, request)),
      hasMore: shown.length > onPage.length,
      ...(cursor !== undefined && { lastSyncedAt: cursor }),
    };
  }

  #readable(path: string, now: number): Shown[] {
    if (path === this.#lists.projects.path) return this.#lists.projects.visible(now);
    const [, , id = '', name] = path.split('/');
    const project = this.#lists.byProject.get(id);
    if (project === undefined) throw refused(path, 404);
    const row = project.project;
    if (row.hidden && this.#traits.lostPermission === 'refused') throw refused(path, 403);
    const isDeleted = row.visible(now)?.object['deleted_at'] !== null;
    if (isDeleted && this.#traits.deletedProjectLists === 'not_found') throw refused(path, 404);
    if (row.hidden) return [];
    return (name === 'floorplans' ? project.floorplans : project.checklists).visible(now);
  }

  #inOrder(rows: readonly Shown[]): Shown[] {
    const { tieOrder } = this.#traits;
    const ties =
      tieOrder === 'another on every read' ? this.#luck.shuffle(rows) : rows.toSorted(byId);
    if (tieOrder === 'by id, backwards') ties.reverse();
    return ties.sort((a, b) => compare(a.version.stamp, b.version.stamp));
  }

  #cursor(rows: readonly Shown[], after: string | undefined, now: number): string | undefined {
    const last = rows.at(-1)?.version.stamp;
    const clock = new Date(this.clockAt(now)).toISOString();
    if (last === undefined) {
      return { echo: after, now: clock, absent: undefined }[this.#traits.emptyPageCursor];
    }
    const behind = rows[0]?.version.stamp;
    return { 'last item': last, absent: undefined, behind, ahead: last > clock ? last : clock }[
      this.#traits.cursorHeader
    ];
  }

  #shape({ row, version }: Shown, { path, query }: PageRequest): unknown {
    const signed = `https://files.example/${row.id}?signature=${this.#reads}`;
    if (row.broken !== undefined) return invalidValue(row.broken, signed);
    const { current_sheet, ...object } = structuredClone(version.object);
    if (!path.endsWith('/floorplans')) return object;
    return {
      ...object,
      // Signed addresses differ on every read, and are no change.
      preview_url: signed,
      ...(query?.['with_current_sheet'] === 'true' && { current_sheet }),
    };
  }
}

function invalidValue(identity: JsonObject, signed: string): JsonObject {
  return { ...identity, ...(identity['id'] !== undefined && { preview_url: signed }) };
}

/** The JSON of a deeply nested value, which cannot be written by recursion. */
const DEEP_JSON = '['.repeat(20_000) + ']'.repeat(20_000);

/** The JSON of a page's body. */
export function bodyJson(body: unknown): string {
  return JSON.stringify(body).replaceAll(
    `"${NESTED_DEEPLY}":true`,
    `"${NESTED_DEEPLY}":${DEEP_JSON}`,
  );
}

function withDeepValue(value: unknown): unknown {
  const isDeep = (value as JsonObject)[NESTED_DEEPLY] === true;
  return isDeep
    ? { ...(value as JsonObject), [NESTED_DEEPLY]: JSON.parse(DEEP_JSON) as unknown }
    : value;
}

interface Shown {
  readonly row: Row;
  readonly version: Version;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const byId = (a: Shown, b: Shown): number => compare(a.row.id, b.row.id);

function refused(path: string, status: number): FeedRefusedError {
  return new FeedRefusedError(`GET ${path} was answered with ${status}`, { status, hint: 'Wait.' });
}
