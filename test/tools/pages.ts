import { readFile } from 'node:fs/promises';
import { format } from 'oxfmt';

/** The folder of all documents. */
export const DOCS = new URL('../../docs/', import.meta.url);

export const readPage = (path: string): Promise<string> => readFile(new URL(path, DOCS), 'utf8');

/** A page with its generated parts, each between `<!-- name -->` and `<!-- /name -->`. */
export async function fillPage(
  path: string,
  parts: Readonly<Record<string, string>>,
): Promise<readonly [path: string, text: string]> {
  let page = await readPage(path);
  for (const [name, part] of Object.entries(parts)) {
    const place = new RegExp(`(<!-- ${name}\\b[^>]*-->\n).*(<!-- /${name} -->)`, 's');
    if (!place.test(page)) throw new Error(`${path} has no place for ${name}`);
    page = page.replace(place, (_, begin: string, end: string) => `${begin}\n${part}\n\n${end}`);
  }
  const { code } = await format(path, page, { printWidth: 100, proseWrap: 'always' });
  return [path, code];
}
