import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  HELP,
  OptionInvalidError,
  parseOptions,
} from '../../../../infra/local/terminal/parse-options.ts';

const TOKEN = 'tok-3f9a';
const SERVICE = ['--service', 'https://api.test', '--auth', 'https://auth.test'];
let directory: string;
let tokenFile: string;
let badFile: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sitecast-test-'));
  tokenFile = join(directory, 'token');
  badFile = join(directory, 'bad');
  await writeFile(tokenFile, `${TOKEN}\n`);
  await writeFile(badFile, `${TOKEN}\nsecond line\n`);
});

afterAll(() => rm(directory, { recursive: true }));

describe('parseOptions', () => {
  it('defaults to the simulated service, every 5 s, until Ctrl-C', () => {
    expect(parseOptions([])).toEqual({
      every: 5,
      fifo: false,
      headless: false,
      help: false,
      json: false,
      verbose: false,
    });
  });

  it('reads every flag', () => {
    const args = '--headless --json --verbose --fifo --seconds 30 --every 2 --seed=7';
    expect(parseOptions(args.split(' '))).toEqual({
      every: 2,
      fifo: true,
      headless: true,
      help: false,
      json: true,
      seconds: 30,
      seed: 7,
      verbose: true,
    });
  });

  it('reads the refresh token of a real service from its file', () => {
    expect(parseOptions([...SERVICE, '--token-file', tokenFile]).service).toEqual({
      baseUrl: 'https://api.test',
      authUrl: 'https://auth.test',
      refreshToken: TOKEN,
    });
  });

  it.each([
    [['--seconds', '0'], '--seconds is "0"; allowed: a whole number from 1 to 86400'],
    [['--seconds', 'ten'], '--seconds is "ten"; allowed: a whole number from 1 to 86400'],
    [['--seconds', '1e3'], '--seconds is "1e3"; allowed: a whole number from 1 to 86400'],
    [['--every', '0.5'], '--every is "0.5"; allowed: a whole number from 1 to 3600'],
    [['--seed=-1'], '--seed is "-1"; allowed: a whole number from 0 to 4294967295'],
    [['--second', '1'], "Unknown option '--second'"],
    [['--seconds'], "'--seconds <value>' argument missing"],
    [['--json=yes'], "'--json' does not take an argument"],
    [['now'], "Unexpected argument 'now'"],
    [['--service', 'https://a.test'], '--auth and --token-file missing'],
    [['--token-file', 'x'], '--service and --auth missing'],
  ])('refuses %j and says what is allowed', (args, message) => {
    expect(() => parseOptions(args)).toThrow(OptionInvalidError);
    expect(() => parseOptions(args)).toThrow(message);
  });

  it.each([
    ['--service', 'api.test'],
    ['--auth', 'ftp://auth.test'],
  ])('refuses a %s that is no URL', (flag, value) => {
    const values = {
      '--service': 'https://api.test',
      '--auth': 'https://auth.test',
      '--token-file': tokenFile,
      [flag]: value,
    };
    expect(() => parseOptions(Object.entries(values).flat())).toThrow(
      `${flag} is "${value}"; allowed: an http or https URL`,
    );
  });

  it('refuses a seed together with a real service', () => {
    expect(() => parseOptions([...SERVICE, '--seed', '1', '--token-file', tokenFile])).toThrow(
      '--seed applies only to the simulated service',
    );
  });

  it('refuses a token file that is not there, naming it', () => {
    const missing = join(directory, 'missing');
    expect(() => parseOptions([...SERVICE, '--token-file', missing])).toThrow(
      `--token-file is ${JSON.stringify(missing)} (ENOENT); allowed: a readable file`,
    );
  });

  it('refuses a token file with more than a token, and never prints its content', () => {
    const parsing = () => parseOptions([...SERVICE, '--token-file', badFile]);
    expect(parsing).toThrow(`--token-file is ${JSON.stringify(badFile)}; allowed: a file with`);
    expect(parsing).not.toThrow(TOKEN);
  });

  it('describes every flag in its help', () => {
    const flags = 'headless seconds json every fifo verbose seed service auth token-file help';
    for (const flag of flags.split(' ')) expect(HELP).toContain(`--${flag}`);
  });
});
