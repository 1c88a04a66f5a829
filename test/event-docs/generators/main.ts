import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { FOLDER } from '../documents.ts';

// Checks that generators of code make of the documents what a person would write. The generators bring
// 339 packages, so they are no dependencies: this command installs them beside the caches of the tests.

const PACKAGES = {
  'json-schema-to-typescript': '16.0.0',
  'quicktype-core': '26.0.0',
  '@asyncapi/modelina': '5.10.1',
};
const ROOT = new URL('../../../', import.meta.url);
const INSTALLED = new URL('node_modules/.cache/generators/', ROOT);
/** Generated code is compiled here, without types of packages. */
const OUT = new URL('out/', INSTALLED);

/** Names that generators make up for a schema without a title, or for the second of a kind. */
const MADE_UP = /^(Anonymous|Purple|Fluffy|Tentacled|Sticky|Indigo|Indecent)|\d$/;

/** Code of a subscriber, compiled against the types of an event. */
const CONSUMER = `
export const nameOf = (event: KnownEvent): string | undefined =>
  event.type === 'floorplan.updated' ? event.data.object.name : undefined;
export const oldNameOf = (event: FloorplanUpdated): string | undefined => event.data.previous?.name;
export const sheetOf = (event: SheetCreated): Sheet => event.data.object;
`;

interface Bundle {
  readonly $defs: Readonly<Record<string, object>>;
}

async function generate(): Promise<void> {
  await install();
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  const text = await readFile(new URL('schemas.json', FOLDER), 'utf8');
  const titles = Object.keys((JSON.parse(text) as Bundle).$defs);
  await withJsonSchemaToTypescript(titles);
  await withQuicktype(text, titles);
  await withModelina(titles);
}

/** Installs the generators, unless the same versions are there. */
async function install(): Promise<void> {
  const manifest = new URL('package.json', INSTALLED);
  const wanted = JSON.stringify({ private: true, type: 'module', dependencies: PACKAGES });
  if (existsSync(manifest) && (await readFile(manifest, 'utf8')) === wanted) return;
  await mkdir(INSTALLED, { recursive: true });
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--no-save'];
  const packages = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  const prefix = ['--prefix', fileURLToPath(INSTALLED)];
  await writeFile(manifest, '{}');
  execFileSync('npm', ['install', ...prefix, ...options, ...packages], { stdio: 'inherit' });
  await writeFile(manifest, wanted);
}

async function load<T>(name: keyof typeof PACKAGES): Promise<T> {
  const require = createRequire(new URL('package.json', INSTALLED));
  return (await import(pathToFileURL(require.resolve(name)).href)) as T;
}

interface JsonSchemaToTypescript {
  readonly compileFromFile: (path: string, options: object) => Promise<string>;
}

async function withJsonSchemaToTypescript(titles: readonly string[]): Promise<void> {
  const { compileFromFile } = await load<JsonSchemaToTypescript>('json-schema-to-typescript');
  const compile = (path: string, options = {}) =>
    compileFromFile(fileURLToPath(new URL(path, FOLDER)), options);
  const code = await compile('schemas.json');
  const names = [...code.matchAll(/^export (?:interface|type) (\w+)/gm)].map(
    ([, name = '']) => name,
  );
  report('json-schema-to-typescript', names, [...titles, 'SitecastEvent', 'KnownEvent']);
  await compileTypes('json-schema-to-typescript.ts', code + CONSUMER);
  const single = `type KnownEvent = FloorplanUpdated;\n${CONSUMER.replace(/^.*Sheet.*$/m, '')}`;
  await compileTypes('single.ts', (await compile('schemas/floorplan.updated.json')) + single);
}

interface Quicktype {
  readonly quicktype: (options: object) => Promise<{ readonly lines: readonly string[] }>;
  readonly InputData: new () => { addInput(input: object): void };
  readonly JSONSchemaInput: new (store: undefined) => { addSource(source: object): Promise<void> };
}

