import { describe, expect, it } from 'vitest';
import { behaviourSchema } from '../../../../../infra/local/simulator/behaviour.ts';
import type { Row } from '../../../../../infra/local/simulator/world/collection.ts';
import { seedWorld, type WorldSize } from '../../../../../infra/local/simulator/world/seed.ts';
import { World } from '../../../../../infra/local/simulator/world/world.ts';
import { firstOf, pickRow, TestClock } from '../support.ts';

interface Setup {
  readonly seed?: number;
  readonly size?: WorldSize;
  readonly behaviour?: Parameters<typeof behaviourSchema.parse>[0];
}

function makeWorld({ seed = 1, size, behaviour: input = {} }: Setup = {}) {
  const clock = new TestClock();
  const behaviour = behaviourSchema.parse(input);
  const world = new World({ seed, now: clock.now, behaviour });
  seedWorld(world, seed, size);
  return { world, clock, behaviour, projectId: firstOf(world.projects.list.all()).id };
}

/** Everything that readers see. */
function contents(world: World) {
  const projects = world.projects.list.all();
  return projects.map((project) => ({
    project,
    floorplans: world.floorplans.list(project.id).all(),
    checklists: world.checklists.list(project.id).all(),
  }));
}

describe('the first world', () => {
  it('is the same for the same seed and another for another', () => {
    const [one, same, other] = [1, 1, 2].map((seed) =>
      JSON.stringify(contents(makeWorld({ seed }).world)),
    );
    expect(same).toBe(one);
    expect(other).not.toBe(one);
  });

  it('has the requested size, with deleted entities in each list', () => {
    const size = { projects: 3, shortProjects: 1, floorplans: 8, checklists: 2, items: 5 };
    const all = contents(makeWorld({ size }).world);
    // Three that last, one that may be deleted, one that is.
    expect(all).toHaveLength(5);
    expect(all.filter(({ project }) => project.deleted_at !== null)).toHaveLength(1);
    for (const { floorplans, checklists } of all) {
      expect(floorplans).toHaveLength(8);
      expect(checklists).toHaveLength(2);
      expect(floorplans.some((row) => row.deleted_at !== null)).toBe(true);
      expect(checklists.some((row) => row.deleted_at !== null)).toBe(true);
      for (const checklist of checklists) expect(checklist.template_check_items).toHaveLength(5);
    }
  });

  it('lies in the 30 days before its start, without the last hour', () => {
    const { world, clock } = makeWorld();
    const times = contents(world).flatMap(({ project, floorplans, checklists }) =>
      [project, ...floorplans, ...checklists].map(({ updated_at }) => Date.parse(updated_at)),
    );
    expect(Math.min(...times)).toBeGreaterThanOrEqual(clock.time - 30 * 86_400_000);
    expect(Math.max(...times)).toBeLessThanOrEqual(clock.time - 3_600_000);
  });

  it('may be empty', () => {
    const size = { projects: 0, shortProjects: 0 };
    const world = new World({ seed: 1, now: Date.now, behaviour: behaviourSchema.parse({}) });
    seedWorld(world, 1, size);
    expect(world.projects.list.size).toBe(0);
  });
});

describe('updated_at', () => {
  it('is never the same for two versions of one entity, however fast they follow', () => {
    for (const roundTimestampsMs of [1, 60_000]) {
      const { world, projectId } = makeWorld({ behaviour: { roundTimestampsMs } });
      const { id } = world.floorplans.create(projectId, { name: 'Plan' });
      const versions = Array.from(
        { length: 20 },
        () => world.floorplans.rotate(projectId, id).updated_at,
      );
      expect(new Set(versions).size).toBe(20);
      expect(versions).toEqual(versions.toSorted());
    }
  });

  it('does not step back from one change to the next, even when the clock does', () => {
    const { world, clock, projectId } = makeWorld();
    const before = world.floorplans.create(projectId, { name: 'A' });
    clock.advance(-60_000);
    const after = world.floorplans.create(projectId, { name: 'B' });
    expect(after.updated_at >= before.updated_at).toBe(true);
  });

  it('is shared by different entities that change in the same millisecond', () => {
    const { world, projectId } = makeWorld();
    const one = world.floorplans.create(projectId, { name: 'A' });
    const other = world.floorplans.create(projectId, { name: 'B' });
    expect(other.updated_at).toBe(one.updated_at);
  });

  it('is rounded down to roundTimestampsMs, so that more entities share it', () => {
    const { world, clock, projectId } = makeWorld({ behaviour: { roundTimestampsMs: 1000 } });
    const times = Array.from({ length: 5 }, () => {
      clock.advance(190);
      return world.floorplans.create(projectId, { name: 'A' }).updated_at;
    });
    expect(new Set(times)).toEqual(new Set(['2024-05-01T10:00:00.000Z']));
  });

  it('is the same for all changes made at once', () => {
    const { world, clock, projectId } = makeWorld();
    const times = world.atOnce(() =>
      Array.from({ length: 5 }, () => {
        clock.advance(1000);
        return world.floorplans.create(projectId, { name: 'A' }).updated_at;
      }),
    );
    expect(new Set(times).size).toBe(1);
  });
});

