import { describe, expect, it } from 'vitest';
import { ProblemLog } from '../../../../infra/local/terminal/problem-log.ts';

const entry = (fields: object): string => JSON.stringify({ timestamp: 't', ...fields });
const failing = (feed: string, message = 'GET /projects/1 was answered with 500') =>
  entry({
    ...{ level: 'ERROR', message: 'A feed failed', service: 's', feed },
    error: { name: 'ServiceError', message, stack: 'a\nb', hint: 'Check baseUrl.' },
  });
const runFailed = (message: string) =>
  entry({
    ...{ level: 'ERROR', message: 'Run failed' },
    error: { name: 'FatalError', message, hint: 'Check authUrl.' },
  });

describe('ProblemLog', () => {
  it.each([
    ['below a warning', entry({ level: 'INFO', message: 'Run completed' })],
    ['metrics', JSON.stringify({ _aws: { CloudWatchMetrics: [] }, EventsPublished: 1 })],
    ['empty', '  '],
  ])('leaves out lines that are %s, unless it is verbose', (_, line) => {
    expect(new ProblemLog(false).read(line)).toBeUndefined();
    expect(new ProblemLog(true).read(line)).toBe(line);
  });

  it('shows a warning or an error with its fields and its hint', () => {
    expect(new ProblemLog(false).read(failing('f'))).toBe(
      'ERROR A feed failed  feed="f"  error=ServiceError: GET /projects/1 was answered with 500. Check baseUrl.',
    );
  });

  it('shows the command of a hint as it is typed in another terminal', () => {
    const hint = 'Mend the endpoint, then: sitecast webhooks enable crm';
    const line = entry({ level: 'WARN', message: 'The webhook is disabled', hint });
    expect(new ProblemLog(false).read(line)).toBe(
      'WARN The webhook is disabled  hint="Mend the endpoint, then: npm run sitecast -- webhooks enable crm --local"',
    );
  });

  it('shows a problem once, not for each list and run, and counts the others', () => {
    const problems = new ProblemLog(false);
    expect(problems.read(failing('a'))).toContain('A feed failed');
    expect(problems.read(failing('b', 'GET /projects/2 was answered with 500'))).toBeUndefined();
    expect(problems.read(failing('b', 'GET /projects/2 got no answer'))).toContain('no answer');
    expect(problems.takeRepeated()).toBe(
      'again: A feed failed: GET /projects/2 was answered with 500',
    );
    expect(problems.takeRepeated()).toBeUndefined();
    for (const id of [3, 3, 4]) problems.read(failing('c', `GET /projects/${id} got no answer`));
    expect(problems.takeRepeated()).toBe(
      'again (2 times): A feed failed: GET /projects/3 got no answer, and 1 other',
    );
  });

  it('shows why a run failed, with the hint of its log entry', () => {
    const problems = new ProblemLog(false);
    expect(problems.read(runFailed('no answer'))).toBeUndefined();
    expect(problems.describeFailure(new Error('FatalError: no answer'))).toBe(
      'failed: no answer. Check authUrl.',
    );
    expect(problems.describeFailure(new Error('exit status 1'))).toBe('failed: exit status 1');
  });

  it('keeps the last error, so that the end can name the cause', () => {
    const problems = new ProblemLog(false, ({ name }) => ({ name, message: `a local ${name}` }));
    expect(problems.lastError).toBeUndefined();
    problems.read(failing('f'));
    problems.read(entry({ level: 'WARN', message: 'no error' }));
    expect(problems.lastError).toBe('a local ServiceError');
  });

  it('shortens the failure of a run only if the run before of its shard has failed so', () => {
    const problems = new ProblemLog(false);
    const shorten = (number: number, shard = 0): string =>
      problems.shortenFailure('failed: killed', { number, shard });
    expect(shorten(3)).toBe('failed: killed');
    expect(shorten(4)).toBe('failed as the run before');
    expect(shorten(4, 1)).toBe('failed: killed');
    // Run 5 was whole.
    expect(shorten(6)).toBe('failed: killed');
  });

  it('replaces what an error says to operators by what it says on this machine', () => {
    const problems = new ProblemLog(false, ({ name, message }) => {
      return { name, message: message.toUpperCase(), hint: `Check the file of ${name}.` };
    });
    expect(problems.read(failing('a'))).toMatch(/WITH 500\. Check the file of ServiceError\.$/);
    problems.read(runFailed('no answer'));
    expect(problems.describeFailure(new Error())).toMatch(/NO ANSWER\. Check the file of FatalE/);
  });

  it('shows lines that are not log entries, such as crash reports of Node', () => {
    const line = 'TypeError: x is not a function';
    expect(new ProblemLog(false).read(line)).toBe(line);
  });
});
