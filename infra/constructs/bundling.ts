import { fileURLToPath } from 'node:url';
import { Charset, OutputFormat, type BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';

/** Parts of the SDK that a function never uses, and what is bundled in their place. */
const STAND_INS = {
  '@aws-sdk/credential-provider-node': 'credentials.ts',
  '@aws-sdk/endpoint-cache': 'endpoint-cache.ts',
  '@smithy/core/checksum': 'checksum.ts',
  '@smithy/core/event-streams': 'event-streams.ts',
};

const FOLDER = fileURLToPath(new URL('../../functions/poll/sdk-stand-ins/', import.meta.url));

/**
 * How a function is bundled: one ES module with all it uses, and without what it does not. Every
 * start of the function loads it, so every kB counts; `npm run bench -- cold-start` tells how much.
 */
export const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  // With the default, `main` first, CommonJS gets in and dies on a dynamic require.
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  minify: true,
  charset: Charset.UTF8,
  sourceMap: true,
  sourcesContent: false,
  // The clients import their package.json for their own version in the user agent, nothing else.
  loader: { '.json': 'empty' },
  esbuildArgs: {
    '--legal-comments': 'none',
    ...Object.fromEntries(
      Object.entries(STAND_INS).map(([name, file]) => [`--alias:${name}`, `${FOLDER}${file}`]),
    ),
  },
};
