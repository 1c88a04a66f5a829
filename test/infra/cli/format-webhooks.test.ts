import { expect, it } from 'vitest';
import type { WebhookStatus } from '../../../functions/control/protocol.ts';
import {
  formatAttempts,
  formatDisabled,
  formatEnabled,
  formatResent,
  formatWebhooks,
} from '../../../infra/cli/commands/webhooks/format-webhooks.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const LAYOUT = { now: NOW, paint: (_style: string, text: string) => text };
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const WEBHOOK: WebhookStatus = {
  name: 'crm',
  url: 'https://crm.example',
  state: 'delivering',
  mapping: 'Enabled',
  waitingCount: 0,
  deadCount: 0,
};

const lines = (text: string) => text.split('\n');

it('webhooks are told with what is to be done', () => {
  const text = formatWebhooks(
    {
      command: 'webhook-list',
      webhooks: [
        WEBHOOK,
        { ...WEBHOOK, name: 'erp', state: 'failing', failingSince: ago(90), waitingCount: 12 },
        {
          ...WEBHOOK,
          name: 'gone',
          state: 'disabled',
          disabledAt: ago(3),
          disabledBy: '410',
          mapping: 'Disabled',
        },
        { ...WEBHOOK, name: 'stuck', mapping: 'Disabled', deadCount: 2 },
        { ...WEBHOOK, name: 'held', mapping: 'missing', state: 'not delivering' },
        { ...WEBHOOK, name: 'late', waitingCount: 3 },
      ],
    },
    LAYOUT,
  );
  expect(lines(text)).toEqual([
    'WEBHOOK  STATE           WAITING  DEAD  URL',
    'crm      delivering            0     0  https://crm.example',
    'erp      failing              12     0  https://crm.example',
    'gone     disabled              0     0  https://crm.example',
    'stuck    delivering            0     2  https://crm.example',
    'held     not delivering        0     0  https://crm.example',
    'late     delivering            3     0  https://crm.example',
    '',
    'erp has only failed for 1 h. See why: sitecast webhooks attempts erp --failed',
    'gone was disabled by an answer 410 3 min ago. Its events wait: sitecast webhooks enable gone',
    'stuck gets no messages: its event source mapping is Disabled. Unless that changes: sitecast webhooks enable stuck',
    'stuck has dead letters. Once it is mended: sitecast webhooks resend stuck',
    'held delivers nothing: its function has no event source mapping. Deploy the stack again; on a laptop: npm start -- --webhook https://crm.example',
    'What waits for late is on its way, or failed before: sitecast webhooks attempts late --failed',
  ]);
  expect(formatWebhooks({ command: 'webhook-list', webhooks: [] }, LAYOUT)).toBe(
    'The stack has no webhooks.',
  );
});

it('attempts are told with their outcome and the next one', () => {
  const attempt = { id: 'e1', type: 'floorplan.updated', at: ago(2), count: 2, durationMs: 15_000 };
  const text = formatAttempts(
    {
      ...{ command: 'webhook-attempts', name: 'crm', isComplete: false },
      attempts: [
        { ...attempt, outcome: 'delivered', status: 204 },
        { ...attempt, outcome: 'failed', reason: 'x'.repeat(90), nextAt: ago(-28) },
        { ...attempt, outcome: 'gone', status: 410, reason: 'y', nextAt: ago(1) },
      ],
    },
    LAYOUT,
  );
  expect(lines(text)).toEqual([
    '  AGE  OUTCOME        TRY     MS  NEXT       EVENT  TYPE               REASON',
    '2 min  delivered 204    2  15000             e1     floorplan.updated',
    `2 min  failed           2  15000  in 28 min  e1     floorplan.updated  ${'x'.repeat(80)}…`,
    '2 min  gone 410         2  15000  due        e1     floorplan.updated  y',
    '… and older ones (--limit shows more)',
  ]);
  const none = {
    command: 'webhook-attempts',
    name: 'crm',
    attempts: [],
    isComplete: true,
  } as const;
  expect(formatAttempts(none, LAYOUT)).toBe('crm has no attempts in the last 14 days.');
  expect(formatAttempts(none, LAYOUT, true)).toBe(
    'crm has no failed attempts in the last 14 days.',
  );
  const disabled = 'crm is disabled, and its events wait: sitecast webhooks enable crm';
  expect(formatAttempts({ ...none, disabled: true }, LAYOUT)).toBe(
    `crm has no attempts in the last 14 days.\n${disabled}`,
  );
});

it('dead letters that are resent are told, with those that are left out', () => {
  const answer = { command: 'webhook-resend', name: 'crm', resentCount: 2 } as const;
  expect(formatResent({ ...answer, isComplete: true, hiddenCount: 0 })).toBe(
    '2 events are in the queue of crm again.',
  );
  expect(formatResent({ ...answer, resentCount: 0, isComplete: true, hiddenCount: 0 })).toBe(
    'crm has no dead letters to resend. Events that wait are tried by themselves.',
  );
  expect(formatResent({ ...answer, isComplete: false, hiddenCount: 450 })).toBe(
    '2 events are in the queue of crm again. There are more: repeat the command. About 450 dead letters are left out: a command looked at them a moment ago.',
  );
});

it('a webhook that is switched is told', () => {
  const enabled = { command: 'webhook-enable', name: 'crm' } as const;
  expect(formatEnabled(enabled)).toMatch(/^crm is enabled\. Its events flow within a minute; /);
  const waiting = 'Its events wait in the queue, for 14 days at most: sitecast webhooks enable crm';
  expect(formatDisabled({ command: 'webhook-disable', name: 'crm' })).toBe(
    `crm is disabled. ${waiting}`,
  );
});
