import { expect, it } from 'vitest';
import type { WebhookStatus } from '../../../functions/control/protocol.ts';
import {
  formatAttempts,
  formatResent,
  formatWebhooks,
} from '../../../infra/cli/commands/webhooks.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const LAYOUT = {
  ...{ now: NOW, paint: (_style: string, text: string) => text },
  command: (words: string) => `sitecast ${words}`,
};
const ago = (minutes: number) => new Date(NOW - minutes * 60_000).toISOString();
const WEBHOOK: WebhookStatus = {
  ...{ name: 'crm', url: 'https://crm.example', state: 'delivering', mapping: 'Enabled' },
  ...{ waitingCount: 0, deadCount: 0 },
};

it('webhooks are aligned, with the state of each and since when', () => {
  const failing = { state: 'failing', failingSince: ago(90), waitingCount: 12 } as const;
  const gone = { state: 'disabled', disabledAt: ago(3), disabledBy: '410' } as const;
  const webhooks = [
    WEBHOOK,
    { ...WEBHOOK, name: 'erp', ...failing },
    { ...WEBHOOK, name: 'gone', ...gone, mapping: 'Disabled' },
  ];
  const text = formatWebhooks({ command: 'webhook-list', webhooks }, LAYOUT);
  expect(text.split('\n')).toEqual([
    'WEBHOOK  STATE             FOR  MAPPING   WAITING  DEAD  URL',
    'crm      delivering          -  Enabled         0     0  https://crm.example',
    'erp      failing           1 h  Enabled        12     0  https://crm.example',
    'gone     disabled (410)  3 min  Disabled        0     0  https://crm.example',
  ]);
});

it('attempts are aligned, with their outcome and the next one', () => {
  const attempt = { id: 'e1', type: 'floorplan.updated', at: ago(2), count: 2, durationMs: 15_000 };
  const text = formatAttempts(
    {
      ...{ command: 'webhook-attempts', name: 'crm', isComplete: false },
      attempts: [
        { ...attempt, outcome: 'delivered', status: 204 },
        { ...attempt, outcome: 'failed', reason: 'x'.repeat(90), nextAt: ago(-28) },
      ],
    },
    LAYOUT,
  );
  expect(text.split('\n')).toEqual([
    '  AGE  OUTCOME        TRY     MS       NEXT  EVENT  TYPE               REASON',
    '2 min  delivered 204    2  15000          -  e1     floorplan.updated',
    `2 min  failed           2  15000  in 28 min  e1     floorplan.updated  ${'x'.repeat(79)}…`,
    '… and older ones (--limit shows more)',
  ]);
});

it('dead letters that are resent are counted, with those that are left out', () => {
  const answer = { command: 'webhook-resend', name: 'crm', resentCount: 2 } as const;
  const text = formatResent({ ...answer, isComplete: false, hiddenCount: 450 });
  expect(text).toMatch(/2 dead letters\. There are more: repeat the command\. About 450 /);
});
