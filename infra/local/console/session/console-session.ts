import type { ControlAnswer } from '../../../../functions/control/protocol.ts';
import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { filterWarnings } from '../../../config/filters/filter-warnings.ts';
import type { RunningService } from '../../service/server.ts';
import type { LocalStack } from '../../stack/local-stack.ts';
import type { ObservedRun, RunObserver } from '../../terminal/run-session.ts';
import type { ActivityRequest, FaultRequest, Refusal, ServerMessage } from '../protocol.ts';
import { ControlClient } from './control-client.ts';
import { EventHistory } from './event-history.ts';
import { openReceiver, type EventReceiver } from './event-receiver.ts';
import { beginFault, isSwitchedOff, switchOn } from './faults.ts';
import { toListsView } from './lists-view.ts';
import { PlacedCommands } from './placed-commands.ts';
import { readPollerConfig } from './read-poller-config.ts';
import { ChangeRefusedError, ServiceSite } from './service-site.ts';
import { SessionMonitor, type FollowedSession } from './session-monitor.ts';
import type { StreamSources, Tab, Topic } from './tab-stream.ts';

/** What the tabs of the console share: the session, its lists, and the events of one queue. */
export class ConsoleSession implements RunObserver {
  readonly monitor: SessionMonitor;
  /** The events of the console's queue. */
  readonly history: EventHistory;
  readonly #tabs = new Set<Tab>();
  readonly #filters = new Set<EventReceiver>();
  readonly #placed = new PlacedCommands();
  #stack: LocalStack | undefined;
  #lists: ControlClient | undefined;
  #receiver: EventReceiver | undefined;

  constructor(followed: FollowedSession) {
    this.monitor = new SessionMonitor(followed);
    this.history = new EventHistory(() => this.monitor.runs);
    this.monitor.listeners.add(() => {
      this.#tell('session');
    });
    this.history.listeners.add(() => {
      this.#tell('session');
    });
  }

  /** Begins to receive the events of a stack. */
  async attach(stack: LocalStack): Promise<void> {
    this.#stack = stack;
    this.#lists = new ControlClient(stack);
    this.#receiver = await openReceiver(stack, undefined, (texts) => {
      this.history.add(texts);
    });
    this.monitor.attach(stack);
    this.#readActivity();
  }

  /** Ends all receiving, before the stack closes. */
  async detach(): Promise<void> {
    this.monitor.detach();
    await Promise.all([
      this.#receiver?.close(),
      ...[...this.#filters].map((filter) => filter.close()),
    ]);
  }

  /** @throws ChangeRefusedError while there is no simulated service. */
  get site(): ServiceSite {
    return new ServiceSite(this.#simulator);
  }

  get #simulator(): RunningService {
    if (this.#stack?.service) return this.#stack.service;
    throw new ChangeRefusedError(
      this.#stack ? 'The service is real: change it with its own tools' : 'The stack is starting',
    );
  }

  setActivity(request: ActivityRequest): void {
    const { activity } = this.#simulator;
    if (request.isRunning) activity.start(request.rate);
    else activity.stop();
    this.#readActivity();
  }

  /** @returns ids of the entities that have changed. */
  setFault({ fault, isEnd = false }: FaultRequest): readonly string[] {
    const service = this.#simulator;
    if (fault === undefined) {
      service.behaviour.faults = [];
      this.monitor.note('service', 'info', 'All faults are stopped.');
      return [];
    }
    // Another tab may have been faster.
    if (fault === 'switched-off' && isSwitchedOff(service) !== isEnd) return [];
    if (isEnd) {
      switchOn(service);
      this.monitor.note('service', 'info', 'The service is switched on again.');
      return [];
    }
    const { text, ids } = beginFault(service, fault);
    const isChange = fault === 'late-commit' || fault === 'tie';
    this.monitor.note('service', isChange ? 'info' : 'problem', text);
    return ids;
  }

  async control(request: unknown): Promise<ControlAnswer | Refusal> {
    if (!this.#lists) throw new ChangeRefusedError('The stack is starting');
    const answer = await this.#lists.send(request);
    const projects = this.#stack?.service ? this.site.readProjects() : [];
    const names = new Map(projects.map(({ id, name }) => [id, name]));
    this.#placed.add(answer, (list) => {
      const [, id = '', resource] = list.split('/');
      const name = names.get(id);
      return name === undefined || resource === undefined ? list : `${name} · ${resource}`;
    });
    await this.#readLists();
    return answer;
  }

  runStarted(run: ObservedRun): void {
    this.monitor.runStarted(run);
  }

  wasKilled(run: ObservedRun): boolean {
    return this.monitor.wasKilled(run);
  }

  runEnded(run: ObservedRun, result: RunSummary | string): void {
    this.monitor.runEnded(run, result);
    // The session may have started the activity.
    this.#readActivity();
    if (this.#tabs.size > 0) void this.#readLists();
  }

  /** For a tab without a filter. */
  sources(): StreamSources {
    return {
      read: (topic) => this.#read(topic),
      events: this.history.events,
      listen: (tab) => {
        const listener = tab.add.bind(tab);
        this.history.listeners.add(listener);
        this.#join(tab);
        return () => {
          this.#tabs.delete(tab);
          this.history.listeners.delete(listener);
        };
      },
    };
  }

  /** Says why a valid filter policy, or a part of it, matches no event; empty if it may match. */
  filterWarning(filterPolicy: Readonly<Record<string, unknown>>): string {
    const config = this.#stack && readPollerConfig(this.#stack.provisioned);
    const subscriber = { filterPolicy, filterPolicyScope: 'MessageAttributes' } as const;
    return config ? filterWarnings(subscriber, config).join(' ') : '';
  }

  /** For a tab with a filter: a subscription of its own, removed when the tab's stream ends. */
  async filteredSources(policy: Readonly<Record<string, unknown>>): Promise<StreamSources> {
    const stack = this.#stack;
    if (!stack) throw new ChangeRefusedError('The stack is starting');
    const history = new EventHistory(() => this.monitor.runs);
    const receiver = await openReceiver(stack, policy, (texts) => {
      history.add(texts);
    });
    this.#filters.add(receiver);
    return {
      read: (topic) => this.#read(topic),
      events: [],
      listen: (tab) => {
        history.listeners.add((events) => {
          tab.add(events);
        });
        tab.add(history.events);
        this.#join(tab);
        return async () => {
          this.#tabs.delete(tab);
          this.#filters.delete(receiver);
          await receiver.close();
        };
      },
    };
  }

  #join(tab: Tab): void {
    this.#tabs.add(tab);
    if (this.#tabs.size === 1 || !this.#lists?.status) void this.#readLists();
  }

  #read(topic: Topic): ServerMessage | undefined {
    if (topic === 'session') {
      return { type: 'session', session: this.monitor.view(this.history.receivedCount) };
    }
    const status = this.#lists?.status;
    return status && { type: 'lists', view: toListsView(status) };
  }

  async #readLists(): Promise<void> {
    const lists = this.#lists;
    await lists?.readStatus();
    const ended = lists?.status && this.#placed.takeEnded(lists.status, lists.statusReadAt);
    for (const command of ended ?? []) {
      this.monitor.note('poller', 'info', `Done: ${command}.`);
    }
    this.#tell('lists');
  }

  #readActivity(): void {
    const activity = this.#stack?.service?.activity;
    this.monitor.activity = activity && { isRunning: activity.running, rate: activity.rate };
    this.#tell('session');
  }

  #tell(topic: Topic): void {
    for (const tab of this.#tabs) tab.changed(topic);
  }
}
