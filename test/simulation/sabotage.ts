import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { applyEdit, type Edit } from './apply-edit.ts';

/** A fault that is put into the code on purpose. */
export interface Sabotage {
  /** The fault in words. */
  readonly name: string;
  readonly edits: readonly Edit[];
  /** The promises that may reveal it. */
  readonly breaks: readonly string[];
  /**
   * The first seed to try, default 1. Saves time for faults that few histories reveal.
   */
  readonly firstSeed?: number;
}

const REPOSITORY = new URL('../../', import.meta.url);

/** A copy of the code with a fault. */
interface Sabotaged {
  /** Its folder, laid out like the repository. */
  readonly root: URL;
  /** Deletes the folder. */
  readonly remove: () => Promise<void>;
}

/**
 * Copies the code that the simulation runs into a temporary folder, with the fault.
 *
 * @throws Error when a function or call that an edit names is not there exactly once.
 */
export async function applySabotage({ edits }: Sabotage): Promise<Sabotaged> {
  const folder = await mkdtemp(join(tmpdir(), 'sitecast-sabotage-'));
  const from = (path: string): URL => new URL(path, REPOSITORY);
  for (const path of [
    'functions/core',
    'functions/adapters/shared',
    'test/simulation',
    'test/support',
    'package.json',
  ]) {
    await cp(from(path), join(folder, path), { recursive: true });
  }
  // The only other file that the simulation uses.
  const chance = 'infra/local/service/world/random.ts';
  await mkdir(join(folder, 'infra/local/service/world'), { recursive: true });
  await cp(from(chance), join(folder, chance));
  await symlink(from('node_modules'), join(folder, 'node_modules'), 'dir');
  for (const edit of edits) {
    const path = join(folder, 'functions/core', edit.file);
    await writeFile(path, applyEdit(await readFile(path, 'utf8'), edit));
  }
  return {
    root: pathToFileURL(`${folder}/`),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
