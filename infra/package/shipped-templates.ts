import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { addWebhooks, LOCAL_CONFIG } from '../cli/dev/stack-options.ts';
import { FUNCTIONS } from '../construct/function-code.ts';
import { synthesize } from '../local/stack/synthesize.ts';
import { MAX_WEBHOOKS, placeholders, templateFile } from './package-parts.ts';

const ADDRESSES = { baseUrl: 'https://service.invalid', authUrl: 'https://auth.invalid' };

/**
 * Writes the templates that `sitecast dev` of the package runs: one for each number of webhooks.
 * The key of a function's code is its folder below `functions`.
 *
 * @param folder of the package, with its functions.
 */
export async function writeTemplates(folder: string): Promise<void> {
  mkdirSync(path.join(folder, path.dirname(templateFile(0))));
  for (let count = 0; count <= MAX_WEBHOOKS; count++) {
    const config = addWebhooks({ ...LOCAL_CONFIG, ...ADDRESSES }, placeholders(count));
    const { template, assetDirectory, remove } = await synthesize(config);
    for (const { Type, Properties } of Object.values(template.Resources)) {
      if (Type !== 'AWS::Lambda::Function') continue;
      const code = Properties?.['Code'] as { S3Key: string };
      code.S3Key = functionOf(assetDirectory(code.S3Key), folder);
    }
    writeFileSync(path.join(folder, templateFile(count)), JSON.stringify(template));
    await remove();
  }
}

/** The name of the function whose bundle is in a folder. */
function functionOf(asset: string, folder: string): string {
  const read = (bundle: string) => readFileSync(path.join(bundle, 'index.mjs'));
  const name = FUNCTIONS.find((each) =>
    read(path.join(folder, 'functions', each)).equals(read(asset)),
  );
  if (name === undefined) throw new RangeError(`${asset} has the bundle of no function`);
  return name;
}
