import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Licences that ask for no copy of their text. */
const WITHOUT_TEXT = new Set(['MIT-0', '0BSD', 'Unlicense', 'CC0-1.0']);

/** Where the text of a licence lies that is the same for all who use it. */
const STANDARD_TEXTS: Readonly<Record<string, string>> = {
  'Apache-2.0': path.resolve(import.meta.dirname, '../../node_modules/constructs/LICENSE'),
};

const HEAD = `Sitecast is under the licence in the file LICENSE. The compiled code of this package contains
code of the packages below, each under its own licence.
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
  const manifest = readFileSync(path.join(folder, 'package.json'), 'utf8');
  const { name, version, license } = JSON.parse(manifest) as Record<string, string>;
  const own = readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)/i.test(file))
    .sort()
    .map((file) => path.join(folder, file));
  const standard = STANDARD_TEXTS[license ?? ''];
  const files = own.length === 0 && standard !== undefined ? [standard] : own;
  const texts = files.map((file) => readFileSync(file, 'utf8').trim());
  if (texts.length === 0 && !WITHOUT_TEXT.has(license ?? '')) {
    throw new Error(
      `The licence of ${name} (${license}) has no file in ${folder}: add its text to the package.`,
    );
  }
  const text =
    texts.length === 0 ? 'This licence asks for no copy of its text.' : texts.join('\n\n');
  return { name: `${name} ${version} (${license})`, text };
}
