import { expect, it } from 'vitest';
import { asTyped, typedProgram } from '../../../infra/cli/typed-program.ts';

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
