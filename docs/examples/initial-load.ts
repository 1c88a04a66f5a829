import { readFile } from 'node:fs/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { initialLoad, verifyMirror, type Gap, type ListOptions } from 'sitecast/events';
import { createTable, findVersion, saveVersion } from './latest-state.ts';

// Loads all entities into a table, and repairs it:
// npx node docs/examples/initial-load.ts <service> <token endpoint> <token file> [<DynamoDB of a laptop>]

/** The service and a refresh token of yours. */
export interface ServiceAccess {
  /** As in the config of Sitecast, or with `/api/v3`, as `npm start` prints it. */
  readonly baseUrl: string;
  /** As in the config of Sitecast, or with `/api_keys/jwt`. */
  readonly authUrl: string;
  readonly refreshToken: string;
  /** As in the config of Sitecast; absent there: absent here. */
  readonly serviceVersion?: string;
}

/** Milliseconds after which every event should have arrived. */
const SETTLED_MS = 3_600_000;

/** Saves all entities of the service in the table of `latest-state.ts`. */
export async function load(
  service: ServiceAccess,
  database: DynamoDBClient,
  table: string,
): Promise<void> {
  const save = saveVersion.bind(undefined, database, table);
  const { entityCount, gaps } = await initialLoad({ ...listsOf(service), save });
  console.log(`${entityCount} entities loaded.`);
  warnOf(gaps);
}

/** Compares the table with the service, and saves again what is missing or outdated. */
export async function repair(
  service: ServiceAccess,
  database: DynamoDBClient,
  table: string,
): Promise<void> {
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
  warnOf(report.gaps);
}

function warnOf(gaps: readonly Gap[]): void {
  for (const { path, reason } of gaps) console.warn(`${path} could not be read: ${reason}`);
}

/** Requests with an access token, which expires after minutes or hours. */
function listsOf({ refreshToken, serviceVersion, ...service }: ServiceAccess): ListOptions {
  const baseUrl = service.baseUrl.replace(/\/api\/v3\/?$/, '');
  const authUrl = service.authUrl.replace(/\/api_keys\/jwt\/?$/, '');
  let token: Promise<string> | undefined;
  const send = async (
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> => {
    token ??= exchange(authUrl, refreshToken);
    const authorization = `Bearer ${await token}`;
    const version: Readonly<Record<string, string>> =
      serviceVersion === undefined ? {} : { 'Service-Version': serviceVersion };
    return request(url, { headers: { ...headers, ...version, authorization } });
  };
  const get: ListOptions['get'] = async (url, headers) => {
    const response = await send(url, headers);
    if (response.status !== 401) return response;
    token = undefined;
    return send(url, headers);
  };
  return { source: `${baseUrl}/api/v3`, get };
}

async function exchange(authUrl: string, refreshToken: string): Promise<string> {
  const response = await request(`${authUrl}/api_keys/jwt`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ api_token: refreshToken }),
  });
  if (!response.ok) {
    throw new Error(
      `${response.url} answers the refresh token with ${response.status}. Are the address and the token right?`,
    );
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

if (import.meta.main) {
  const [, , baseUrl, authUrl, tokenFile, endpoint] = process.argv;
  if (baseUrl === undefined || authUrl === undefined || tokenFile === undefined) {
    console.error(
      'Usage: npx node docs/examples/initial-load.ts <service> <token endpoint> <token file> [<DynamoDB>]',
    );
    process.exit(2);
  }
  const credentials = { accessKeyId: 'any', secretAccessKey: 'any' };
  const database = new DynamoDBClient(
    endpoint === undefined ? {} : { endpoint, region: 'us-east-1', credentials },
  );
  const refreshToken = await readFile(tokenFile, 'utf8').catch((error: Error) =>
    fail(`The refresh token cannot be read: ${error.message}`),
  );
  await createTable(database, 'mirror').catch((error: Error) =>
    fail(
      endpoint === undefined
        ? `DynamoDB cannot be used: ${error.message || error.name}. Set AWS_REGION and credentials, or give its address.`
        : `${endpoint} cannot be used: ${error.message || error.name}. Is it the address of DynamoDB?`,
    ),
  );
  const service = { baseUrl, authUrl, refreshToken: refreshToken.trim() };
  try {
    await load(service, database, 'mirror');
    await repair(service, database, 'mirror');
  } catch (error) {
    const { message, name } = error as Error;
    fail(message || name);
  }
}
