import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The files of the page, by path. */
export type PageFiles = ReadonlyMap<string, { readonly type: string; readonly text: string }>;

const FOLDER = join(import.meta.dirname, '../page');

/** Bundles the page's code and styles with their libraries. */
export async function bundlePage(): Promise<PageFiles> {
  const { build, stop } = await import('esbuild');
  const [html, { outputFiles }] = await Promise.all([
    readFile(join(FOLDER, 'index.html'), 'utf8'),
    build({
      absWorkingDir: FOLDER,
      entryPoints: ['main.tsx', 'styles/page.css'],
      entryNames: '[name]',
      outdir: FOLDER,
      bundle: true,
      minify: true,
      format: 'esm',
      target: 'es2023',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      legalComments: 'none',
      inject: ['usable-language.ts'],
      write: false,
      logLevel: 'silent',
    }),
  ]);
  // Its process is not needed any more.
  await stop();
  const textOf = (end: string): string =>
    outputFiles.find(({ path }) => path.endsWith(end))?.text ?? '';
  return new Map([
    ['/', { type: 'text/html; charset=utf-8', text: html }],
    ['/main.js', { type: 'text/javascript; charset=utf-8', text: textOf('main.js') }],
    ['/page.css', { type: 'text/css; charset=utf-8', text: textOf('page.css') }],
  ]);
}
