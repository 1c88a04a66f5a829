import { expect, it } from 'vitest';
import { asTyped, typedProgram, typedStack } from '../../../infra/cli/typed-program.ts';

const CLONE = { npm_lifecycle_event: 'sitecast' };

it.each([
  [CLONE, 'npm run sitecast --'],
  [{ npm_lifecycle_event: 'npx', npm_lifecycle_script: 'sitecast' }, 'npx sitecast'],
  [{ npm_lifecycle_event: 'npx', npm_lifecycle_script: 'vitest' }, 'sitecast'],
  [{}, 'sitecast'],
])('with %j the program is typed as %s', (env, program) => {
  expect(typedProgram(env)).toBe(program);
});

it('replaces the program in commands, and nothing else', () => {
  expect(asTyped('See sitecast status, and the queue sitecast-listen-1 of Sitecast.', CLONE)).toBe(
    'See npm run sitecast -- status, and the queue sitecast-listen-1 of Sitecast.',
  );
  expect(asTyped('Run npm run sitecast -- status.', CLONE)).toBe('Run npm run sitecast -- status.');
});

it.each([
  [['status', '--local'], '--local'],
  [
    ['status', '--stage', 'prod', '--region', 'eu-west-1', '--json'],
    '--stage prod --region eu-west-1',
  ],
  [
    ['status', '--stack=Site', '--profile', "the crew's"],
    "--stack=Site --profile 'the crew'\\''s'",
  ],
  [['status', '--failing'], ''],
])('of %j the stack is typed again as %s', (args, typed) => {
  expect(typedStack(args)).toBe(typed);
});

it.each([
  ['sitecast status shows it until then.', 'sitecast status --local shows it until then.'],
  ['Resume them: sitecast resume.', 'Resume them: sitecast resume --local.'],
  [
    'See why: sitecast webhooks attempts erp --failed',
    'See why: sitecast webhooks attempts --local erp --failed',
  ],
  ['Run sitecast status --help.', 'Run sitecast status --help.'],
  ['Run sitecast webhooks list --help.', 'Run sitecast webhooks list --help.'],
  ['Run sitecast webhooks --help.', 'Run sitecast webhooks --help.'],
  ['Run sitecast --help.', 'Run sitecast --help.'],
])('in %j the stack is named again', (text, typed) => {
  expect(asTyped(text, {}, ['status', '--local'])).toBe(typed);
});
