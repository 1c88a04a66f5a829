import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

export type PageFiles = Readonly<
  Record<'/' | '/main.js' | '/page.css', { readonly type: string; readonly text: string }>
>;

const FOLDER = join(import.meta.dirname, '../page');

/** Bundles the page's code and styles with their libraries. @returns the bundled files, too. */
export async function bundlePage() {
  const { build, stop } = await import('esbuild');
  const [html, { outputFiles, metafile }] = await Promise.all([
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
      write: false,
      metafile: true,
      logLevel: 'silent',
    }),
  ]);
  // Its process is not needed any more.
  await stop();
  const textOf = (name: string): string =>
    outputFiles.find(({ path }) => path.endsWith(name))?.text ?? '';
  const files: PageFiles = {
    '/': { type: 'text/html; charset=utf-8', text: html },
    '/main.js': { type: 'text/javascript; charset=utf-8', text: textOf('main.js') },
    '/page.css': { type: 'text/css; charset=utf-8', text: textOf('page.css') },
  };
  return { files, metafile };
}
