import { expect, it } from 'vitest';
import { EVENT_TYPES } from '../../../../functions/core/contract/index.ts';
import { Activity } from '../../../../infra/local/simulator/activity.ts';
import { CHANGES } from '../../../../infra/local/simulator/changes.ts';
import type { Row } from '../../../../infra/local/simulator/world/entity-list.ts';
import { seedWorld, type WorldSize } from '../../../../infra/local/simulator/world/seed.ts';
import { World } from '../../../../infra/local/simulator/world/world.ts';

interface Setup {
  readonly seed?: number;
  readonly size?: WorldSize;
  readonly commitDelayMs?: number;
}

function makeWorld({ seed = 1, size, commitDelayMs = 0 }: Setup = {}) {
  const clock = { time: Date.UTC(2024, 4, 1, 10) };
  const now = (): number => clock.time;
  const world = new World({ seed, now, behaviour: { commitDelayMs } });
  seedWorld(world, seed, size);
  const projectId = world.projects.all()[0]?.id ?? '';
  const activity = new Activity(world, seed);
  /** Makes changes, two a second. */
  const run = (seconds: number) =>
    Array.from({ length: seconds * 2 }, () => {
      clock.time += 500;
      return activity.step();
    });
  return { world, clock, projectId, run };
}

/** Everything that readers see. */
function contentsOf({ projects, floorplans, checklists }: World): readonly Row[] {
  return projects
    .all()
    .flatMap((project) => [
      project,
      ...floorplans.list(project.id).all(),
      ...checklists.list(project.id).all(),
    ]);
}

it('the same seed makes the same world and activity, another one another', () => {
  const [one, same, other] = [1, 1, 2].map((seed) => {
    const { world, run } = makeWorld({ seed });
    return JSON.stringify([run(60), contentsOf(world)]);
  });
  expect(same).toBe(one);
  expect(other).not.toBe(one);
});

it.each([1, 2, 3])('any 20 s of activity show every type of event: seed %i', (seed) => {
  const { run } = makeWorld({ seed });
  const steps = run(900);
  for (let start = 0; start + 40 <= steps.length; start += 1) {
    const names = steps.slice(start, start + 40);
    const seen = names.map((name) => name && CHANGES[name].type);
    expect(EVENT_TYPES.filter((type) => !seen.includes(type))).toEqual([]);
  }
});

it('activity leaves an entity alone for 15 s, so that each change is seen', () => {
  const { world, clock, run } = makeWorld();
  const known = new Map<string, string>();
  for (let step = 0; step < 600; step += 1) {
    run(0.5);
    for (const { id, updated_at } of contentsOf(world)) {
      const before = known.get(id) ?? updated_at;
      if (before !== updated_at)
        expect(clock.time - Date.parse(before)).toBeGreaterThanOrEqual(15_000);
      known.set(id, updated_at);
    }
  }
});

it('two versions of an entity never share a time, and times never decrease', () => {
  const { world, clock, projectId } = makeWorld();
  const { id, ...first } = world.floorplans.create(projectId, { name: 'Plan' });
  const other = world.floorplans.create(projectId, { name: 'Other' });
  expect(other.updated_at).toBe(first.updated_at);
  clock.time -= 60_000;
  const times = [1, 2, 3].map(() => world.floorplans.rotate(projectId, id).updated_at);
  expect([first.updated_at, ...new Set(times)]).toEqual([first.updated_at, ...times].toSorted());
});

it('a change of an item or a sheet changes its parent', () => {
  const { world, projectId } = makeWorld();
  const list = world.checklists.create(projectId, { name: 'List' });
  const withItem = world.checklists.addItem(projectId, list.id, { name: 'Item' });
  const plan = world.floorplans.create(projectId, { name: 'Plan' });
  const withSheet = world.floorplans.uploadSheet(projectId, plan.id);
  const turned = world.floorplans.rotate(projectId, plan.id);
  expect(withItem.updated_at > list.updated_at).toBe(true);
  expect(withSheet.updated_at > plan.updated_at).toBe(true);
  const { updated_at } = turned;
  expect(turned).toMatchObject({ rotation: 90, current_sheet: { rotation: 90, updated_at } });
});

it('a late commit is seen after its delay, with the time at which it was made', () => {
  const { world, clock, projectId } = makeWorld({ commitDelayMs: 5000 });
  const list = world.floorplans.list(projectId);
  const before = list.all().find(({ deleted_at }) => deleted_at === null);
  const id = before?.id ?? '';
  const changed = world.floorplans.list(projectId).update(id, { name: 'Late' });
  clock.time += 4999;
  expect(list.get(id)).toEqual(before);
  clock.time += 1;
  expect(list.get(id)).toEqual(changed);
  expect(changed.updated_at).toBe('2024-05-01T10:00:00.000Z');
});
