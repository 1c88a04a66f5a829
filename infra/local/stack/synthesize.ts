import { rm } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AssetManifestArtifact, CloudAssembly } from 'aws-cdk-lib/cx-api';
import { readCdkJson } from '../../config/read-cdk-json.ts';
import { makeTemporaryFolder } from './local-stack-file.ts';
import type { Template } from './resolve-template.ts';

export interface SynthesizeOptions {
  /** Name of the stage. Default: local. */
  readonly stage?: string | undefined;
  /** Ends it where it can. */
  readonly signal?: AbortSignal | undefined;
}

export interface Assembly {
  readonly template: Template;
  /** Folder of the bundled asset with the given S3 key. */
  readonly assetDirectory: (s3Key: string) => string;
  /** Warnings of the config's filters that match nothing. */
  readonly warnings: readonly string[];
  readonly remove: () => Promise<void>;
}

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Synthesizes the CDK app as `cdk synth` does, with one stage and without its validations.
 *
 * Writes to a temporary folder outside the repository. The bundle finds no `node_modules` there, so
 * a missing dependency fails here and not after a deployment.
 *
 * @param config the stage's config as in cdk.json; checked by the app.
 * @throws ConfigInvalidError; CdkJsonError if cdk.json, which has the CDK's flags, cannot be used.
 */
export async function synthesize(
  config: object,
  { stage = 'local', signal }: SynthesizeOptions = {},
): Promise<Assembly> {
  const directory = await makeTemporaryFolder();
  const remove = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    return { ...(await runApp(directory, { [stage]: config }, signal)), remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function runApp(
  directory: string,
  stages: object,
  signal: AbortSignal | undefined,
): Promise<Omit<Assembly, 'remove'>> {
  const { context } = readCdkJson(join(ROOT, 'cdk.json'));
  // Saves compiling the CDK, which takes most of the time.
  enableCompileCache(join(ROOT, 'node_modules', '.cache', 'sitecast'));
  const [{ App }, { addStages }, { parseConfig }, { configWarnings }] = await Promise.all([
    import('aws-cdk-lib'),
    import('../../stack.ts'),
    import('../../config/config.ts'),
    import('../../config/config-warnings.ts'),
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
  addStages(app);
  // The others concern deployments.
  const warnings = Object.values(parseConfig(stages))
    .flatMap(configWarnings)
    .flatMap(({ id, message }) => (id === 'filter' ? message : []));
  return { ...readAssembly(app.synth(), directory), warnings };
}

function readAssembly(
  { stacks, artifacts }: CloudAssembly,
  directory: string,
): Pick<Assembly, 'template' | 'assetDirectory'> {
  const assets = artifacts.filter((each) => 'contents' in each) as AssetManifestArtifact[];
  const files = assets.flatMap(({ contents }) => Object.values(contents.files ?? {}));
  return {
    template: stacks[0]?.template as Template,
    assetDirectory: (s3Key) => {
      const asset = files.find(({ destinations }) =>
        Object.values(destinations).some(({ objectKey }) => objectKey === s3Key),
      );
      return resolve(directory, asset?.source.path ?? '');
    },
  };
}
