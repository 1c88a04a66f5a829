import type { JsonObject } from '../../../functions/core/model/entity.ts';
import { toFixedWidth } from '../../../functions/core/model/timestamp.ts';
import type { History } from '../history/history.ts';
import type { Act } from '../history/steps.ts';
import { skewOf } from '../history/traits.ts';
import type { Lists } from './service.ts';
import { List, Row, sheetShown, type Item, type ProjectRows } from './truth.ts';

/** Entities of an import, at one timestamp: more than most pages of a history hold. */
const IMPORTED = 7;
const FUTURE_MS = 30 * 86_400_000;
/** The account of all projects. */
export const ACCOUNT = 17;

/** The data of the service: the truth that the notifier has to find. */
export class BuildingSite implements Lists {
  readonly projects = new List('/projects');
  readonly byProject = new Map<string, ProjectRows>();
  readonly #history: History;
  readonly #now: () => number;
  #named = 0;
  #storedCount = 0;
  /** Age of the initial entities. */
  #agoMs = 3_600_000;

  /** @param now virtual time. */
  constructor(history: History, now: () => number) {
    this.#history = history;
    this.#now = now;
    for (let p = 0; p < history.projects; p += 1) {
      const project = this.#createProject(0);
      for (let n = 0; n < history.floorplans; n += 1) this.#createFloorplan(project, 0);
      for (let n = 0; n < history.checklists; n += 1) this.#createChecklist(project, 0);
    }
    this.#agoMs = 0;
  }

  /** All lists. */
  get lists(): List[] {
    return [this.projects, ...this.all.map(({ list }) => list)];
  }

  /** All lists below projects. */
  get all(): { readonly project: Row; readonly list: List }[] {
    return [...this.byProject.values()].flatMap(({ project, floorplans, checklists }) => [
      { project, list: floorplans },
      { project, list: checklists },
    ]);
  }

  /** Makes a change, if there is something to change. */
  change({ what, which, late }: Extract<Act, { kind: 'change' }>): void {
    const [verb = '', noun] = what.split(' ');
    if (this.#history.isPlain && ['import', 'predate', 'break'].includes(verb)) return;
    if (what === 'create project') this.#createProject(late);
    const projects = [...this.byProject.values()];
    const project = projects[which % projects.length];
    if (project === undefined) return;
    if (what === 'hide project') this.#toggleAccess(project.project);
    else if (what === 'create floorplan') this.#createFloorplan(project, late);
    else if (what === 'import floorplans') this.#importFloorplans(project, late);
    else if (what === 'break floorplan') this.#breakFloorplan(project, late);
    else if (what === 'create checklist') this.#createChecklist(project, late);
    else if (noun === 'project') this.#edit(verb, project.project, late);
    else if (noun === 'floorplan') this.#edit(verb, this.pick('floorplans', which), late);
    else if (noun === 'checklist') this.#edit(verb, this.pick('checklists', which), late);
    else if (noun === 'sheet') this.#changeSheet(verb, this.pick('floorplans', which), late);
    else this.#changeItem(verb, this.pick('checklists', which), which, late);
    // Visible at once, though it changes after a late commit.
    const after = new Date(this.#clock() + 20).toISOString();
    if (late > 0 && noun === 'floorplan') this.#createFloorplan(project, 0, after);
  }

  #toggleAccess(project: Row): void {
    project.hidden = !project.hidden;
    if (!project.hidden) project.grantedAt = this.#now();
  }

  #edit(verb: string, row: Row | undefined, late: number): void {
    if (row === undefined) return;
    if (verb === 'touch') this.#save(row, late);
    if (verb === 'rename')
      this.#save(row, late, () => ({ name: this.#name('name'), size: this.#named }));
    if (verb === 'remove')
      this.#save(row, late, (stamp) => ({ deleted_at: row.isDeleted ? null : stamp }));
    // Without the service's clock nobody knows the future from now: limit 5.
    const hasClock = this.#history.service.dates !== 'never';
    if (verb === 'predate' && hasClock) this.#save(row, late, undefined, FUTURE_MS);
  }

