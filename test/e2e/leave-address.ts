import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  writeLocalStackFile,
  type LocalStackFile,
} from '../../infra/local/stack/local-stack-file.ts';
import type { TestStack } from './stack.ts';

/**
 * Leaves the address of a stack for commands, as npm start does.
 *
 * @param count as that many stacks would.
 * @returns the folder where they look for it.
 */
export async function leaveAddressOf(
  { endpoints, service, topicArn, provisioned }: TestStack,
  changes: Partial<LocalStackFile> = {},
  count = 1,
): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  const functionName = provisioned.outputs['ControlFunctionName'] ?? '';
  for (let index = 0; index < count; index += 1) {
    const own = join(folder, `sitecast-run-${process.pid}-${index}`);
    await mkdir(own);
    await writeLocalStackFile(own, {
      ...{ pid: process.pid, startedAt: new Date().toISOString() },
      ...{ endpoints, topicArn, functionName, adminUrl: service.adminUrl },
      ...changes,
    });
  }
  return folder;
}
