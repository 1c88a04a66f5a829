import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAULT_NAMES } from '../../../../infra/local/console/protocol.ts';
import {
  activeFaults,
  beginFault,
  isSwitchedOff,
  switchOn,
} from '../../../../infra/local/console/session/faults.ts';
import { ServiceSite } from '../../../../infra/local/console/session/service-site.ts';
import type { ChangeName } from '../../../../infra/local/simulator/changes.ts';
import { startSimulator, type Simulator } from '../../../../infra/local/simulator/simulator.ts';

let service: Simulator;
let site: ServiceSite;
let projectId: string;

beforeAll(async () => {
  service = await startSimulator();
  site = new ServiceSite(service);
  projectId = site.change({ change: 'create project', name: 'Depot' });
});

beforeEach(() => {
  service.behaviour.faults = [];
});

afterAll(() => service.close());

describe('the site that the console changes', () => {
  it('creates, renames, rotates, deletes and restores entities of each kind', () => {
    const plan = site.change({ change: 'create floorplan', id: projectId, name: 'A' });
    const list = site.change({ change: 'create checklist', id: projectId, name: 'B' });
    const item = site.change({ change: 'add item', id: list, name: 'C' });
    site.change({ change: 'rotate floorplan', id: plan });
    for (const [kind, id] of Object.entries({ item, floorplan: plan, checklist: list })) {
      for (const action of ['rename', 'delete', 'restore']) {
        const change = `${action} ${kind}` as ChangeName;
        site.change({ change, id, ...(action === 'rename' && { name: `${kind} 2` }) });
      }
    }
    expect(site.readProject(projectId)).toEqual({
      floorplans: [{ id: plan, name: 'floorplan 2', isDeleted: false, rotation: 90 }],
      checklists: [
        {
          ...{ id: list, name: 'checklist 2', isDeleted: false },
          items: [{ id: item, name: 'item 2', isDeleted: false }],
        },
      ],
    });
    expect(site.readProjects()).toContainEqual({ id: projectId, name: 'Depot', isDeleted: false });
  });

  it('says why the service refuses a change', () => {
    for (const name of ['x'.repeat(256), '   ', '']) {
      expect(() => site.change({ change: 'rename project', id: projectId, name })).toThrow(
        `A name has 1 to 255 characters, yours has ${name.trim().length}.`,
      );
    }
    expect(() => site.change({ change: 'rotate floorplan', id: 'gone' })).toThrow(
      'There is no entity to rotate floorplan.',
    );
    site.change({ change: 'delete project', id: projectId });
    expect(() => site.change({ change: 'rename project', id: projectId, name: 'Q' })).toThrow(
      `The service refused it: the project with id ${projectId} is deleted.`,
    );
    site.change({ change: 'restore project', id: projectId });
  });
});

describe('a fault', () => {
  it('switches the service on again, and leaves other faults alone', () => {
    beginFault(service, 'switched-off');
    beginFault(service, 'slow');
    expect(isSwitchedOff(service)).toBe(true);
    switchOn(service);
    expect(isSwitchedOff(service)).toBe(false);
    expect(activeFaults(service)).toEqual([
      { label: 'answers slowly', isSwitchedOff: false, left: 8 },
    ]);
  });

  it.each(FAULT_NAMES)('begins and is told in words: %s', (name) => {
    const { text, ids } = beginFault(service, name);
    expect(text).toMatch(/^\S.*\.$/);
    const isChange = name === 'late-commit' || name === 'tie';
    expect(ids.length > 0).toBe(isChange);
    expect(activeFaults(service).length > 0).toBe(!isChange && name !== 'unauthorized');
  });

  it('changes five floorplans in one millisecond, as a tie', () => {
    const { ids } = beginFault(service, 'tie');
    const { projects, floorplans } = service.world;
    const plans = projects.list.all().flatMap(({ id }) => floorplans.list(id).all());
    const times = plans.filter(({ id }) => ids.includes(id)).map((plan) => plan.updated_at);
    expect(times).toHaveLength(5);
    expect(new Set(times).size).toBe(1);
  });

  it('shows a late commit to readers only later, and leaves other changes alone', () => {
    const { ids } = beginFault(service, 'late-commit');
    const { projects, floorplans } = service.world;
    const list = projects.list
      .all()
      .map(({ id }) => floorplans.list(id))
      .find((each) => each.get(ids[0] ?? ''));
    const id = ids[0] ?? '';
    expect(list?.newest(id)?.name).toContain('(late)');
    expect(list?.get(id)?.name).not.toContain('(late)');
    expect(service.behaviour.lateCommits.probability).toBe(0);
  });
});
