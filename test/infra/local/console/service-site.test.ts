import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FAULT_NAMES } from '../../../../infra/local/console/protocol.ts';
import {
  activeFaults,
  beginFault,
  isSwitchedOff,
  switchOn,
} from '../../../../infra/local/console/session/faults.ts';
import { ServiceSite } from '../../../../infra/local/console/session/service-site.ts';
import { startService, type RunningService } from '../../../../infra/local/service/server.ts';

let service: RunningService;
let site: ServiceSite;
let projectId: string;

beforeAll(async () => {
  service = await startService();
  site = new ServiceSite(service);
  projectId = await site.change({ action: 'create', entity: 'project', name: 'Depot' });
});

beforeEach(() => {
  service.behaviour.faults = [];
});

afterAll(() => service.close());

describe('the site that the console changes', () => {
  it('creates, renames, rotates, deletes and restores entities of each kind', async () => {
    const plan = await site.change({ action: 'create', entity: 'floorplan', projectId, name: 'A' });
    const list = await site.change({ action: 'create', entity: 'checklist', projectId, name: 'B' });
    const item = service.world.checklists.addItem(projectId, list, { name: 'C' }, 1);
    const checklistId = list;
    const itemId = item.template_check_items[0]?.id ?? '';
    const addresses = [
      { entity: 'floorplan', id: plan, projectId },
      { entity: 'item', id: itemId, projectId, checklistId },
      { entity: 'checklist', id: list, projectId },
      { entity: 'project', id: projectId },
    ] as const;
    for (const address of addresses) {
      await site.change({ ...address, action: 'rename', name: `${address.entity} 2` });
      if (address.entity === 'floorplan') await site.change({ ...address, action: 'rotate' });
      await site.change({ ...address, action: 'delete' });
      await site.change({ ...address, action: 'restore' });
    }
    expect(await site.readProject(projectId)).toEqual({
      floorplans: [{ id: plan, name: 'floorplan 2', isDeleted: false, rotation: 90 }],
      checklists: [
        {
          ...{ id: list, name: 'checklist 2', isDeleted: false },
          items: [{ id: itemId, name: 'item 2', isDeleted: false }],
        },
      ],
    });
    expect(await site.readProjects()).toContainEqual({
      id: projectId,
      name: 'project 2',
      isDeleted: false,
    });
  });

  it('says why the service refuses a change', async () => {
    const address = { entity: 'project', id: projectId } as const;
    for (const name of ['x'.repeat(256), '   ', '']) {
      await expect(site.change({ ...address, action: 'rename', name })).rejects.toThrow(
        `A name has 1 to 255 characters, yours has ${name.trim().length}.`,
      );
    }
    await expect(site.change({ ...address, action: 'rotate' })).rejects.toThrow(
      'cannot be rotated',
    );
    const unknown = site.change({ action: 'delete', entity: 'floorplan', id: 'none', projectId });
    await expect(unknown).rejects.toThrow('none');
    const plan = await site.change({ action: 'create', entity: 'floorplan', projectId, name: 'P' });
    const unknownPlan = { entity: 'floorplan', id: 'gone', projectId } as const;
    await expect(site.change({ ...unknownPlan, action: 'rotate' })).rejects.toThrow(
      'The service refused it: there is no floorplan with id gone.',
    );
    await site.change({ ...address, action: 'delete' });
    const inDeleted = { entity: 'floorplan', id: plan, projectId } as const;
    await expect(site.change({ ...inDeleted, action: 'rename', name: 'Q' })).rejects.toThrow(
      `The service refused it: the project with id ${projectId} is deleted.`,
    );
    await site.change({ ...address, action: 'restore' });
  });

  it('neither suffers faults, nor uses them up, nor counts as the poller', async () => {
    let requestCount = 0;
    const listener = (): void => void (requestCount += 1);
    service.requestListeners.add(listener);
    beginFault(service, 'server-error');
    beginFault(service, 'switched-off');
    service.tokens.expireAccessTokens();
    const before = activeFaults(service);
    expect(await site.readProjects()).not.toEqual([]);
    expect(activeFaults(service)).toEqual(before);
    expect(requestCount).toBe(0);
    service.requestListeners.delete(listener);
  });

  it('shows and sets the activity', async () => {
    await site.setActivity({ isRunning: true, rate: 0.5 });
    expect(await site.readActivity()).toEqual({ isRunning: true, rate: 0.5 });
    await site.setActivity({ isRunning: false, rate: 0.5 });
    expect(await site.readActivity()).toEqual({ isRunning: false, rate: 0.5 });
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
