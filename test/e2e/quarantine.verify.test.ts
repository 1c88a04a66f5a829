import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { QuarantineListAnswer } from '../../functions/control/protocol.ts';
import { ExactNumber } from '../../functions/core/model/json/json.ts';
import { runCli } from '../support/run-cli.ts';
import { leaveAddressOf } from './leave-address.ts';
import { startTestStack, type TestStack } from './stack.ts';

let stack: TestStack;
let temporary: string;
let projectId: string;

beforeAll(async () => {
  stack = await startTestStack();
  projectId = stack.service.world.projects.all()[0]?.id ?? '';
  temporary = await leaveAddressOf(stack);
  await stack.invoke();
});

afterAll(async () => {
  await stack.close();
  await rm(temporary, { recursive: true });
});

const run = (line: string) =>
  runCli([...line.split(' '), '--local'], { env: { TMPDIR: temporary } });

async function listed() {
  const { stdout } = await run('quarantine list --json');
  return (JSON.parse(stdout) as QuarantineListAnswer).items;
}

/** A number that no double can hold. */
const SIZE = '9007199254740993';

/** A floorplan that nobody can process. @returns its id. */
function breakFloorplan(name: string): string {
  const { floorplans } = stack.service.world;
  const { id } = floorplans.create(projectId, { name });
  // No entity of the service has such a time, so nothing but a cast brings it into the world.
  floorplans
    .list(projectId)
    .update(id, { deleted_at: 'never', size: new ExactNumber(SIZE) } as object);
  return id;
}

describe('sitecast quarantine', () => {
  it('shows an invalid entity, tries it again until it is mended, and drops another', async () => {
    const { floorplans } = stack.service.world;
    const [mended] = [breakFloorplan('Level 3'), breakFloorplan('Level 4')];
    await stack.invoke();
    const items = await listed();
    expect(items.map(({ list }) => list)).toEqual(
      Array(2).fill(`projects/${projectId}/floorplans`),
    );
    const table = await run('quarantine list');
    expect(table.stdout).toContain(`${items[0]?.id.slice(0, 8)}  `);
    const shown = await run(`quarantine show ${items[0]?.id.slice(0, 8)}`);
    expect(shown.stdout).toMatch(/"name": "Level [34]"/);
    expect(shown.stdout).toContain(`"size": ${SIZE}`);
    floorplans.list(projectId).restore(mended);
    const retried = await run('quarantine retry --all');
    expect(retried.stdout).toMatch(/^2 items to be tried again: /);
    expect(await listed()).toEqual([]);
    expect(await stack.invoke()).toMatchObject({ events: { created: 1 }, quarantined: 1 });
    const [left, ...others] = await listed();
    expect(others).toEqual([]);
    const id = left?.id.slice(0, 6) ?? '';
    expect((await run(`quarantine drop ${id} --dry-run`)).stdout).toContain('Nothing was changed');
    expect((await run(`quarantine drop ${id}`)).stdout).toBe(
      `1 item dropped: ${left?.id.slice(0, 8)}.\n`,
    );
    expect(await listed()).toEqual([]);
    const { code, stderr } = await run(`quarantine show ${id}`);
    expect([code, stderr]).toEqual([
      1,
      `quarantine show was refused: There is no item "${id}" in the quarantine.\nIt is empty.\n`,
    ]);
  });
});
