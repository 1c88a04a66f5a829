import { buildCommand } from '@stricli/core';
import { flag, JSON_FLAG, text, wholeNumber } from '../flags.ts';
import type { CliContext } from '../terminal.ts';
import type { DevFlags } from './read-options.ts';

/** `sitecast dev`, which is `npm start`. */
export const devCommand = buildCommand<DevFlags, [], CliContext>({
  docs: {
    brief: 'Run Sitecast on this machine, until Ctrl-C',
    fullDescription: `Run Sitecast on this machine: the synthesized stack on embedded AWS services
polls a simulated service. Prints the address of a web console, where you change the service and see
events arrive, and a line for every event that a subscriber receives.

--service, --auth and --token-file name a real service. Its events stay on this machine.`,
    customUsage: ['[flags]'],
  },
  parameters: {
    flags: {
      seconds: {
        ...wholeNumber(1, 86_400, 'Stop after so many seconds, at the end of a run'),
        optional: true,
      },
      every: { ...wholeNumber(1, 3600, 'Seconds between two runs'), default: '5' },
      json: {
        ...JSON_FLAG,
        brief: 'One CloudEvent a line on standard output, all else on standard error',
      },
      verbose: flag('Show all logs of the functions'),
      console: { kind: 'boolean', brief: 'Start the web console', default: true },
      headless: flag('Start no web console, as --no-console'),
      webhook: {
        ...text('url', 'Deliver each event there by signed POST requests; may be repeated'),
        variadic: true,
      },
      stage: text('name', 'Stage whose config is used, or example, without its addresses'),
      service: text('url', 'Address of a real service'),
      auth: text('url', 'Address of its token endpoint'),
      tokenFile: text('file', 'File with the refresh token'),
    },
  },
  async func(flags) {
    // Loaded late: the help needs none of it.
    const { startDev } = await import('./start-dev.ts');
    return startDev(flags, this.process);
  },
});
