import { CloudEvent } from 'cloudevents';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { Subscriber } from '../../infra/local/stack/subscriber.ts';
import { noise } from '../support/samples.ts';
import { startGate, type Gate } from './gate.ts';
import {
  endLease,
  eventOf,
  killWhilePublishing,
  claimCheckOf,
  startProxiedStack,
  takeEvents,
  type ProxiedStack,
} from './stack.ts';

/** More than one page of the topic holds, so that a run can be killed between two batches. */
const FLOORPLANS = 300;

let stack: ProxiedStack<Gate>;
let everything: Subscriber;
let projectId: string;

beforeAll(async () => {
  stack = await startProxiedStack('sns', startGate);
  everything = await stack.subscribe();
  projectId = stack.service.world.projects.create({ name: 'Harbour Office' }).id;
  const first = await stack.invoke();
  expect(first).toMatchObject({ leaseHeld: false, waiting: 0, stoppedEarly: false });
});

afterAll(() => stack.close());

describe('the deployed template on embedded services', () => {
  it('records a baseline without publishing events', async () => {
    await stack.invoke();
    expect(await takeEvents(everything)).toEqual([]);
  });

  it('delivers created, updated, deleted and restored of every list as valid CloudEvents', async () => {
    const { projects, floorplans, checklists } = stack.service.world;
    const plan = floorplans.create(projectId, { name: 'Level 1' });
    const list = checklists.create(projectId, { name: 'Fire doors' });
    const project = projects.create({ name: 'Annex' });
    projects.update(projectId, { name: 'Harbour Office East' });
    await stack.invoke();
    const deliveries = await everything.drain();
    for (const delivery of deliveries) {
      expect(new CloudEvent({ ...eventOf(delivery) }).validate()).toBe(true);
    }
    expect(
      deliveries
        .map(eventOf)
        .map(({ type, partitionkey }) => `${type} ${partitionkey}`)
        .sort(),
    ).toEqual(
      [
        `floorplan.created ${plan.id}`,
        `project.created ${project.id}`,
        `project.updated ${projectId}`,
        `template_checklist.created ${list.id}`,
      ].sort(),
    );

    floorplans.list(projectId).update(plan.id, { name: 'Level 1, revised' });
    checklists.list(projectId).remove(list.id);
    projects.remove(project.id);
    await stack.invoke();
    expect(await takeEvents(everything)).toEqual([
      `floorplan.updated ${plan.id}`,
      `project.deleted ${project.id}`,
      `template_checklist.deleted ${list.id}`,
    ]);

    floorplans.list(projectId).remove(plan.id);
    await stack.invoke();
    floorplans.list(projectId).restore(plan.id);
    checklists.list(projectId).restore(list.id);
    projects.restore(project.id);
    await stack.invoke();
    expect(await takeEvents(everything)).toEqual([
      `floorplan.deleted ${plan.id}`,
      `floorplan.restored ${plan.id}`,
      `project.restored ${project.id}`,
      `template_checklist.restored ${list.id}`,
    ]);
  });

  it('lets subscribers filter on attributes', async () => {
    const { projects, floorplans } = stack.service.world;
    const filterPolicy = { entity: ['floorplan'], action: ['updated', 'restored'] };
    const plans = await stack.subscribe(filterPolicy);
    const ofProjects = await stack.subscribe({ type: [{ prefix: 'project.' }] });
    const plan = floorplans.create(projectId, { name: 'Roof' });
    await stack.invoke();
    floorplans.list(projectId).update(plan.id, { name: 'Roof terrace' });
    projects.update(projectId, { color: '#112233' });
    await stack.invoke();
    const [roof, ...others] = await plans.drain();
    expect(others).toEqual([]);
    expect(roof && eventOf(roof)).toMatchObject({
      type: 'floorplan.updated',
      subject: `/projects/${projectId}/floorplans/${plan.id}`,
      data: { changed: ['name'], previous: { name: 'Roof' }, object: { name: 'Roof terrace' } },
    });
    expect(roof?.attributes).toEqual({
      type: 'floorplan.updated',
      entity: 'floorplan',
      action: 'updated',
      project_id: projectId,
      account_id: expect.stringMatching(/^\d+$/) as string,
      cause: 'poll',
      changed: '["name"]',
    });
    expect(await takeEvents(ofProjects)).toEqual([`project.updated ${projectId}`]);
    await everything.drain();
  });

  it('publishes a claim check for an entity of 2 MB, and stores the whole event in the bucket', async () => {
    const { floorplans } = stack.service.world;
    const description = noise(2_000_000);
    const plan = floorplans.create(projectId, { name: 'Site survey', description });
    expect(await stack.invoke()).toMatchObject({ quarantined: 0, events: { created: 1 } });
    floorplans.list(projectId).update(plan.id, { name: 'Site survey, revised' });
    expect(await stack.invoke()).toMatchObject({ quarantined: 0, events: { updated: 1 } });
    const [created, updated, ...others] = (await everything.drain()).map(claimCheckOf);
    expect(others).toEqual([]);
    expect(created).toMatchObject({ type: 'floorplan.created', partitionkey: plan.id });
    expect(created).not.toHaveProperty('data');
    expect(await stack.readLargeEvent(created)).toMatchObject({
      id: created?.id,
      data: { object: { name: 'Site survey', description }, changed: [] },
    });
    // Its content is too large for the table, so its old values are not stored.
    const { data, ...attributes } = await stack.readLargeEvent(updated);
    expect({ ...attributes, dataref: updated?.dataref }).toEqual(updated);
    expect(data).toMatchObject({ object: { id: plan.id, description }, changed: ['name'] });
    expect(data).not.toHaveProperty('previous');
  });

  it('isolates a failing list and delivers all other events', async () => {
    const { floorplans, projects } = stack.service.world;
    const path = `/api/v3/projects/${projectId}/floorplans`;
    stack.service.behaviour.faults = [{ kind: 'status', status: 422, path }];
    const plan = floorplans.create(projectId, { name: 'Plant room' });
    projects.update(projectId, { name: 'Harbour Office' });
    expect(await stack.invoke()).toMatchObject({ waiting: 1 });
    expect(await takeEvents(everything)).toEqual([`project.updated ${projectId}`]);
    expect(stack.logs.join('\n')).toContain(`projects/${projectId}/floorplans`);
    stack.service.behaviour.faults = [];
    // The list waits for a minute and is not polled.
    expect(await stack.invoke()).toMatchObject({ waiting: 1, stoppedEarly: false });
    expect(await takeEvents(everything)).toEqual([]);
    expect(plan.id).toBeDefined();
  });

  it('names the secret of a rejected refresh token, and works again once a valid one is put', async () => {
    stack.service.tokens.rotateRefreshToken();
    stack.service.tokens.expireAccessTokens();
    // A token that has just been renewed is kept; a new process starts with none.
    await stack.killFunction();
    expect(await stack.invoke()).toMatchObject({ token: 'refused', pages: 0 });
    expect(stack.logs.join('\n')).toContain(stack.secretArn);
    // The same token is not sent again at once.
    expect(await stack.invoke()).toMatchObject({ token: 'refused', pages: 0 });
    await stack.putRefreshToken(stack.service.refreshToken);
    expect(await stack.invoke()).toMatchObject({ waiting: 1 });
  });

  it('loses nothing when a run is killed in the middle of a page: the next run repeats its events by id', async () => {
    const { projects, floorplans } = stack.service.world;
    const { id } = projects.create({ name: 'Power Station' });
    await stack.invoke();
    const created = Array.from({ length: FLOORPLANS }, (_, n) =>
      floorplans.create(id, { name: `Level ${n}` }),
    );
    // The process dies when a part of the page is published.
    const subscriber = await stack.subscribe();
    await killWhilePublishing(stack, 15);
    const before = await subscriber.drain();
    expect(before).toHaveLength(150);
    // Its lease keeps others out until it ends.
    expect(await stack.invoke()).toMatchObject({ leaseHeld: true });
    await endLease(stack);
    expect(await stack.invoke()).toMatchObject({ leaseHeld: false });
    const after = (await subscriber.drain()).map(eventOf);
    const again = new Map(after.map((event) => [event.id, withoutRecordedTime(event)]));
    const all = [...before.map(eventOf), ...after];
    expect(new Set(all.map(({ partitionkey }) => partitionkey))).toEqual(
      new Set(created.map((plan) => plan.id)),
    );
    const repeated = before.map(eventOf).filter(({ id: eventId }) => again.has(eventId));
    // A group of the page may have been saved before.
    expect(repeated.length).toBeGreaterThan(0);
    expect(after.length + before.length - repeated.length).toBe(FLOORPLANS);
    for (const event of repeated) expect(again.get(event.id)).toBe(withoutRecordedTime(event));
    expect(await stack.invoke()).toMatchObject({ events: { created: 0, updated: 0 } });
  });

  it('never writes a token to its log', () => {
    const log = stack.logs.join('\n');
    expect(log).toContain('RefreshTokenRejectedError');
    expect(log).not.toContain(stack.service.refreshToken);
    expect(log).not.toMatch(/eyJ[\w-]{8}|bearer \S/i);
  });
});

function withoutRecordedTime({ recordedtime, ...rest }: ChangeEvent): string {
  return JSON.stringify(rest);
}
