import { glob, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { METRICS } from '../../functions/core/ports/metrics.ts';
import { stageSchema } from '../../infra/config/config.ts';
import { readExample } from '../../infra/config/select-stages.ts';
import { templateOf } from '../infra/synthesize.ts';

const operations = await readFile('docs/operations.md', 'utf8');
/** As one line: a message may be wrapped. */
const text = operations.replaceAll(/\s+/g, ' ');
const files = await Array.fromAsync(glob('{functions,infra}/**/*.ts'));
const source = (await Promise.all(files.map((file) => readFile(file, 'utf8')))).join('\n');
const [, index = ''] = /^## Find it by what you see\n(.*?)^## /ms.exec(operations) ?? [];

/** Words of Lambda and the CDK, which no source of ours has. */
const OF_OTHERS = ['Task timed out', 'Runtime.', 'No stacks match the name(s)', 'hint'];

/** The messages and errors that the poller logs as a warning or an error, up to their first variable part. */
const logged = [
  ...source.matchAll(/telemetry\.(?:warn|error)\(\s*['`]([^'`$]+)/g),
  ...source.matchAll(/\bmessage = '([^']+)';\s*telemetry/g),
].map(([, message = '']) => message.split(/[:;]/)[0] ?? '');

describe('docs/operations.md', () => {
  it('leads from each warning and error that the poller logs to an entry', () => {
    expect(logged.length).toBeGreaterThan(10);
    for (const message of logged) expect(index).toContain(message);
  });

  it.each([...operations.matchAll(/logs '([^']+)'/g)].map(([, words = '']) => words))(
    'searches the log for what is logged: %s',
    (words) => {
      expect(OF_OTHERS.includes(words) || source.includes(words) || words === '…', words).toBe(
        true,
      );
    },
  );

  it('names messages, errors and metrics that exist', () => {
    for (const [, words = ''] of index.matchAll(/"([^"]+)"/g)) {
      expect(OF_OTHERS.includes(words) || source.includes(words), words).toBe(true);
    }
    const errors = [...index.matchAll(/`([A-Z][A-Za-z]+Error)`/g)].map(([, name = '']) => name);
    for (const name of errors) expect(source).toContain(`class ${name}`);
    const rest = [...index.matchAll(/`([A-Z][A-Za-z]+)`/g)].map(([, name = '']) => name);
    const metrics = rest.filter((name) => !/(?:Error|Exception)$/.test(name));
    for (const name of metrics) expect(Object.keys(METRICS)).toContain(name);
  });

  it('names all rights that the deployer of the stage with everything needs, and no others', () => {
    const example = readExample()['example'] as Record<string, unknown>;
    const { Resources } = templateOf(example).toJSON() as {
      readonly Resources: Readonly<Record<string, { readonly Type: string }>>;
    };
    const owners = Object.values(Resources).map(({ Type }) => Type.split('::')[1]?.toLowerCase());
    const properties = JSON.stringify(Resources);
    const needed = new Set([
      ...['sts', 'ssm', ...owners],
      ...(properties.includes('"VpcConfig"') ? ['ec2'] : []),
      ...(properties.includes(':kms:') ? ['kms'] : []),
    ]);
    const [, rights = ''] = /\*\*The deployer\*\*(.*?)\*\*The service\*\*/s.exec(operations) ?? [];
    const words = [...rights.matchAll(/`([a-z\d]+)(?::[\w*]+)?`/g)].map(([, word = '']) => word);
    const named = words.filter((word) => !Object.hasOwn(stageSchema.shape, word));
    expect([...new Set(named)].toSorted()).toEqual([...needed].toSorted());
  });

  it('reads outputs that the stack has', () => {
    const subscribers = [
      { name: 'name', protocol: 'webhook', endpoint: 'https://hook.builder.eu' },
    ];
    const outputs = Object.keys(templateOf({ monitoring: 'full', subscribers }).findOutputs('*'));
    const read = [...text.matchAll(/output ([A-Z]\w+)(<name>)?/g)];
    expect(read.length).toBeGreaterThan(5);
    for (const [, name = '', of = ''] of read) {
      expect(outputs).toContain(`${name}${of.slice(1, -1)}`);
    }
  });
});
