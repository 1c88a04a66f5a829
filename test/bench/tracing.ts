import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { BUNDLING } from '../../infra/constructs/bundling.ts';
import manifest from '../../package.json' with { type: 'json' };
import { medianRatio } from './bench.ts';
import { startMs } from './cold-start.ts';

/**
 * Prints what tracing would cost when the poller's function starts: its size and its start without and with
 * the tracer of the library that logs and counts. The tracer is no dependency; it is fetched for this alone:
 *
 *   npx node test/bench/tracing.ts
 */
/** Of the version of its siblings. */
const TRACER = `@aws-lambda-powertools/tracer@${manifest.dependencies['@aws-lambda-powertools/logger']}`;
const HANDLER = JSON.stringify(
  fileURLToPath(new URL('../../functions/poll/handler.ts', import.meta.url)),
);
const PLAIN = `export { handler } from ${HANDLER};`;
const TRACED = `import { Tracer } from '@aws-lambda-powertools/tracer';
export const tracer = new Tracer({ serviceName: 'sitecast' });
${PLAIN}`;
/** What the tracer is built on is CommonJS. */
const REQUIRE =
  "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
const ALIAS = '--alias:';
const ROUNDS = 15;

const folder = mkdtempSync(join(tmpdir(), 'sitecast-tracing-'));
try {
  execFileSync('npm', ['install', '--ignore-scripts', '--prefix', folder, TRACER]);
  const empty = join(folder, 'empty.mjs');
  writeFileSync(empty, 'export {};\n');
  for (const [name, contents] of Object.entries({ without: PLAIN, with: TRACED })) {
    const file = await bundle(name, contents);
    const start = await medianRatio(
      ROUNDS,
      () => Promise.resolve(startMs(file)),
      () => Promise.resolve(startMs(empty)),
    );
    const kb = Math.round(statSync(file).size / 1000);
    process.stdout.write(
      `${name} tracing: ${kb} kB, start ${start.toFixed(2)} of an empty module\n`,
    );
  }
} finally {
  rmSync(folder, { recursive: true });
}

/** Bundles a module as the function is bundled. */
async function bundle(name: string, contents: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  const args = Object.entries(BUNDLING.esbuildArgs ?? {});
  const aliases = args.flatMap(([arg, to]) =>
    arg.startsWith(ALIAS) ? [[arg.slice(ALIAS.length), String(to)] as const] : [],
  );
  const isTraced = contents === TRACED;
  await build({
    stdin: { contents, resolveDir: folder },
    outfile,
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    charset: 'utf8',
    legalComments: 'none',
    mainFields: [...(BUNDLING.mainFields ?? [])],
    alias: Object.fromEntries(aliases),
    // The tracer reads its own.
    loader: isTraced ? {} : { '.json': 'empty' },
    ...(isTraced && { banner: { js: REQUIRE } }),
  });
  return outfile;
}
