import { resolve } from 'node:path';
import { Aws } from 'aws-cdk-lib';
import type { ICommandHooks } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { StageConfig } from '../config/config.ts';

type NetworkConfig = Pick<StageConfig, 'proxyUrl' | 'caBundle'>;

/** Where a function's code is on Lambda. */
const CODE_FOLDER = '/var/task';
const CA_FILE = 'ca.pem';

/**
 * The variables by which Node itself finds the proxy and the certificates. Only calls over TLS go through the
 * proxy; Lambda's own, and those of AWS, do not.
 */
export function networkEnvironment({ proxyUrl, caBundle }: NetworkConfig): Record<string, string> {
  return {
    ...(proxyUrl !== undefined && {
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: proxyUrl,
      NO_PROXY: `.${Aws.URL_SUFFIX},.api.aws`,
    }),
    ...(caBundle !== undefined && { NODE_EXTRA_CA_CERTS: `${CODE_FOLDER}/${CA_FILE}` }),
  };
}

/** Copies the certificates into the bundle: Node reads a file, at its start. */
export function copyCertificates({ caBundle }: NetworkConfig, root: string): ICommandHooks {
  const copy = (folder: string): string[] =>
    caBundle === undefined
      ? []
      : [`cp ${JSON.stringify(resolve(root, caBundle))} ${JSON.stringify(`${folder}/${CA_FILE}`)}`];
  return {
    beforeBundling: () => [],
    beforeInstall: () => [],
    afterBundling: (_input, output) => copy(output),
  };
}
