import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildCommand } from '@stricli/core';
import { DEFAULT_PORTS } from '../../local/embedded/endpoints.ts';
import { CliError } from '../cli-error.ts';
import { JSON_FLAG, wholeNumber } from '../flags.ts';
import { formatFields } from '../format.ts';
import { stopOnSignals, type CliContext } from '../terminal.ts';

interface ServiceFlags {
  readonly port?: number | undefined;
  readonly seed: number;
  readonly activity: number;
  readonly json?: boolean | undefined;
}

const PORT = DEFAULT_PORTS.service;
const MAX_SEED = 2 ** 32 - 1;

export const serviceCommand = buildCommand<ServiceFlags, [], CliContext>({
  docs: { brief: 'Run the simulated service alone, until Ctrl-C' },
  parameters: {
    flags: {
      port: {
        ...wholeNumber(
          0,
          65_535,
          `Port on 127.0.0.1; default ${PORT}, or a free one if it is taken`,
        ),
        optional: true,
      },
      seed: { ...wholeNumber(0, MAX_SEED, 'Seed of the world and all randomness'), default: '1' },
      activity: { ...wholeNumber(0, 100, 'Changes a second, 0 for none'), default: '2' },
      json: JSON_FLAG,
    },
  },
  async func({ port, seed, activity, json }) {
    const stop = stopOnSignals(this.process);
    // Loaded late: the help needs none of it.
    const { makeTemporaryFolder } = await import('../../local/stack/local-stack-file.ts');
    const { startSimulator } = await import('../../local/simulator/simulator.ts');
    const options = { port: port ?? PORT, seed, activity: activity > 0 && activity };
    const service = await startSimulator(options);
    const isOther = ![undefined, 0, Number(new URL(service.baseUrl).port)].includes(port);
    if (isOther) {
      await service.close();
      throw new CliError(`Port ${port} is taken.`, 'Name another one, or 0 for any free one.');
    }
    // The token is in a file, since the output may end up in a log.
    const folder = await makeTemporaryFolder();
    const tokenFile = join(folder, 'refresh-token');
    await writeFile(tokenFile, service.refreshToken, { mode: 0o600 });
    const { baseUrl, authUrl, adminUrl } = service;
    const addresses = { baseUrl, authUrl, adminUrl, tokenFile };
    const lines = [
      ...formatFields(addresses),
      ...['', 'How to call it: infra/local/simulator/README.md of the repository.'],
    ];
    this.process.stdout.write(`${json === true ? JSON.stringify(addresses) : lines.join('\n')}\n`);
    if (!stop.aborted) await once(stop, 'abort');
    await service.close();
    await rm(folder, { recursive: true });
  },
});
