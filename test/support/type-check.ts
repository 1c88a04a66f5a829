import { execFile } from 'node:child_process';
import { resolve } from 'node:path';
import { promisify } from 'node:util';

const COMPILER = resolve(import.meta.dirname, '../../node_modules/@typescript/native/bin/tsc');

/**
 * Type-checks a project. One thread that seldom collects garbage takes half of the CPU, and other
 * tests keep the other cores busy.
 *
 * @param folder with its tsconfig.json.
 * @returns what the compiler prints.
 * @throws Error when the compiler reports a problem.
 */
export async function typeCheck(folder: string): Promise<string> {
  const args = [COMPILER, '--singleThreaded', '-p', folder];
  const env = { ...process.env, GOGC: '400' };
  return (await promisify(execFile)(process.execPath, args, { env })).stdout;
}
