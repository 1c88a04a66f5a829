import { describe, expect, it } from 'vitest';
import { Activity, type ActivityOptions } from '../../../../infra/local/simulator/activity.ts';
import { behaviourSchema } from '../../../../infra/local/simulator/behaviour.ts';
import type { Row } from '../../../../infra/local/simulator/world/collection.ts';
import { seedWorld, type WorldSize } from '../../../../infra/local/simulator/world/seed.ts';
import { World } from '../../../../infra/local/simulator/world/world.ts';
import { TestClock } from './support.ts';

const POLL_MS = 5000;
/** Polls in any 20 seconds. */
const POLLS_IN_WINDOW = 4;

const EXPECTED = [
  'project created',
  'project updated',
  'project deleted',
  'floorplan created',
  'floorplan updated',
  'floorplan deleted',
  'floorplan restored',
  'checklist created',
  'checklist updated',
  'checklist deleted',
];

interface SiteOptions extends Partial<Pick<ActivityOptions, 'large' | 'additional'>> {
  readonly seed?: number;
  readonly rate?: number;
  readonly size?: WorldSize;
}

function makeSite({ seed = 1, rate = 2, size, ...options }: SiteOptions = {}) {
  const clock = new TestClock();
  const world = new World({ seed, now: clock.now, behaviour: behaviourSchema.parse({}) });
  seedWorld(world, seed, size);
  const activity = new Activity(world, { seed, rate, ...options });
  /** Lets time pass with changes at the rate. */
  const run = (milliseconds: number) => {
    const actions: (string | undefined)[] = [];
    for (let passed = 0; passed < milliseconds; passed += 1000 / rate) {
      clock.advance(1000 / rate);
      actions.push(activity.step());
    }
    return actions;
  };
  return { world, activity, clock, run };
}

/** The lists of a project. */
const contentOf = (world: World, { id }: Row) => ({
  floorplans: world.floorplans.list(id).all(),
  checklists: world.checklists.list(id).all(),
});

/** Polls the lists of all projects that are not deleted, and returns the changes. */
class Reader {
  readonly #known = new Map<string, Row>();