  #changeSheet(verb: string, row: Row | undefined, late: number): void {
    if (row === undefined || !this.#history.notifier.sheets) return;
    const former = row.versions.findLast((version) => {
      const sheet = sheetShown(version);
      return sheet !== null && sheet !== sheetShown(row.newest);
    });
    this.#save(row, late, (stamp) => {
      if (verb === 'remove') return { current_sheet: null };
      if (verb === 'return' && former) return { current_sheet: sheetShown(former) };
      const id = this.#name('s');
      return { current_sheet: { id, updated_at: stamp, deleted_at: null, file: id } };
    });
  }

  #changeItem(verb: string, row: Row | undefined, which: number, late: number): void {
    if (row === undefined) return;
    const items = [...row.items.values()];
    const hidden = verb === 'hide' ? items.find((item) => item.hidden) : undefined;
    const item = verb === 'add' ? undefined : (hidden ?? items[which % items.length]);
    if (verb === 'add' || item) this.#saveItem(row, verb, late, item);
  }

  /** An entity that is valid and still there. */
  pick(kind: 'projects' | 'floorplans' | 'checklists', which: number): Row | undefined {
    const lists = this.lists.filter(({ path }) => path.endsWith(kind));
    const valid = lists.flatMap(({ kept }) => kept).filter(({ broken }) => broken === undefined);
    return valid[which % valid.length];
  }

  #createProject(late: number): ProjectRows {
    const id = this.#name('p');
    const project = this.#add(this.projects, id, { account_id: ACCOUNT }, late);
    const lists = {
      project,
      floorplans: new List(`/projects/${id}/floorplans`),
      checklists: new List(`/projects/${id}/template_checklists`),
    };
    this.byProject.set(id, lists);
    return lists;
  }

  #createFloorplan({ project, floorplans }: ProjectRows, late: number, stamp?: string): void {
    this.#add(floorplans, this.#name('f'), this.#floorplanOf(project), late, stamp);
  }

  #createChecklist({ project, checklists }: ProjectRows, late: number): void {
    const id = this.#name('c');
    const fields = { project_id: project.id, template_check_items: [] };
    this.#saveItem(this.#add(checklists, id, fields, late), 'add', late);
  }

  #importFloorplans(project: ProjectRows, late: number): void {
    const stamp = this.#stamp();
    for (let n = 0; n < IMPORTED; n += 1) this.#createFloorplan(project, late, stamp);
  }

  #floorplanOf({ id }: Row): JsonObject {
    return { project_id: id, ...(this.#history.notifier.sheets && { current_sheet: null }) };
  }

  #breakFloorplan({ floorplans }: ProjectRows, late: number): void {
    const id = this.#name('b');
    const stamp = this.#stamp();
    const row = new Row(id, { id, updated_at: 'yesterday' });
    floorplans.rows.push(row);
    this.#push(row, stamp, {}, late);
  }

  #add(list: List, id: string, fields: JsonObject, late: number, stamp = this.#stamp()): Row {
    const row = new Row(id);
    list.rows.push(row);
    this.#push(row, stamp, { id, name: id, size: this.#named, deleted_at: null, ...fields }, late);
    return row;
  }

  /** @param change makes the changed fields, by the time of the change. */
  #save(row: Row, late: number, change?: (stamp: string) => JsonObject, ahead = 0): void {
    const stamp = this.#stamp(row.newest.stamp, ahead);
    const fields = { ...row.newest.object, ...change?.(stamp) };
    this.#push(row, stamp, { ...fields, ...this.#listOf(row) }, late);
  }

  #saveItem(row: Row, verb: string, late: number, existing?: Item): void {
    const item = existing ?? { object: { id: this.#name('i') }, hidden: false };
    const stamp = this.#stamp(row.newest.stamp);
    row.items.set(String(item.object['id']), item);
    if (verb === 'hide') item.hidden = !item.hidden;
    else item.object = this.#itemAt(stamp, verb, item.object);
    this.#push(row, stamp, { ...row.newest.object, ...this.#listOf(row) }, late);
  }

  #itemAt(stamp: string, verb: string, before: JsonObject): JsonObject {
    const id = before['id'];
    const name = verb === 'rename' ? this.#name('name') : (before['name'] ?? id);
    const deletedAt = before['deleted_at'] ?? null;
    const size = verb === 'rename' ? this.#named : (before['size'] ?? 0);
    const deleted_at = verb === 'remove' ? (deletedAt === null ? stamp : null) : deletedAt;
    return { id, name, size, updated_at: stamp, deleted_at };
  }

  #listOf(row: Row): JsonObject {
    return row.items.size > 0 ? { template_check_items: this.#itemsOf(row) } : {};
  }

  #itemsOf(row: Row): JsonObject[] {
    const isLeftOut = (item: Item): boolean =>
      item.hidden ||
      (this.#history.service.deletedItems === 'left_out' && item.object['deleted_at'] !== null);
    const items = [...row.items.values()].filter((item) => !isLeftOut(item));
    return items.map(({ object }) => object);
  }

  #push(row: Row, stamp: string, object: JsonObject, late: number): void {
    const age = this.#clock() - Date.parse(stamp);
    const latest = Math.min(Math.max(0, this.#spareMs - age), this.#spareMs);
    // The first entities were visible long before to copies that lag, too.
    const visibleAt = this.#now() - this.#agoMs + Math.floor(late * latest);
    const stored = this.#stored(stamp);
    row.versions.push({ stamp, stored, visibleAt, object: { ...object, updated_at: stamp } });
  }

  /** How late a change may be committed: copies that lag show it later. */
  get #spareMs(): number {
    return this.#history.notifier.lookbackMs - this.#history.service.lagMs;
  }

  /** The time of a change. Times that are cut coarsely must appear within the lookback, too. */
  #stamp(previous?: string, ahead = 0): string {
    const { roundMs } = this.#history.service;
    const unitMs = roundMs <= this.#spareMs ? roundMs : 1;
    const time = Math.floor((this.#clock() + ahead) / unitMs) * unitMs;
    const after = previous === undefined ? 0 : Date.parse(previous) + 1;
    return new Date(Math.max(time, after)).toISOString();
  }

  /** The time that is stored for a time that is shown, anywhere within the millisecond. */
  #stored(stamp: string): string {
    const { shown } = this.#history.service;
    if (shown === 'as stored') return toFixedWidth(stamp);
    this.#storedCount += 1;
    const thousandths = (this.#storedCount * 377) % 1000;
    const microseconds = thousandths - (shown === 'rounded' ? 500 : 0);
    const [ms, rest] = [Math.floor(microseconds / 1000), (microseconds + 1000) % 1000];
    const time = new Date(Date.parse(stamp) + ms).toISOString();
    return toFixedWidth(time.replace('Z', `${String(rest).padStart(3, '0')}Z`));
  }

  #clock(): number {
    return this.#now() - this.#agoMs + skewOf(this.#history.service);
  }

  #name(prefix: string): string {
    this.#named += 1;
    // Every third of the first entities shares its time with the one before.
    if (this.#agoMs > 0 && this.#named % 3 > 0) this.#agoMs -= 7_000;
    return `${prefix}${this.#named}`;
  }
}
