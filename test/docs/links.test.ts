import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const OTHERS = ['node_modules', 'dist', 'cdk.out', '.stryker'];
const documents = await Array.fromAsync(
  glob('**/*.md', { exclude: (name) => OTHERS.includes(name) }),
);

/** The text without code blocks, whose brackets and hashes mean something else. */
async function readProse(document: string): Promise<string> {
  return (await readFile(document, 'utf8')).replace(/^ *```.*?^ *```$/gms, '');
}

/** The anchors that GitHub makes of the headings. */
async function anchorsOf(document: string): Promise<string[]> {
  const headings = (await readProse(document)).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

describe.each(documents)('%s', (document) => {
  it('links to files and headings that exist', async () => {
    const targets = [...(await readProse(document)).matchAll(/\]\(([^)\s]+)\)/g)];
    for (const [, target = ''] of targets.filter(([, target = '']) => !/^[a-z]+:/.test(target))) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document : resolve(dirname(document), path);
      expect(existsSync(file), target).toBe(true);
      if (anchor !== undefined) expect(await anchorsOf(file), target).toContain(anchor);
    }
  });

  it('names source files that exist', async () => {
    const paths = [...(await readProse(document)).matchAll(/`([\w.-]+(?:\/[\w.-]+)+\.ts)`/g)];
    const roots = ['', 'functions/', 'functions/core/'];
    for (const [, path = ''] of paths) {
      expect(
        roots.filter((root) => existsSync(root + path)),
        path,
      ).not.toEqual([]);
    }
  });
});
