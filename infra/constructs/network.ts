import { readFileSync } from 'node:fs';
import { Aws } from 'aws-cdk-lib';
import type { StageConfig } from '../config/config.ts';
import { CONFIG_FOLDER } from '../config/surroundings.ts';

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

/** The files of certificates to be put beside the code: Node reads one, at its start. */
export function certificatesOf({ caBundle }: NetworkConfig): Readonly<Record<string, string>> {
  if (caBundle === undefined) return {};
  return { [CA_FILE]: readFileSync(new URL(caBundle, CONFIG_FOLDER), 'utf8') };
}
