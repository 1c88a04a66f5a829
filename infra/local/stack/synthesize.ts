import { readFile, rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { TemplateError, type Template } from './resolve-template.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

/** Name of the stage unless one of cdk.json is used. */
const LOCAL_STAGE = 'local';

export interface SynthesizeOptions {
  /** Name of the stage. Default: local. */
  readonly stage?: string | undefined;
  /** Ends it where it can. */
  readonly signal?: AbortSignal | undefined;
}

export interface Assembly {
  readonly template: Template;
  /**
   * Folder of the bundled asset with the given S3 key.
   *
   * @throws TemplateError when there is none.
   */
  assetDirectory(s3Key: string): string;
  remove(): Promise<void>;
}

/** The CDK app refuses the config. The message is its own. */
export class SynthesisFailedError extends Error {
  override readonly name = 'SynthesisFailedError';
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** The part of `manifest.json` that is read. */
interface Manifest {
  readonly artifacts: Readonly<
    Record<string, { type: string; properties?: { templateFile?: string; file?: string } }>
  >;
}

/** The part of an asset manifest that is read. */
interface AssetManifest {
  readonly files: Readonly<
    Record<
      string,
      { source: { path: string }; destinations: Record<string, { objectKey: string }> }
    >
  >;
}

/**
 * Synthesizes the CDK app as `cdk synth` does, with one stage and without its validations.
 *
 * Writes to a temporary folder outside the repository. The bundle finds no `node_modules` there, so
 * a missing dependency fails here and not after a deployment.
 *
 * @param config the stage's config as in cdk.json; checked by the app.
 * @throws SynthesisFailedError with the app's message, for example about the config; CdkJsonError if
 *   cdk.json, which has the CDK's feature flags, cannot be used.
 */
export async function synthesize(
  config: object,
  { stage = LOCAL_STAGE, signal }: SynthesizeOptions = {},
): Promise<Assembly> {
  const directory = await makeTemporaryFolder();
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    await runApp(directory, { [stage]: config }, signal);
    return { ...(await readAssembly(directory)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function runApp(
  directory: string,
  stages: object,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { context } = readCdkJson(join(ROOT, 'cdk.json'));
  // Saves compiling the CDK, which takes most of the time.
  enableCompileCache(join(ROOT, 'node_modules', '.cache', 'sitecast'));
  const [{ App }, { addStages }, { ConfigInvalidError }] = await Promise.all([
    import('aws-cdk-lib'),
    import('../../stack.ts'),
    import('../../config/config.ts'),
  ]);
  signal?.throwIfAborted();
  const app = new App({
    outdir: directory,
    // A copy of the code would have another path in each run, and Node.js would compile it anew.
    context: {
      ...context,
      notifier: stages,
      'aws:cdk:disable-asset-staging': true,
      'aws:cdk:disable-stack-trace': true,
      'aws:cdk:disable-creation-stack-traces': true,
    },
    // None of these changes the template, and they take most of the time; `cdk synth` does all.
    treeMetadata: false,
    builtinCloudFormationValidation: false,
  });
  try {
    addStages(app);
  } catch (error) {
    throw error instanceof ConfigInvalidError ? new SynthesisFailedError(error.message) : error;
  }
  app.synth();
}

async function readAssembly(directory: string): Promise<Omit<Assembly, 'remove'>> {
  const { artifacts } = await readJson<Manifest>(join(directory, 'manifest.json'));
  const propertiesOf = (type: string) =>
    Object.values(artifacts).find((artifact) => artifact.type === type)?.properties ?? {};
  const { templateFile = '' } = propertiesOf('aws:cloudformation:stack');
  const { file = '' } = propertiesOf('cdk:asset-manifest');
  const { files } = await readJson<AssetManifest>(join(directory, file));
  return {
    template: await readJson<Template>(join(directory, templateFile)),
    assetDirectory: (s3Key) => {
      const asset = Object.values(files).find(({ destinations }) =>
        Object.values(destinations).some(({ objectKey }) => objectKey === s3Key),
      );
      if (asset === undefined) throw new TemplateError(`The assembly has no asset ${s3Key}`);
      return resolve(directory, asset.source.path);
    },
  };
}

async function readJson<T>(path: string): Promise<T> {
  return JSON.parse(await readFile(path, 'utf8')) as T;
}
