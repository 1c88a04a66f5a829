import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

interface Package {
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const { packages } = JSON.parse(
  readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8'),
) as { readonly packages: Readonly<Record<string, Package>> };

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
});