describe('a template check item', () => {
  const setup = () => {
    const made = makeWorld();
    const { world, projectId } = made;
    const checklist = pickRow(world.checklists.list(projectId));
    const item = firstOf(checklist.template_check_items);
    const at = { projectId, checklistId: checklist.id, itemId: item.id };
    made.clock.advance(1000);
    return { ...made, checklist, item, at };
  };

  it('changes the version of its checklist too', () => {
    const { world, checklist, at } = setup();
    const after = world.checklists.updateItem(at, { name: 'Checked twice' }, 42);
    expect(after).toMatchObject({
      updated_at: '2024-05-01T10:00:01.000Z',
      last_editor_user_id: 42,
    });
    expect(after.template_check_items[0]).toMatchObject({
      name: 'Checked twice',
      updated_at: '2024-05-01T10:00:01.000Z',
    });
    expect(after.template_check_items.slice(1)).toEqual(checklist.template_check_items.slice(1));
  });

  it('stays in its checklist when it is deleted, and can be restored', () => {
    const { world, at } = setup();
    const gone = world.checklists.removeItem(at, 42).template_check_items[0];
    expect(gone).toMatchObject({ id: at.itemId, deleted_at: '2024-05-01T10:00:01.000Z' });
    expect(() => world.checklists.updateItem(at, { name: 'x' }, 42)).toThrow(/is deleted/);
    const back = world.checklists.restoreItem(at, 42).template_check_items[0];
    expect(back).toMatchObject({ id: at.itemId, deleted_at: null });
  });

  it('leaves its checklist alone when nothing changes', () => {
    const { world, checklist, item, at } = setup();
    expect(world.checklists.updateItem(at, { name: item.name }, 42)).toBe(checklist);
    expect(world.checklists.restoreItem(at, 42)).toBe(checklist);
  });
});

describe('a late commit', () => {
  const late = { lateCommits: { probability: 1, delayMs: 5000 } };

  it('is seen after its delay, with the time at which it was made', () => {
    const { world, clock, projectId } = makeWorld({ behaviour: late });
    const list = world.floorplans.list(projectId);
    const before = pickRow(list);
    const changed = world.floorplans.update(projectId, before.id, { name: 'Late' });
    clock.advance(4999);
    expect(list.get(before.id)).toEqual(before);
    clock.advance(1);
    expect(list.get(before.id)).toEqual(changed);
    expect(changed.updated_at).toBe('2024-05-01T10:00:00.000Z');
    expect(list.all().at(-1)).toEqual(changed);
  });

  it('can appear after a younger change', () => {
    const { world, clock, behaviour, projectId } = makeWorld({ behaviour: late });
    const list = world.floorplans.list(projectId);
    const hidden = world.floorplans.create(projectId, { name: 'Hidden' });
    behaviour.lateCommits.probability = 0;
    clock.advance(1000);
    const seen = world.floorplans.create(projectId, { name: 'Visible' });
    expect(list.all().at(-1)).toEqual(seen);
    expect(list.get(hidden.id)).toBeUndefined();
    clock.advance(4000);
    expect(list.all().slice(-2)).toEqual([hidden, seen]);
  });

  it('is seen early when the same entity changes again', () => {
    const { world, projectId } = makeWorld({ behaviour: late });
    const { id } = pickRow(world.floorplans.list(projectId));
    const one = world.floorplans.update(projectId, id, { name: 'One' });
    const two = world.floorplans.update(projectId, id, { name: 'Two' });
    expect(world.floorplans.list(projectId).get(id)).toEqual(one);
    expect(two.updated_at > one.updated_at).toBe(true);
  });

  it('does not hide the first world', () => {
    expect(contents(makeWorld({ behaviour: late }).world)).toEqual(contents(makeWorld().world));
  });
});

describe('a refused change', () => {
  const nobody = '00000000-0000-4000-8000-000000000000';

  it('names the entity and changes nothing', () => {
    const { world, projectId } = makeWorld();
    const deleted = pickRow(world.floorplans.list(projectId), 'deleted').id;
    const before = JSON.stringify(contents(world));
    const { projects, floorplans, checklists } = world;
    const item = { projectId, checklistId: pickRow(checklists.list(projectId)).id, itemId: nobody };
    const attempts: [() => Row, string][] = [
      [() => projects.update(nobody, {}), `there is no project with id ${nobody}`],
      [() => floorplans.remove(projectId, nobody), `there is no floorplan with id ${nobody}`],
      [() => floorplans.rotate(projectId, deleted), `the floorplan with id ${deleted} is deleted`],
      [() => checklists.create(nobody, { name: 'x' }, 1), `there is no project with id ${nobody}`],
      [() => checklists.removeItem(item, 1), `there is no template check item with id ${nobody}`],
    ];
    for (const [attempt, message] of attempts) expect(attempt).toThrow(message);
    expect(JSON.stringify(contents(world))).toBe(before);
  });
});
