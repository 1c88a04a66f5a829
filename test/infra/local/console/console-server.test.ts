import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emptySummary } from '../../../../functions/core/run/run-summary.ts';
import type { FaultName, StreamMessage } from '../../../../infra/local/console/protocol.ts';
import { beginFault, describeFault } from '../../../../infra/local/console/session/faults.ts';
import {
  startConsole,
  type RunningConsole,
} from '../../../../infra/local/console/start-console.ts';
import { startSimulator, type Simulator } from '../../../../infra/local/simulator/simulator.ts';

const FOLLOWED = { port: 0, everySeconds: 5, isSimulated: true };
const run = { number: 1, shard: 0 };

let web: RunningConsole;
let service: Simulator;

beforeAll(async () => {
  [web, service] = await Promise.all([startConsole(FOLLOWED), startSimulator()]);
});

afterAll(() => Promise.all([web.close(), service.close()]));

describe('the server of the console', () => {
  it('serves a page that loads nothing from elsewhere, and may not be embedded', async () => {
    const page = await fetch(web.url);
    expect(await page.text()).not.toMatch(/(src|href)="https?:/);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'; script-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    for (const path of ['/main.js', '/page.css']) {
      expect((await (await fetch(web.url + path)).text()).length).toBeGreaterThan(1000);
    }
  });

  it.each(['change', 'activity', 'fault', 'control'])(
    'says that the stack is starting: %s',
    async (name) => {
      const answer = await fetch(`${web.url}/api/${name}`, { method: 'POST', body: '{}' });
      expect(answer.status).toBe(422);
      expect(await answer.text()).toContain('The stack is starting');
    },
  );

  it('sends a tab the session, its runs and its problems', async () => {
    web.session.runStarted(run);
    web.session.runEnded(run, { ...emptySummary(), pages: 1, entities: 3, feeds: 2 });
    web.session.readLog(JSON.stringify({ level: 'WARN', message: 'A list waits', list: 'x' }));
    web.session.readLog(JSON.stringify({ _aws: {}, RequestsSent: [7] }));
    web.session.readLog('{ no: JSON }');
    const stream = await fetch(`${web.url}/api/stream`);
    const reader = stream.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value = '' } = (await reader?.read()) ?? {};
    await reader?.cancel();
    const { session } = JSON.parse(value.slice('data: '.length)) as StreamMessage;
    expect(session).toMatchObject({
      phase: 'starting',
      counts: { runs: 1, entities: 3, requests: 7 },
      runs: [{ number: 1, outcome: 'completed' }],
      notes: [{ tone: 'info' }, { tone: 'problem', text: 'A list waits: x' }],
    });
  });
});

describe('the service that the console changes', () => {
  it('has an entity for the quarantine', () => {
    const { projects, floorplans } = service.world;
    beginFault(service, 'invalid');
    const plans = projects.all().flatMap(({ id }) => floorplans.list(id).all());
    expect(plans.filter(({ deleted_at }) => deleted_at === 'never')).toHaveLength(1);
  });

  it.each<FaultName>(['rate-limit', 'server-error', 'slow', 'broken-page', 'switched-off'])(
    'has the fault until it has hit its requests: %s',
    (name) => {
      service.behaviour.faults = [];
      beginFault(service, name);
      expect(service.behaviour.faults.map(describeFault)).toEqual([
        expect.stringMatching(name === 'switched-off' ? /off$/ : /, \d+ more times/),
      ]);
    },
  );
});
