import { readFileSync } from 'node:fs';

interface RootManifest {
  readonly version: string;
  readonly license: string;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The manifests of the packages, by their names. The version is the one of the repository. */
export function makeManifests() {
  const file = new URL('../../package.json', import.meta.url);
  const { version, license, devDependencies } = JSON.parse(
    readFileSync(file, 'utf8'),
  ) as RootManifest;
  const common = { version, license, type: 'module', engines: { node: '>=22.12' } };
  return {
    sitecast: {
      name: 'sitecast',
      description:
        'Sitecast: change events of the Construction Project Service. The program, and a construct of the AWS CDK.',
      ...common,
      bin: { sitecast: 'cli/sitecast.js' },
      exports: {
        './cdk': { types: './cdk/infra/package/index.d.ts', default: './cdk/index.js' },
      },
      imports: { '#manifest': './package.json' },
      peerDependencies: {
        'aws-cdk-lib': `^${devDependencies['aws-cdk-lib']}`,
        constructs: '^10.5.0',
      },
      peerDependenciesMeta: { 'aws-cdk-lib': { optional: true }, constructs: { optional: true } },
    },
    'sitecast-events': {
      name: 'sitecast-events',
      description:
        'Types, schemas, parser and consumer of the change events that Sitecast publishes.',
      ...common,
      exports: {
        '.': { types: './contract/index.d.ts', default: './index.js' },
        './schemas/*.json': './schemas/*.json',
        './schemas.json': './schemas.json',
        './asyncapi.json': './asyncapi.json',
      },
    },
  } as const;
}
