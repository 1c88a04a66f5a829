import { describe, expect, it } from 'vitest';
import { ProblemLog } from '../../../../infra/cli/dev/problem-log.ts';

const entry = (fields: object): string => JSON.stringify({ timestamp: 't', ...fields });
const failing = (feed: string, message = 'GET /projects/1 was answered with 500') =>
  entry({
    ...{ level: 'ERROR', message: 'A feed failed', service: 's', feed },
    error: { name: 'ServiceError', message, stack: 'a\nb', hint: 'Check baseUrl.' },
  });

describe('the problems of a session', () => {
  it.each([
    ['below a warning', entry({ level: 'INFO', message: 'Run completed' })],
    ['metrics', JSON.stringify({ _aws: { CloudWatchMetrics: [] }, EventsPublished: 1 })],
    ['empty', '  '],
  ])('leave out lines that are %s, unless all are wanted', (_, line) => {
    expect(new ProblemLog(false).read(line)).toBeUndefined();
    expect(new ProblemLog(true).read(line)).toBe(line);
  });

  it('are shown with their hints in terms of this machine, and lines of crashes as they are', () => {
    expect(new ProblemLog(false).read(failing('f'))).toMatch(/with 500\. Check --service\.$/);
    const hint = 'Mend the endpoint, then: sitecast webhooks enable crm';
    const disabled = entry({ level: 'WARN', message: 'The webhook is disabled', hint });
    expect(new ProblemLog(false).read(disabled)).toContain('enable crm --local"');
    expect(new ProblemLog(false).read('TypeError: x')).toBe('TypeError: x');
  });

  it('are shown once, not for each list and run', () => {
    const problems = new ProblemLog(false);
    expect(problems.read(failing('a'))).toContain('A feed failed');
    expect(problems.read(failing('b', 'GET /projects/2 was answered with 500'))).toBeUndefined();
    expect(problems.read(failing('b', 'GET /projects/2 got no answer'))).toContain('no answer');
    expect(problems.lastError).toBe('GET /projects/2 got no answer');
  });

  it('are why a run failed, said once in a row', () => {
    const problems = new ProblemLog(false);
    const error = { name: 'RefreshTokenRejectedError', message: 'the secret "a" is refused' };
    const failed = entry({ level: 'ERROR', message: 'Run failed', error });
    const describeFailure = () => {
      expect(problems.read(failed)).toBeUndefined();
      return problems.describeFailure(new Error('exit status 1'));
    };
    expect(describeFailure()).toMatch(/^failed: the file is refused\. Correct --token-file/);
    expect(describeFailure()).toBe('failed as the run before');
  });
});
