import { expect, it } from 'vitest';
import { parseFlags } from '../../../../infra/local/simulator/parse-flags.ts';

it('flags have defaults', () => {
  expect(parseFlags([])).toEqual({
    ...{ help: false, large: false, additional: false },
    ...{ port: 4010, seed: 1, activity: 2 },
  });
});

it('flags are read', () => {
  const args = ['--port', '0', '--seed=4294967295', '--activity', '0.5', '-h'];
  expect(parseFlags([...args, '--large', '--additional'])).toEqual({
    ...{ help: true, large: true, additional: true },
    ...{ port: 0, seed: 4_294_967_295, activity: 0.5 },
  });
});

it.each([
  [['--port', '65536'], '--port must be a whole number from 0 to 65535, got "65536"'],
  [['--port', '80.5'], '--port must be a whole number from 0 to 65535, got "80.5"'],
  [['--seed', 'x'], '--seed must be a whole number from 0 to 4294967295, got "x"'],
  [['--seed', '4294967296'], '--seed must be a whole number from 0 to 4294967295'],
  [['--activity', '101'], '--activity must be a number of changes a second from 0 to 100'],
  [['--activity', ''], 'got ""'],
  [['--activity=-1'], 'got "-1"'],
  [['--port'], "'--port <value>' argument missing"],
  [['--prot', '1'], 'There is no flag --prot. Did you mean --port?'],
  [['now'], "Unexpected argument 'now'"],
])('the flags %j are refused with a message that says why', (args, message) => {
  expect(() => parseFlags(args)).toThrow(message);
});
