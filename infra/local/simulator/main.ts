import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { listenPreferably } from '../embedded/http-server.ts';
import { makeTemporaryFolder } from '../stack/temporary-folder.ts';
import { OptionInvalidError } from '../terminal/read-flags.ts';
import { parseFlags, USAGE, type Flags } from './parse-flags.ts';
import { startSimulator, type Simulator } from './simulator.ts';

try {
  const flags = parseFlags(process.argv.slice(2));
  if (flags.help) console.log(USAGE);
  else await run(flags);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = error instanceof OptionInvalidError ? 2 : 1;
}

/** Runs the service until it is told to stop. */
async function run(flags: Flags): Promise<void> {
  // The terminal and npm both pass Ctrl-C on; the second one must not interrupt the stop.
  const stopped = Promise.race(
    ['SIGINT', 'SIGTERM'].map((signal) => new Promise((resolve) => process.on(signal, resolve))),
  );
  const service = await start(flags);
  // The token is written to a file, because the output may end up in a log.
  const folder = await makeTemporaryFolder();
  try {
    const tokenFile = join(folder, 'refresh-token');
    await writeFile(tokenFile, service.refreshToken, { mode: 0o600 });
    console.log(welcome(service, flags, tokenFile));
    await stopped;
  } finally {
    await service.close();
    await rm(folder, { recursive: true });
  }
}

async function start({ port, activity, ...options }: Flags): Promise<Simulator> {
  const service = await listenPreferably(port, (free) =>
    startSimulator({ ...options, port: free, activity: activity === 0 ? false : activity }),
  );
  if (port !== 0 && new URL(service.baseUrl).port !== String(port)) {
    console.error(`Port ${port} is taken. Using another port.`);
  }
  return service;
}

function welcome(service: Simulator, { seed, activity }: Flags, tokenFile: string): string {
  const { baseUrl, authUrl, adminUrl } = service;
  return `Simulated Construction Project Service API v3

  base url       ${baseUrl}
  auth url       ${authUrl}
  admin url      ${adminUrl}
  refresh token  in the file ${tokenFile}
  world          seed ${seed}, ${activity === 0 ? 'no activity' : `${activity} changes a second`}

Call it:

  TOKEN=$(printf '{"api_token":"%s"}' "$(cat ${tokenFile})" |
    curl -s ${authUrl}/api_keys/jwt -H 'content-type: application/json' -d @- |
    sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
  echo "authorization: Bearer $TOKEN" |
    curl -i ${baseUrl}/api/v3/projects -H @- -H 'Service-Per-Page: 3'

Documentation: docs/simulated-service.md. Press Ctrl-C to stop.`;
}
