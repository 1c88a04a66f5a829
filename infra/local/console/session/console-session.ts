import type { ControlAnswer } from '../../../../functions/control/protocol.ts';
import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import type { Simulator } from '../../simulator/simulator.ts';
import type { LocalStack } from '../../stack/local-stack.ts';
import type { ObservedRun, RunObserver } from '../../terminal/run-session.ts';
import type { ActivityRequest, FaultRequest, Refusal, ServerMessage } from '../protocol.ts';
import { ControlClient } from './control-client.ts';
import { EventHistory } from './event-history.ts';
import { openReceiver, type EventReceiver } from './event-receiver.ts';
import { beginFault, isSwitchedOff, switchOn } from './faults.ts';
import { toListsView } from './lists-view.ts';
import { ChangeRefusedError, ServiceSite } from './service-site.ts';
import { SessionMonitor, type FollowedSession } from './session-monitor.ts';
import type { Tab, Topic } from './tab-stream.ts';

/** What the tabs of the console share: the session, its lists, and the events of one queue. */
export class ConsoleSession implements RunObserver {
  readonly monitor: SessionMonitor;
  /** The events of the console's queue. */
  readonly history: EventHistory;
  readonly #tabs = new Set<Tab>();
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
    this.#receiver = await openReceiver(stack, (texts) => {
      this.history.add(texts);
    });
    this.monitor.attach(stack);
    this.#readActivity();
  }

  /** Ends all receiving, before the stack closes. */
  async detach(): Promise<void> {
    this.monitor.detach();
    await this.#receiver?.close();
  }

  /** @throws ChangeRefusedError while there is no simulated service. */
  get site(): ServiceSite {
    return new ServiceSite(this.#simulator);
  }

  get #simulator(): Simulator {
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

  /** Begins to tell a tab of news. @returns what ends it. */
  join(tab: Tab): () => void {
    const listener = tab.add.bind(tab);
    this.history.listeners.add(listener);
    this.#tabs.add(tab);
    if (this.#tabs.size === 1 || !this.#lists?.status) void this.#readLists();
    return () => {
      this.#tabs.delete(tab);
      this.history.listeners.delete(listener);
    };
  }

  /** The present content of a topic; undefined for none yet. */
  read(topic: Topic): ServerMessage | undefined {
    if (topic === 'session') {
      return { type: 'session', session: this.monitor.view(this.history.receivedCount) };
    }
    const status = this.#lists?.status;
    return status && { type: 'lists', view: toListsView(status) };
  }

  async #readLists(): Promise<void> {
    const lists = this.#lists;
    await lists?.readStatus();
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
