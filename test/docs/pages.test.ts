import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readHelp } from '../tools/page-docs/commands.ts';
import { makeDocuments } from '../tools/page-docs/documents.ts';

const OTHERS = ['node_modules', 'dist', 'cdk.out', '.stryker'];
const pages = await Array.fromAsync(glob('**/*.md', { exclude: (name) => OTHERS.includes(name) }));
const examples = (await Promise.all(
  (await Array.fromAsync(glob('docs/examples/*.*'))).map((path) => readFile(path, 'utf8')),
)) as readonly string[];
const commands = readHelp();

/** The text without code blocks, whose brackets and hashes mean something else. */
async function readProse(page: string): Promise<string> {
  return (await readFile(page, 'utf8')).replace(/^ *```.*?^ *```$/gms, '');
}

/** The anchors that GitHub makes of the headings. */
async function anchorsOf(page: string): Promise<string[]> {
  const headings = (await readProse(page)).matchAll(/^#+ (.*)$/gm);
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** Code without its indentation, which differs between a page and an example. */
const unindent = (code: string): string => code.trim().replace(/\n\s*/g, '\n');

describe.each(pages)('%s', (page) => {
  it('links to files and headings that exist', async () => {
    const targets = [...(await readProse(page)).matchAll(/\]\(([^)\s]+)\)/g)];
    for (const [, target = ''] of targets.filter(([, target = '']) => !/^[a-z]+:/.test(target))) {
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? page : resolve(dirname(page), path);
      expect.soft(existsSync(file), target).toBe(true);
      if (anchor !== undefined) expect.soft(await anchorsOf(file), target).toContain(anchor);
    }
  });

  it('has no table cell of more than 15 words', async () => {
    for (const [row] of (await readProse(page)).matchAll(/^\|.*\|$/gm)) {
      const cells = row.replaceAll(/\]\([^)]*\)/g, ']').split(/(?<!\\)\|/);
      for (const cell of cells) expect.soft(cell.trim().split(/\s+/).length, cell).toBeLessThan(16);
    }
  });

  it('quotes its code from an example, which a test runs', async () => {
    // The package's page has imports alone.
    const text = page.startsWith('infra/package/') ? '' : await readFile(page, 'utf8');
    for (const [, code = ''] of text.matchAll(/^```(?:ts|python|go)\n(.*?)^```$/gms)) {
      expect
        .soft(examples.map(unindent).filter((it) => it.includes(unindent(code))).length, code)
        .toBe(1);
    }
  });

  it('prints commands and flags that sitecast has', async () => {
    const printed = (await readFile(page, 'utf8')).replaceAll(/\\\n\s*/g, '');
    const text = printed.replaceAll(/npm (?:-s )?(start|run service) --/g, (_, script: string) =>
      script === 'start' ? 'sitecast dev' : 'sitecast service',
    );
    for (const [line, words = ''] of text.matchAll(/\bsitecast (?:-- )?([a-z][^\n`|;#]*)/g)) {
      const [first = '', second = ''] = words.split(/[\s)]/);
      const help =
        commands.get(`sitecast ${first} ${second}`) ?? commands.get(`sitecast ${first}`) ?? '';
      const [isCode] = /--/.exec(words) ?? [];
      if (isCode === undefined) continue;
      for (const [flag] of words.matchAll(/--[a-z][a-z-]+/g))
        expect.soft(help, line).toContain(flag);
    }
  });
});

it('commands and runbook are what npm run docs makes now', async () => {
  for (const [path, text] of await makeDocuments()) {
    expect.soft(await readFile(`docs/${path}`, 'utf8'), path).toBe(text);
  }
});

it('no printed command has a secret in its arguments', async () => {
  const texts = await Promise.all(pages.map((page) => readFile(page, 'utf8')));
  const lines = texts.flatMap((text) => text.replaceAll('\\\n', ' ').split(/\n|\||&&|;/));
  for (const line of lines.map((each) => each.trim())) {
    if (/\$(TOKEN|SECRET)\b/.test(line)) expect.soft(line).toMatch(/^(printf|echo) /);
    if (line.includes('--secret-string')) expect.soft(line).toMatch(/--secret-string file:\/\//);
  }
});
