import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { HELP, parseOptions } from '../../../../infra/local/terminal/parse-options.ts';
import { OptionInvalidError } from '../../../../infra/local/terminal/read-flags.ts';

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

afterEach(() => vi.unstubAllEnvs());

describe('parseOptions', () => {
  it.each([
    ['npm_config_every', 'every'],
    ['npm_config_service_version', 'service-version'],
    ['npm_config_console', 'no-console'],
  ])('says that npm kept a flag for itself if it set %s', (variable, flag) => {
    vi.stubEnv(variable, '');
    expect(() => parseOptions([])).toThrow(
      `npm keeps --${flag} for itself: put -- before the flags. Run npm start -- --help to list the flags.`,
    );
  });

  it('defaults to the simulated service, every 5 s, until Ctrl-C', () => {
    expect(parseOptions([])).toEqual({
      every: 5,
      ...{ fifo: false, headless: false, help: false, json: false, verbose: false },
      ...{ additional: false, large: false, withSheets: false, webhooks: [] },
    });
  });

  it('reads every flag', () => {
    const args =
      '--headless --json --verbose --fifo --seconds 30 --every 2 --seed=7 --large --additional ' +
      '--with-sheets --service-version 2021-03-29 --stage dev ' +
      '--webhook http://localhost:3000/hook --webhook https://hook.test/a?b=c';
    expect(parseOptions(args.split(' '))).toEqual({
      ...{ every: 2, fifo: true, headless: true, help: false, json: true, verbose: true },
      ...{ additional: true, large: true, withSheets: true, serviceVersion: '2021-03-29' },
      ...{ seconds: 30, seed: 7 },
      webhooks: ['http://localhost:3000/hook', 'https://hook.test/a?b=c'],
      stage: { name: 'dev', config: expect.objectContaining({ everyMinutes: 1 }) as object },
    });
  });

  it('leaves the console out with --no-console as with --headless', () => {
    expect(parseOptions(['--no-console'])).toEqual(parseOptions(['--headless']));
  });

  it('takes no address of a stage', () => {
    expect(Object.keys(parseOptions(['--stage', 'dev']).stage?.config ?? {})).not.toContain(
      'baseUrl',
    );
  });

  it('understands -h', () => {
    expect(parseOptions(['-h']).help).toBe(true);
  });

  it('reads the refresh token of a real service from its file', () => {
    const { service } = parseOptions([...SERVICE, '--token-file', tokenFile]);
    expect(service).toMatchObject({ baseUrl: 'https://api.test', authUrl: 'https://auth.test' });
    expect(service?.tokenFile.token).toBe(TOKEN);
  });

  it.each([
    [['--seconds', '0'], '--seconds is "0"; allowed: a whole number from 1 to 86400'],
    [['--seconds', 'ten'], '--seconds is "ten"; allowed: a whole number from 1 to 86400'],
    [['--seconds', '1e3'], '--seconds is "1e3"; allowed: a whole number from 1 to 86400'],
    [['--every', '0.5'], '--every is "0.5"; allowed: a whole number from 1 to 3600'],
    [['--seconds', '-3'], '--seconds has no value; a value that begins with a dash is written'],
    [['--seed=-1'], '--seed is "-1"; allowed: a whole number from 0 to 4294967295'],
    [
      ['--second', '1'],
      'There is no flag --second. Did you mean --seconds? Run npm start -- --help',
    ],
    [['--vebrose'], 'Did you mean --verbose?'],
    [['--colour'], 'There is no flag --colour. Run npm start'],
    [['-x'], 'There is no flag -x. Run npm start'],
    [
      ['--stage', 'def'],
      '--stage is "def"; allowed: a stage of cdk.json or the example (dev, example). Did you mean dev?',
    ],
    [['--service-version', 'old'], '--service-version is "old"; allowed: a date YYYY-MM-DD'],
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
    ['--service', 'api.test', 'api.test', 'an https URL'],
    ['--service', 'http://api.test', 'http://api.test', 'an https URL'],
    ['--service', 'https://api.test/api/v3', 'https://api.test/api/v3', 'without /api/v3'],
    ['--service', 'https://user:secret@api.test', 'https://…@api.test', 'a URL without user'],
    ['--auth', 'ftp://auth.test', 'ftp://auth.test', 'an https URL'],
  ])('refuses a %s that a deployment would refuse: %s', (flag, value, shown, allowed) => {
    const values = {
      '--service': 'https://api.test',
      '--auth': 'https://auth.test',
      '--token-file': tokenFile,
      [flag]: value,
    };
    const parse = () => parseOptions(Object.entries(values).flat());
    expect(parse).toThrow(`${flag} is "${shown}"; allowed: ${allowed}`);
    expect(parse).not.toThrow(TOKEN);
  });

  it.each([
    [
      ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `https://hook.test/${name}`),
      '--webhook is given 7 times; allowed: a maximum of 6',
    ],
    [['hook'], '--webhook is "hook"; allowed: an https URL, or http for this machine: http://'],
    [['ftp://localhost/a'], '--webhook is "ftp://localhost/a"; allowed: an https URL, or http'],
    [['http://hook.test/a'], 'allowed: an https URL, since only this machine is reached without'],
    [['https://hook.test', 'http://10.0.0.1/'], '--webhook is "http://10.0.0.1/"; allowed: an'],
    [['http://user:secret@localhost/a'], '"http://…@localhost/a"; allowed: a URL without user'],
    [['https://hook.test/#a'], 'allowed: a URL without fragment (#)'],
    [
      ['http://localhost', 'http://localhost/'],
      '"http://localhost/" twice; allowed: each URL once',
    ],
  ])('refuses the webhooks %j and says what is allowed', (urls, message) => {
    const parse = () => parseOptions(urls.flatMap((url) => ['--webhook', url]));
    expect(parse).toThrow(OptionInvalidError);
    expect(parse).toThrow(message);
  });

  it.each(['--seed=0', '--large', '--additional'])('refuses %s with a real service', (flag) => {
    expect(() => parseOptions([...SERVICE, flag, '--token-file', tokenFile])).toThrow(
      `${flag.split('=', 1).join()} applies only to the simulated service`,
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

  it('describes every flag in its help, in lines that fit 80 columns', () => {
    for (const line of HELP.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
    const flags =
      'no-console seconds json every fifo verbose seed service auth token-file help ' +
      'stage service-version with-sheets large additional';
    for (const flag of flags.split(' ')) expect(HELP).toContain(`--${flag} `);
  });
});