  poll(world: World): string[] {
    return world.projects.list.all().flatMap((project) => {
      const own = this.#compare('project', project);
      if (project.deleted_at !== null) return own;
      const { floorplans, checklists } = contentOf(world, project);
      return [
        ...own,
        ...floorplans.flatMap((row) => this.#compare('floorplan', row)),
        ...checklists.flatMap((row) => this.#compare('checklist', row)),
      ];
    });
  }

  #compare(kind: string, row: Row): string[] {
    const old = this.#known.get(row.id);
    this.#known.set(row.id, row);
    if (old?.updated_at === row.updated_at) return [];
    const is = row.deleted_at !== null;
    if (old === undefined) return is ? [] : [`${kind} created`];
    const was = old.deleted_at !== null;
    if (is) return [`${kind} ${was ? 'updated' : 'deleted'}`];
    return [`${kind} ${was ? 'restored' : 'updated'}`];
  }
}

describe('activity', () => {
  it.each([
    { seed: 1, rate: 2 },
    { seed: 2, rate: 2 },
    { seed: 3, rate: 2 },
  ])('shows every kind of change in any 20 s to who polls every 5 s: %j', (options) => {
    const { world, run } = makeSite(options);
    const reader = new Reader();
    // So that polls and the activity's rounds do not start together.
    run(1700);
    reader.poll(world);
    const polls = Array.from({ length: 120 }, () => {
      run(POLL_MS);
      return reader.poll(world);
    });
    for (let start = 0; start + POLLS_IN_WINDOW <= polls.length; start += 1) {
      const seen = new Set(polls.slice(start, start + POLLS_IN_WINDOW).flat());
      const missing = EXPECTED.filter((change) => !seen.has(change));
      expect({ start, missing }).toEqual({ start, missing: [] });
    }
  });

  it('also edits items, rotates floorplans, uploads sheets and restores', () => {
    const actions = new Set(makeSite().run(300_000));
    const rare = [
      'rotate floorplan',
      'upload sheet',
      'add item',
      'rename item',
      'delete item',
      'restore checklist',
      'restore project',
    ];
    expect([...actions]).toEqual(expect.arrayContaining(rare));
  });

  it('is the same for the same seed and another for another', () => {
    const [one, same, other] = [1, 1, 2].map((seed) => {
      const { world, run } = makeSite({ seed });
      const actions = run(60_000);
      return JSON.stringify([actions, world.projects.list.all()]);
    });
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('leaves an entity alone for 15 s after each change', () => {
    const { world, run } = makeSite();
    const last = new Map<string, string>();
    for (let step = 0; step < 1200; step += 1) {
      run(500);
      for (const project of world.projects.list.all()) {
        const { floorplans, checklists } = contentOf(world, project);
        for (const { id, updated_at } of [project, ...floorplans, ...checklists]) {
          const before = last.get(id);
          last.set(id, updated_at);
          if (before === undefined || before === updated_at) continue;
          expect(Date.parse(updated_at) - Date.parse(before)).toBeGreaterThanOrEqual(15_000);
        }
      }
    }
    expect(last.size).toBeGreaterThan(200);
  });

  it('does not delete the projects that last', () => {
    const { world, run } = makeSite();
    const lasting = world.projects.list.all().slice(0, 6);
    run(3_600_000);
    for (const { id } of lasting) {
      expect(world.projects.list.get(id)?.deleted_at).toBeNull();
    }
    const deleted = world.projects.list.all().filter((project) => project.deleted_at !== null);
    expect(deleted.length).toBeGreaterThan(30);
  });

  it('restores projects rather than to fill the account with deleted ones', () => {
    const { world, run } = makeSite();
    run(2 * 3_600_000);
    const { size, alive } = world.projects.list;
    expect(size - alive).toBeGreaterThan(70);
    expect(size - alive).toBeLessThan(90);
    expect(new Set(run(60_000))).toContain('delete project');
  });

  it('holds the number of entities that are not deleted', () => {
    const { world, run } = makeSite();
    const count = () => {
      const alive = world.projects.list.all().filter((project) => project.deleted_at === null);
      return {
        projects: alive.length,
        floorplans: sum(alive.map(({ id }) => world.floorplans.list(id).alive)),
        checklists: sum(alive.map(({ id }) => world.checklists.list(id).alive)),
      };
    };
    const before = count();
    run(3_600_000);
    const after = count();
    expect(after.projects).toBeLessThan(before.projects + 8);
    expect(after.floorplans).toBeLessThan(before.floorplans * 1.5);
    expect(after.checklists).toBeLessThan(before.checklists * 1.5);
    expect(after.floorplans).toBeGreaterThan(before.floorplans * 0.5);
    expect(after.checklists).toBeGreaterThan(before.checklists * 0.5);
  });

  it('builds up a world that is too small for it', () => {
    const { world, run } = makeSite({ size: { projects: 0, shortProjects: 0 } });
    run(120_000);
    const reader = new Reader();
    reader.poll(world);
    const seen: string[] = [];
    for (let poll = 0; poll < 12; poll += 1) {
      run(POLL_MS);
      seen.push(...reader.poll(world));
    }
    expect(EXPECTED.filter((change) => !seen.includes(change))).toEqual([]);
  });

  it.each([0, -1, 101, Number.NaN])('refuses the rate %s', (rate) => {
    const { activity } = makeSite();
    expect(() => {
      activity.start(rate);
    }).toThrow(`above 0 and at most 100, got ${rate}`);
    expect(activity.running).toBe(false);
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

describe('the activity of a service that shows all', () => {
  it('creates and finishes tasks, and describes some floorplans at length', () => {
    const { world, run } = makeSite({ large: true, additional: true });
    expect(run(60_000)).toEqual(
      expect.arrayContaining(['create task', 'finish task', 'describe floorplan']),
    );
    const projects = world.projects.list.all();
    const tasks = projects.flatMap(({ id }) => world.tasks.list(id).all());
    expect(new Set(tasks.map(({ status }) => status))).toEqual(new Set(['open', 'done']));
    const lengths = projects.flatMap((project) =>
      contentOf(world, project).floorplans.map(({ description }) => description?.length ?? 0),
    );
    // An event of this size does not fit into a message.
    expect(Math.max(...lengths)).toBeGreaterThan(256 * 1024);
  });

  it('has neither without being asked', () => {
    const actions = makeSite().run(60_000);
    expect(actions.filter((action) => / task$|^describe/.test(action ?? ''))).toEqual([]);
  });
});
