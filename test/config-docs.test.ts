import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../infra/config/config.ts';
import { ADDRESSES, EVERYTHING, FORMER, SURROUNDINGS } from './support/config-samples.ts';
import { makeDocuments } from './tools/config-docs/documents.ts';
import { readFieldGroups } from './tools/config-docs/field-docs.ts';
import { readPage as read } from './tools/pages.ts';

type Stages = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const stagesIn = (text: string): Stages =>
  (JSON.parse(text) as { context: { notifier: Stages } }).context.notifier;

async function makeValidator() {
  const ajv = new Ajv2020({ strict: true, formats: { date: true, email: true } });
  const validate = ajv.compile(JSON.parse(await read('config.schema.json')) as object);
  return (dev: object) => validate({ context: { notifier: { dev } } });
}

describe('the documents of the config', () => {
  it('are what npm run docs makes now', async () => {
    for (const [path, text] of await makeDocuments()) expect(await read(path), path).toBe(text);
  });

  it('describe each field, those within fields too', async () => {
    const { $defs } = JSON.parse(await read('config.schema.json')) as { $defs: { stage: Schema } };
    expect(undescribed($defs.stage)).toEqual([]);
    for (const { title, fields } of readFieldGroups()) {
      for (const { name, text, allowed } of fields) {
        expect(text.length, `${title} ${name}`).toBeGreaterThan(10);
        expect(allowed, `${title} ${name}`).not.toBe('');
      }
    }
  });
});

describe('the JSON Schema of the config', () => {
  it('accepts what the checks before a deployment accept', async () => {
    const accepts = await makeValidator();
    const stages = [
      ...Object.values(stagesIn(await read('../cdk.json'))),
      ...Object.values(stagesIn(await read('config.example.json'))),
      { ...ADDRESSES, ...EVERYTHING, ...SURROUNDINGS, ...FORMER },
    ];
    for (const stage of stages) expect(accepts(stage)).toBe(true);
  });

  it.each([
    { baseUrl: undefined },
    { everyMinute: 1 },
    { perPage: 0 },
    { perPage: 1.5 },
    { perPage: '50' },
    { region: 'Frankfurt' },
    { logRetentionDays: 2 },
    { topicType: 'FIFO' },
    { subscribers: [{ name: 'a', protocol: 'email', endpoint: 'b' }] },
    { additionalResources: [{ name: 'a' }] },
  ])('refuses %j', async (fields) => {
    const accepts = await makeValidator();
    expect(accepts(JSON.parse(JSON.stringify({ ...ADDRESSES, ...fields })) as object)).toBe(false);
  });
});

describe('the example', () => {
  it('is a valid stage with every field, but for those that exclude others', async () => {
    const { example = {} } = stagesIn(await read('config.example.json'));
    expect(parseConfig({ example })['example']).toMatchObject(example);
    const ofStage = readFieldGroups().filter(({ path }) => path.length === 0);
    const all = ofStage.flatMap(({ fields }) => fields.map(({ name }) => name));
    // Only a FIFO topic has an archive, and it delivers to queues only. Alarms have one way.
    const excluded = ['alarmTopicArn', 'archiveDays', 'existingTableArn', 'existingSecretArn'];
    expect(all.filter((name) => !(name in example)).sort()).toEqual(excluded.sort());
  });
});

interface Schema {
  readonly description?: string;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function undescribed({ properties = {}, items }: Schema): string[] {
  return [
    ...(items ? undescribed(items) : []),
    ...Object.entries(properties).flatMap(([name, field]) => [
      ...(field.description === undefined ? [name] : []),
      ...undescribed(field).map((inner) => `${name}.${inner}`),
    ]),
  ];
}
