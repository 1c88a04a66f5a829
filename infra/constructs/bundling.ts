import { fileURLToPath } from 'node:url';
import { Charset, OutputFormat, type BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';

const CREDENTIALS = fileURLToPath(
  new URL('../../functions/poll/lambda-credentials.ts', import.meta.url),
);

/**
 * Bundles a function as one ES module. Every start loads the module, so every kB counts; measure it with
 * `npm run bench -- cold-start`.
 */
export const BUNDLING: BundlingOptions = {
  format: OutputFormat.ESM,
  target: 'node24',
  // By default `main` comes first, and a CommonJS module fails on a dynamic require.
  mainFields: ['module', 'main'],
  bundleAwsSDK: true,
  minify: true,
  charset: Charset.UTF8,
  sourceMap: true,
  sourcesContent: false,
  // The clients import their package.json only for their version in the user agent.
  loader: { '.json': 'empty' },
  esbuildArgs: {
    '--legal-comments': 'none',
    // Saves 117 of 534 kB; no other unused part of the SDK saves more than 20 kB.
    '--alias:@aws-sdk/credential-provider-node': CREDENTIALS,
  },
};
