import { expect, it } from 'vitest';
import type { Fault } from '../../../../infra/local/simulator/behaviour.ts';
import { startTestSimulator } from './support.ts';

/** Starts a simulator with a fault; its token was fetched before. */
async function startWith(fault: Fault) {
  const started = await startTestSimulator();
  started.simulator.behaviour.faults.push(fault);
  return started;
}

it('a status hits as many requests as it says, with Retry-After', async () => {
  const { api } = await startWith({ kind: 'status', status: 429, retryAfter: 3, next: 2 });
  const answers = [await api('/projects'), await api('/projects'), await api('/projects')];
  expect(answers.map(({ status }) => status)).toEqual([429, 429, 200]);
  expect(answers.map(({ headers }) => headers.get('Retry-After'))).toEqual(['3', '3', null]);
});

it('a path aims at some requests', async () => {
  const { api, projectId, simulator } = await startTestSimulator();
  const path = `/api/v3/projects/${projectId}/floorplans`;
  simulator.behaviour.faults.push({ kind: 'status', status: 500, path });
  expect((await api(`/projects/${projectId}/floorplans`)).status).toBe(500);
  expect((await api('/projects')).status).toBe(200);
  expect((await api(`/projects/${projectId}/template_checklists`)).status).toBe(200);
});

it('a slow answer comes whole, and does not hold up the end', async () => {
  const { api, simulator } = await startWith({ kind: 'slow', delayMs: 100, next: 1 });
  const before = performance.now();
  expect((await api('/projects')).json).toHaveLength(11);
  expect(performance.now() - before).toBeGreaterThan(90);
  simulator.behaviour.faults.push({ kind: 'slow', delayMs: 3_600_000 });
  const cut = expect(api('/projects')).rejects.toThrow('fetch failed');
  await expect.poll(() => simulator.close().then(() => true)).toBe(true);
  await cut;
});

it('a connection is closed without an answer', async () => {
  const { api } = await startWith({ kind: 'disconnect', next: 1 });
  await expect(api('/projects')).rejects.toThrow('fetch failed');
  expect((await api('/projects')).status).toBe(200);
});

it('a cut body is no JSON', async () => {
  const { api } = await startWith({ kind: 'cut_body' });
  const { status, json, text } = await api('/projects');
  expect([status, json]).toEqual([200, undefined]);
  expect(text).toMatch(/^\[\{/);
});

it('a list is shown empty although it has entities', async () => {
  const { api, projectId } = await startWith({ kind: 'empty_list' });
  const { json, headers } = await api('/projects');
  expect(json).toEqual([]);
  expect(['X-Count', 'X-Has-More'].map((name) => headers.get(name))).toEqual(['0', 'false']);
  expect((await api(`/projects/${projectId}`)).json).toMatchObject({ id: projectId });
});