/** As the command for Python in docs/events/README.md. */
async function withQuicktype(schema: string, titles: readonly string[]): Promise<void> {
  const { quicktype, InputData, JSONSchemaInput } = await load<Quicktype>('quicktype-core');
  const input = new JSONSchemaInput(undefined);
  await input.addSource({ name: 'events', uris: ['#/$defs/'], schema });
  const inputData = new InputData();
  inputData.addInput(input);
  const rendererOptions = { 'pydantic-base-model': 'true' };
  const { lines } = await quicktype({ inputData, lang: 'python', rendererOptions });
  const code = lines.join('\n').replaceAll('(BaseModel):', '(BaseModel, extra="allow"):');
  const names = [...code.matchAll(/^class (\w+)\(BaseModel/gm)].map(([, name = '']) => name);
  const madeUp = /^class (Purple|Fluffy|Tentacled|Sticky)\w*/m.exec(code)?.[0];
  if (madeUp !== undefined) throw new Error(`quicktype: ${madeUp}`);
  // Old values of any entity are a plain dictionary.
  report(
    'quicktype',
    names,
    titles.filter((title) => title !== 'PreviousEntity'),
  );
  const change = /^class FloorplanChange\(.*?^class /ms.exec(code)?.[0] ?? '';
  if (!/^ {4}object: Floorplan$/m.test(change)) throw new Error(`quicktype: ${change}`);
  await writeFile(new URL('events.py', OUT), code);
  keepUnknownFields();
}

/** Reads and writes an event in Python, with fields that no schema has. */
function keepUnknownFields(): void {
  const python = (code: string) =>
    execFileSync('python3', ['-c', code], { cwd: fileURLToPath(OUT), encoding: 'utf8' });
  try {
    python('import pydantic; assert pydantic.VERSION >= "2"');
  } catch {
    console.log('events.py: not run, since there is no python3 with pydantic 2');
    return;
  }
  const example = fileURLToPath(new URL('schemas/floorplan.updated.json', FOLDER));
  python(`
import events, json
event = json.load(open(${JSON.stringify(example)}))["examples"][0]
event["attribute"] = event["data"]["field"] = event["data"]["object"]["colour"] = "new"
text = events.FloorplanUpdated.model_validate(event).model_dump_json(exclude_unset=True)
read = json.loads(text)
assert read.keys() == event.keys(), text
assert read["data"].keys() == event["data"].keys(), text
assert read["data"]["object"].keys() == event["data"]["object"].keys(), text
`);
  console.log('events.py: keeps fields that the schemas do not have');
}

interface Modelina {
  readonly TypeScriptGenerator: new (options: object) => {
    generate(
      document: object,
    ): Promise<readonly { readonly modelName: string; readonly result: string }[]>;
  };
}

async function withModelina(titles: readonly string[]): Promise<void> {
  const { TypeScriptGenerator } = await load<Modelina>('@asyncapi/modelina');
  const generator = new TypeScriptGenerator({
    // Otherwise `object` becomes `reservedObject`.
    ...{ modelType: 'interface', rawPropertyNames: true, mapType: 'record' },
    enumType: 'union',
  });
  const document = await readFile(new URL('asyncapi.json', FOLDER), 'utf8');
  const models = await generator.generate(JSON.parse(document) as object);
  const names = models.map(({ modelName }) => modelName);
  report(
    'modelina',
    names.filter((name) => name !== 'Changes' && name !== 'Webhook'),
    titles.filter((title) => title !== 'PreviousEntity'),
  );
  const code = models.map(({ result }) => result).join('\n');
  const known = code.includes('type KnownEvent') ? '' : 'type KnownEvent = FloorplanUpdated;\n';
  await compileTypes('modelina.ts', code + known + CONSUMER);
}

/** Compares the names of generated types with the titles of the schemas. */
function report(generator: string, names: readonly string[], expected: readonly string[]): void {
  const problems = [
    ...names.filter((name) => MADE_UP.test(name)).map((name) => `${name} is made up`),
    ...expected.filter((title) => !names.includes(title)).map((title) => `${title} is missing`),
    ...names.filter((name) => !expected.includes(name)).map((name) => `${name} is not a schema`),
  ];
  if (problems.length > 0) throw new Error(`${generator}: ${problems.join(', ')}`);
  console.log(`${generator}: ${names.length} types, each named after its schema`);
}

async function compileTypes(name: string, code: string): Promise<void> {
  const file = new URL(name, OUT);
  await writeFile(file, code);
  const compiler = fileURLToPath(new URL('node_modules/@typescript/native/bin/tsc', ROOT));
  const options = ['--noEmit', '--strict', '--ignoreConfig', '--types', '', '--target', 'es2022'];
  execFileSync(process.execPath, [compiler, ...options, fileURLToPath(file)], { stdio: 'inherit' });
  console.log(`${name}: event.data.object.name has its type`);
}

await generate();
