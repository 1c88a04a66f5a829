import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licences that ask for no copy of their text. */
const WITHOUT_TEXT = new Set(['MIT-0', '0BSD', 'Unlicense', 'CC0-1.0']);

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Where the text of a licence lies that is the same for all who use it. */
const STANDARD_TEXTS: Readonly<Record<string, string>> = {
  'Apache-2.0': path.join(ROOT, 'node_modules/constructs/LICENSE'),
  MIT: path.join(ROOT, 'LICENSE'),
};

/** Old manifests have the licence in an object. */
interface Manifest extends Readonly<Record<'name' | 'version', string>> {
  readonly license: string | { readonly type: string };
  readonly author?: string | { readonly name: string };
}

const HEAD = `Sitecast is under the licence in the file LICENSE. The compiled code of this package
contains code of the packages below, each under its own licence.
`;

/**
 * Writes the licences and notices of the packages that are bundled, one text for all that share it.
 *
 * @param inputs paths of bundled files from `root`; those of this project are left out.
 * @throws Error naming a package without the text that its licence asks for.
 */
export function thirdPartyNotices(inputs: readonly string[], root: string): string {
  const folders = new Set(
    inputs.flatMap((input) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0] ?? []),
  );
  const namesByText = new Map<string, string[]>();
  for (const folder of [...folders].sort()) {
    const { name, text } = readPackage(path.join(root, folder));
    namesByText.set(text, [...(namesByText.get(text) ?? []), name]);
  }
  const parts = [...namesByText].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return [HEAD, ...parts].join(`\n${'-'.repeat(80)}\n\n`);
}

function readPackage(folder: string): { readonly name: string; readonly text: string } {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  const { name, version } = manifest;
  const license = typeof manifest.license === 'object' ? manifest.license.type : manifest.license;
  const own = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const text = own.join('\n\n') || standardText(license, manifest.author);
  if (text === undefined) {
    throw new Error(
      `The licence of ${name} (${license}) has no file in ${folder}: add its text to the package.`,
    );
  }
  return { name: `${name} ${version} (${license})`, text };
}

function standardText(license: string, author: Manifest['author']): string | undefined {
  if (WITHOUT_TEXT.has(license)) return 'This licence asks for no copy of its text.';
  const file = STANDARD_TEXTS[license];
  const holder = typeof author === 'object' ? author.name : author;
  if (file === undefined || holder === undefined) return undefined;
  return readFileSync(file, 'utf8')
    .trim()
    .replace(/(?<=Copyright \(c\) ).*/, holder);
}
