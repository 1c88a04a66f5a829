import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { initialLoad, verifyMirror, type Gap, type ListOptions } from 'sitecast-events';
import { createTable, findVersion, saveVersion } from './latest-state.ts';

// Loads all entities into a table, and repairs it:
// npx node docs/examples/initial-load.ts <service> <token endpoint> <token file> \
//   [<DynamoDB of a laptop>] [--config <JSON file>]

/**
 * The operator's config of the lists, as in a stage of cdk.json. Without it, entities that have
 * events may be left out.
 */
export interface ListConfig {
  readonly serviceVersion?: string;
  readonly headers?: {
    readonly version?: string;
    readonly perPage?: string;
    readonly extra?: Readonly<Record<string, string>>;
  };
  /** By the name of a list. */
  readonly query?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly withCurrentSheet?: boolean;
  readonly additionalResources?: readonly { readonly name: string; readonly path: string }[];
}

/** The service and a refresh token of yours. */
export interface ServiceAccess extends ListConfig {
  /** As in the config of Sitecast, or with `/api/v3`, as `npm start` prints it. */
  readonly baseUrl: string;
  /** As in the config of Sitecast, or with `/api_keys/jwt`. */
  readonly authUrl: string;
  readonly refreshToken: string;
}

/** Milliseconds after which every event should have arrived. */
const SETTLED_MS = 3_600_000;

/** Saves all entities of the service in the table of `latest-state.ts`. @returns what it left out. */
export async function load(
  service: ServiceAccess,
  database: DynamoDBClient,
  table: string,
): Promise<readonly Gap[]> {
  const save = saveVersion.bind(undefined, database, table);
  const { entityCount, gaps } = await initialLoad({ ...listsOf(service), save });
  console.log(`${entityCount} entities loaded.`);
  return gaps;
}

/** Compares the table with the service, and saves missing and outdated entities again. */
export async function repair(
  service: ServiceAccess,
  database: DynamoDBClient,
  table: string,
): Promise<readonly Gap[]> {
  const find = findVersion.bind(undefined, database, table);
  const changedBefore = new Date(Date.now() - SETTLED_MS).toISOString();
  const report = await verifyMirror({ ...listsOf(service), find, changedBefore });
  for (const { kind, version } of report.differences) {
    console.warn(kind, version.subject, version.sequence);
    await saveVersion(database, table, version);
  }
  const { length } = report.differences;
  console.log(
    `${report.checkedCount} entities older than an hour compared, ${length} differences.`,
  );
  return report.gaps;
}

/** Requests as the operator's, with an access token, which expires after minutes or hours. */
export function listsOf({ refreshToken, ...service }: ServiceAccess): ListOptions {
  const baseUrl = service.baseUrl.replace(/\/api\/v3\/?$/, '');
  const authUrl = service.authUrl.replace(/\/api_keys\/jwt\/?$/, '');
  let token: Promise<string> | undefined;
  const send = async (url: string, headers: Headers): Promise<Response> => {
    token ??= exchange(authUrl, refreshToken);
    headers.set('authorization', `Bearer ${await token}`);
    return request(url, { headers });
  };
  const get: ListOptions['get'] = async (url, given) => {
    const address = addressOf(url, service);
    const headers = headersOf(given, service);
    const response = await send(address, headers);
    if (response.status !== 401) return response;
    token = undefined;
    return send(address, headers);
  };
  const { withCurrentSheet = false, additionalResources = [] } = service;
  const additionalPaths = additionalResources.map(({ path }) => path);
  return { source: `${baseUrl}/api/v3`, get, withCurrentSheet, additionalPaths };
}

/** Adds the parameters of the list, which is the last part of its path. */
function addressOf(url: string, { query = {}, additionalResources = [] }: ListConfig): string {
  const address = new URL(url);
  const part = address.pathname.split('/').at(-1) ?? '';
  const { name = part } = additionalResources.find(({ path }) => path.endsWith(`/${part}`)) ?? {};
  for (const [key, value] of Object.entries(query[name] ?? {})) {
    address.searchParams.set(key, value);
  }
  return address.href;
}

function headersOf(
  { 'Service-Per-Page': perPage = '', ...others }: Readonly<Record<string, string>>,
  { serviceVersion, headers = {} }: ListConfig,
): Headers {
  const result = new Headers({ ...headers.extra, ...others });
  result.set(headers.perPage ?? 'Service-Per-Page', perPage);
  if (serviceVersion !== undefined) {
    result.set(headers.version ?? 'Service-Version', serviceVersion);
  }
  return result;
}

async function exchange(authUrl: string, refreshToken: string): Promise<string> {
  const response = await request(`${authUrl}/api_keys/jwt`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ api_token: refreshToken }),
  });
  if (!response.ok) {
    const { url, status } = response;
    const question = 'Are the address and the token right?';
    throw new Error(`${url} answers the refresh token with ${status}. ${question}`);
  }
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return access_token;
}

/** Says which address cannot be reached: the error of `fetch` does not. */
async function request(url: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(url, options);
  } catch (error) {
    const { message, cause } = error as Error;
    const reason = (cause as Error | undefined)?.message ?? message;
    throw new Error(`${url} cannot be reached: ${reason}. Is the address right?`, { cause: error });
  }
}

/** Ends the program with one sentence. */
function fail(text: string): never {
  console.error(text);
  process.exit(1);
}

function readArguments() {
  try {
    return parseArgs({ allowPositionals: true, options: { config: { type: 'string' } } });
  } catch {
    return showUsage();
  }
}

function showUsage(): never {
  console.error('Usage: npx node docs/examples/initial-load.ts <service> <token endpoint>');
  console.error('  <token file> [<DynamoDB>] [--config <JSON file>]');
  process.exit(2);
}

async function readText(path: string, name: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: Error) =>
    fail(`The ${name} cannot be read: ${error.message}`),
  );
}

if (import.meta.main) {
  const { positionals, values } = readArguments();
  const [baseUrl, authUrl, tokenFile, endpoint] = positionals;
  if (baseUrl === undefined || authUrl === undefined || tokenFile === undefined) showUsage();
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const database = new DynamoDBClient(
    endpoint === undefined ? {} : { endpoint, region: 'us-east-1', credentials },
  );
  const refreshToken = (await readText(tokenFile, 'refresh token')).trim();
  const config = values.config === undefined ? '{}' : await readText(values.config, 'config');
  await createTable(database, 'mirror').catch(({ message, name }: Error) => {
    const hint =
      endpoint === undefined
        ? 'Set AWS_REGION and credentials, or give its address.'
        : 'Is it the address of DynamoDB?';
    fail(`${endpoint ?? 'DynamoDB'} cannot be used: ${message || name}. ${hint}`);
  });
  try {
    const listConfig = JSON.parse(config) as ListConfig;
    const service = { ...listConfig, baseUrl, authUrl, refreshToken };
    const gaps = [await load(service, database, 'mirror')];
    gaps.push(await repair(service, database, 'mirror'));
    // Both read all lists, and leave out the same.
    const lines = gaps.flat().map(({ path, reason }) => `left out: ${path}: ${reason}`);
    for (const line of new Set(lines)) console.warn(line);
  } catch (error) {
    const { message, name } = error as Error;
    fail(message || name);
  }
}
