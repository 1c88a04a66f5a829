import type { Clock } from '../../../functions/core/ports/clock.ts';
import type { Random } from '../../../infra/local/simulator/world/random.ts';
import type { VirtualTime } from '../../support/virtual-time.ts';
import type { Fault } from '../history/steps.ts';

/** The effect of a call at the other side. */
export interface Effect<T> {
  /** @param answeredAt virtual time at which the answer leaves the other side. */
  readonly whole: (answeredAt: number) => T | Promise<T>;
  /** Has a part of the effect, if it has parts. */
  readonly half?: () => unknown;
  /** The error of a failed call. */
  readonly failure: () => Error;
  /** The answer of a call that refuses something. */
  readonly refusal?: () => T | Promise<T>;
  /** Usual duration. */
  readonly usualMs: number;
}

/** The call of a history at which a process dies, counted from 1. */
export interface CrashPoint {
  readonly call: number;
  readonly when: 'before' | 'half';
}

/** The state that all processes of a history share. */
export interface Machine {
  readonly time: VirtualTime;
  readonly luck: Random;
  readonly crashPoint?: CrashPoint | undefined;
  /** Calls of all processes so far. */
  calls: number;
  /** Numbers of the calls that may have half an effect. */
  readonly batches: number[];
  /** Faults so far: failed calls, kills and pauses. */
  faults: number;
}

/** A promise for dead processes. A new one each time, so that nothing retains them. */
const never = (): Promise<never> => new Promise<never>(() => undefined);

/**
 * A process that can die and pause. When it dies, its pending calls never return, but still have
 * their effect.
 */
export class Process {
  readonly clock: Clock;
  readonly #machine: Machine;
  readonly #faults: readonly Fault[];
  readonly #calls = new Map<string, number>();
  readonly #death = Promise.withResolvers<undefined>();
  #isDead = false;
  #thawsAt = 0;

  constructor(machine: Machine, faults: readonly Fault[]) {
    this.#machine = machine;
    this.#faults = faults;
    this.clock = {
      ...machine.time.clock,
      sleep: (milliseconds, signal) => this.#sleep(milliseconds, signal),
    };
  }

  /** Resolves when it dies. */
  get death(): Promise<undefined> {
    return this.#death.promise;
  }

  kill(): void {
    this.#machine.faults += 1;
    this.#isDead = true;
    this.#death.resolve(undefined);
  }

  /** Pauses it. */
  freeze(milliseconds: number): void {
    this.#machine.faults += 1;
    this.#thawsAt = Math.max(this.#thawsAt, this.#machine.time.now + milliseconds);
  }

  /** Makes a call with its fault or crash point, if any. */
  async call<T>(port: Fault['port'], effect: Effect<T>): Promise<T> {
    if (this.#isDead) return never();
    const how = this.#fate(port);
    if (effect.half) this.#machine.batches.push(this.#machine.calls);
    if (how === 'die before') return this.#die();
    if (how?.endsWith('half')) await effect.half?.();
    if (how === 'die half') return this.#die();
    if (how === 'fail before' || how === 'fail half') {
      await this.#machine.time.sleep(effect.usualMs);
      await this.#awake();
      throw effect.failure();
    }
    const { refusal } = effect;
    if (how === 'refuse' && refusal) return refusal();
    const result = await this.#haveEffect(effect, how === 'slow');
    if (how === 'die after') return this.#die();
    await this.#awake();
    if (how === 'fail after') throw effect.failure();
    return result;
  }

  /** The effect happens on arrival of the request or just before the answer. */
  async #haveEffect<T>(effect: Effect<T>, isSlow: boolean): Promise<T> {
    const { time, luck } = this.#machine;
    const ms = effect.usualMs * (isSlow ? 60 : 0.5 + luck.below(100) / 100);
    const worksAtOnce = luck.chance(0.5);
    // Requests and answers take their time, even if the process has died.
    if (!worksAtOnce) await time.sleep(ms);
    const answeredAt = worksAtOnce ? time.now + ms : time.now;
    const result = await effect.whole(answeredAt);
    if (worksAtOnce) await time.sleep(ms);
    return result;
  }

  #fate(port: Fault['port']): Fault['how'] | undefined {
    const { crashPoint } = this.#machine;
    const n = this.#calls.get(port) ?? 0;
    this.#calls.set(port, n + 1);
    this.#machine.calls += 1;
    if (crashPoint?.call === this.#machine.calls) return `die ${crashPoint.when}`;
    const fault = this.#faults.find((each) => each.port === port && each.call === n);
    if (fault !== undefined && !fault.how.startsWith('die')) this.#machine.faults += 1;
    return fault?.how;
  }

  #die(): Promise<never> {
    this.kill();
    return never();
  }

  /** Waits for the end of a pause; for ever if the process died. */
  async #awake(): Promise<void> {
    while (!this.#isDead && this.#thawsAt > this.#machine.time.now) {
      await this.#machine.time.sleep(this.#thawsAt - this.#machine.time.now);
    }
    if (this.#isDead) await never();
  }

  async #sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (milliseconds <= 0 || signal?.aborted === true) return;
    await this.#machine.time.sleep(milliseconds, signal);
    await this.#awake();
  }
}
