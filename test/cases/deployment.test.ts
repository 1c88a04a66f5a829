import { expect, it } from 'vitest';
import { parseConfig } from '../../infra/config/config.ts';
import { ADDRESSES } from '../support/config-samples.ts';

it.each(['cron(0 3 * * * *)', 'cron(60 25 32 13 ? abcd)'])(
  'A schedule is written as everywhere else, which AWS refuses (%s): refused before the deployment, with a right one',
  (schedule) => {
    expect(() => parseConfig({ dev: { ...ADDRESSES, reconcile: { schedule } } })).toThrow(
      `reconcile.schedule is "${schedule}"; allowed: "daily", "weekly", or `,
    );
  },
);
