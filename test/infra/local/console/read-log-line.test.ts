import { describe, expect, it } from 'vitest';
import { readLogLine } from '../../../../infra/local/console/session/read-log-line.ts';

describe('a line that a function has written', () => {
  const error = { name: 'ServiceError', message: 'The service answered 503.' };

  it.each([
    [
      'names the list and the reason of a problem',
      { level: 'WARN', message: 'A list failed', list: 'projects', error },
      { problem: 'A list failed: projects: The service answered 503.', place: 'poller' },
    ],
    [
      'is about a subscriber if a webhook has a problem',
      { level: 'WARN', message: 'Webhook attempt', webhook: 'orders', reason: 'It answered 410.' },
      { problem: 'Webhook attempt: orders: It answered 410.', place: 'subscribers' },
    ],
    ['is no problem below a warning', { level: 'INFO', message: 'A run' }, {}],
    ['is told by the session if a run fails', { level: 'ERROR', message: 'Run failed', error }, {}],
    [
      'is told to who asked if a request is refused',
      { level: 'WARN', message: 'A request was refused', refusal: error },
      {},
    ],
    ['counts the requests of a run', { _aws: {}, RequestsSent: [3] }, { requestCount: 3 }],
  ])('%s', (_, entry, read) => {
    expect(readLogLine(JSON.stringify(entry))).toEqual(read);
  });

  it('tells nothing if it is no entry', () => {
    expect(readLogLine('Debugger attached.')).toEqual({});
  });
});
