import type { Metric } from '../../functions/core/ports/metrics.ts';
import type { LogFields, Telemetry } from '../../functions/core/ports/telemetry.ts';

/** A line of the log. */
export interface LogEntry {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Set on level `error`. */
  readonly error?: unknown;
}

/** Remembers what was logged and counted. */
export class RecordingTelemetry implements Telemetry {
  readonly logs: LogEntry[] = [];
  /** The values of `EventLagSeconds`. */
  readonly lags: number[] = [];
  readonly #counts = new Map<Metric, number>();

  /** The sum of all counts of a metric. */
  counted(metric: Metric): number {
    return this.#counts.get(metric) ?? 0;
  }

  count(metric: Metric, amount: number): void {
    this.#counts.set(metric, this.counted(metric) + amount);
  }

  observe(_metric: 'EventLagSeconds', value: number): void {
    this.lags.push(value);
  }

  info(message: string, fields: LogFields = {}): void {
    this.logs.push({ level: 'info', message, fields });
  }

  warn(message: string, fields: LogFields = {}): void {
    this.logs.push({ level: 'warn', message, fields });
  }

  error(message: string, error: unknown, fields: LogFields = {}): void {
    this.logs.push({ level: 'error', message, fields, error });
  }
}
