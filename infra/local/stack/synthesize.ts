import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Template } from './resolve-template.ts';
import { TemplateError } from './resolve-template.ts';

/** Name of the stage that the local stack is synthesized as. */
const LOCAL_STAGE = 'local';

/** What the CDK app made of one stage. */
export interface Assembly {
  readonly template: Template;
  /**
   * Folder of the bundled asset with the given S3 key.
   *
   * @throws TemplateError when there is none.
   */
  assetDirectory(s3Key: string): string;
  /** Deletes the files. */
  remove(): Promise<void>;
}

/** The CDK app failed; the message is what it wrote. */
export class SynthesisFailedError extends Error {
  override readonly name = 'SynthesisFailed';
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const CdkJson = z.object({ context: z.record(z.string(), z.unknown()) });
const Manifest = z.object({
  artifacts: z.record(
    z.string(),
    z.object({
      type: z.string(),
      properties: z
        .object({ templateFile: z.string().optional(), file: z.string().optional() })
        .optional(),
    }),
  ),
});
const AssetManifest = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.object({ path: z.string() }),
      destinations: z.record(z.string(), z.object({ objectKey: z.string() })),
    }),
  ),
});

/**
 * Synthesizes the CDK app as `cdk synth` does, with one stage named `local`. It runs in a process
 * of its own: synthesis blocks, and Ctrl-C must not wait for it.
 *
 * The files go to a temporary folder outside of the repository, where a bundle finds no
 * `node_modules`: what is missing in it shows up here and not after a deploy.
 *
 * @param config the stage's config, as it would stand in cdk.json; checked by the app.
 * @param signal ends the process.
 * @throws SynthesisFailedError with the app's own words, for example about the config.
 */
export async function synthesize(config: object, signal?: AbortSignal): Promise<Assembly> {
  const directory = await mkdtemp(join(tmpdir(), 'sitecast-'));
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await runApp(directory, config, signal);
    return { ...(await readAssembly(directory)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function runApp(
  directory: string,
  config: object,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { context } = CdkJson.parse(await readJson(join(ROOT, 'cdk.json')));
  signal?.throwIfAborted();
  const app = spawn(process.execPath, [join(ROOT, 'infra', 'app.ts')], {
    cwd: ROOT,
    // The variables by which the CDK command line talks to an app.
    env: {
      ...process.env,
      CDK_OUTDIR: directory,
      CDK_CONTEXT_JSON: JSON.stringify({ ...context, notifier: { [LOCAL_STAGE]: config } }),
      // Checking against CloudFormation's rules takes half of the time and changes nothing in the
      // template; `cdk synth` does it.
      CDK_VALIDATION: 'false',
      // Most of the time goes into compiling the CDK.
      NODE_COMPILE_CACHE: join(ROOT, 'node_modules', '.cache', 'sitecast'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own, so that its bundler ends with it.
    detached: true,
  });
  const kill = (): void => {
    const running = app.exitCode === null && app.signalCode === null;
    if (app.pid !== undefined && running) process.kill(-app.pid, 'SIGKILL');
  };
  signal?.addEventListener('abort', kill);
  const [output, problems, [code]] = await Promise.all([
    text(app.stdout),
    text(app.stderr),
    once(app, 'close') as Promise<[number | null]>,
  ]);
  signal?.removeEventListener('abort', kill);
  signal?.throwIfAborted();
  if (code !== 0) throw new SynthesisFailedError(`${problems}${output}`.trim());
}

async function readAssembly(directory: string): Promise<Omit<Assembly, 'remove'>> {
  const { artifacts } = Manifest.parse(await readJson(join(directory, 'manifest.json')));
  const fileOf = (type: string, property: 'templateFile' | 'file'): string => {
    const artifact = Object.values(artifacts).find((candidate) => candidate.type === type);
    const file = artifact?.properties?.[property];
    if (file === undefined) throw new TemplateError(`the assembly holds no ${type}`);
    return join(directory, file);
  };
  const template = await readJson(fileOf('aws:cloudformation:stack', 'templateFile'));
  const { files } = AssetManifest.parse(await readJson(fileOf('cdk:asset-manifest', 'file')));
  const paths = new Map(
    Object.values(files).flatMap(({ source, destinations }) =>
      Object.values(destinations).map(({ objectKey }) => [objectKey, source.path]),
    ),
  );
  return {
    template: template as Template,
    assetDirectory: (s3Key) => {
      const path = paths.get(s3Key);
      if (path === undefined) throw new TemplateError(`the assembly holds no asset ${s3Key}`);
      return join(directory, path);
    },
  };
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}
