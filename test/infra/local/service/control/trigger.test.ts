import { expect, it } from 'vitest';
import { readObject, TestService } from '../support.ts';

it('makes one change for each type of event, and says of which entity', async () => {
  const { api, control, clock } = await TestService.start();
  const { types } = readObject(await control('/trigger')) as { types: string[] };
  expect(types).toHaveLength(17);
  // Deletions come before restorations.
  for (const type of types) {
    clock.advance(1000);
    const answer = await control('/trigger', { method: 'POST', body: { type } });
    expect(answer.status, type).toBe(201);
    const { subject } = readObject(answer) as { subject: string };
    if (!/^\/projects\/[^/]+(\/(floorplans|template_checklists)\/[^/]+)?$/.test(subject)) continue;
    const now = new Date(clock.time).toISOString();
    expect(readObject(await api(subject)), type).toMatchObject({
      updated_at: now,
      deleted_at: type.endsWith('.deleted') ? now : null,
    });
  }
});

it('refuses a type that it does not know, and one without an entity', async () => {
  const { control } = await TestService.start({ size: { projects: 1, shortProjects: 0 } });
  const send = (type: string) => control('/trigger', { method: 'POST', body: { type } });
  const unknown = await send('project.exploded');
  expect(unknown.status).toBe(422);
  expect(unknown.text).toContain('type is \\"project.exploded\\"; allowed: project.created, ');
  const nothing = await send('project.restored');
  expect([nothing.status, readObject(nothing)['message']]).toEqual([
    409,
    'there is no entity for project.restored',
  ]);
});
