import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { initialLoad, verifyMirror, type ListOptions } from 'sitecast/events';
import { findVersion, saveVersion } from './latest-state.ts';

/** The service and a refresh token of yours. */
export interface ServiceAccess {
  /** `{base_url}` of the service, as in the config of Sitecast. */
  readonly baseUrl: string;
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
  console.log(`${entityCount} entities loaded`, gaps);
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
}

/** Requests with an access token, which expires after minutes or hours. */
function listsOf({ baseUrl, authUrl, refreshToken, serviceVersion }: ServiceAccess): ListOptions {
  let token: Promise<string> | undefined;
  const send = async (
    url: string,
    headers: Readonly<Record<string, string>>,
  ): Promise<Response> => {
    token ??= exchange(authUrl, refreshToken);
    const authorization = `Bearer ${await token}`;
    const version = serviceVersion === undefined ? {} : { 'Service-Version': serviceVersion };
    return fetch(url, { headers: { ...headers, ...version, authorization } });
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
  const response = await fetch(`${authUrl}/api_keys/jwt`, {
    method: 'POST',
    headers: { accept: 'application/json', 'content-type': 'application/json' },
    body: JSON.stringify({ api_token: refreshToken }),
  });
  if (!response.ok) throw new Error(`Token request failed: ${response.status}`);
  const { access_token } = (await response.json()) as { readonly access_token: string };
  return access_token;
}
