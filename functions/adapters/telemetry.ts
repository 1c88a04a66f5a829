import { Logger } from '@aws-lambda-powertools/logger';
import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';
import type { Metric, Telemetry } from '../core/ports.ts';

/** What Lambda tells about an invocation, as far as the log names it. */
export type InvocationContext = Parameters<Logger['addContext']>[0];

type Fields = Readonly<Record<string, unknown>>;

/**
 * Structured logs, and metrics in the embedded metric format, both on standard output.
 *
 * Service name, metrics namespace and log level come from the `POWERTOOLS_*` environment. Nothing
 * is written before it went through {@link redact}.
 */
export class PowertoolsTelemetry implements Telemetry {
  readonly #logger = new Logger();
  readonly #metrics = new Metrics();
  readonly #counts = new Map<Metric, number>();

  /** Puts the request id and the function's name into all further log entries. */
  startRun(context: InvocationContext): void {
    this.#logger.addContext(context);
  }

  /** Adds to a metric. Zero adds nothing, and a metric that stays at zero is not written. */
  count(metric: Metric, amount: number): void {
    if (amount !== 0) this.#counts.set(metric, (this.#counts.get(metric) ?? 0) + amount);
  }

  info(message: string, fields: Fields = {}): void {
    this.#logger.info(redactText(message), redactFields(fields));
  }

  warn(message: string, fields: Fields = {}): void {
    this.#logger.warn(redactText(message), redactFields(fields));
  }

  error(message: string, error: unknown, fields: Fields = {}): void {
    this.#logger.error(redactText(message), { ...redactFields(fields), error: redact(error) });
  }

  /** Writes the run's metrics as one entry. Call it once at the end of every run, failed or not. */
  flush(): void {
    if (this.#counts.size === 0) return;
    for (const [metric, amount] of this.#counts) {
      this.#metrics.addMetric(metric, MetricUnit.Count, amount);
    }
    this.#counts.clear();
    this.#metrics.publishStoredMetrics();
  }
}

const REDACTED = '[redacted]';

/** Names of fields and headers whose value is never written. */
const SECRET_NAME = /(authorization|cookie|password|secret_?string|api_?key|token|jwt)$/i;

/** What gives a secret away in the middle of a text, and what is written instead. */
const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  // A named secret, as JSON (also escaped within JSON), query parameter or header.
  [
    /((?:authorization|api[-_]?(?:token|key)|(?:access|refresh|id|security|session)[-_]?token|password)\\*["']?\s*[:=]\s*\\*["']?)(?:(?:bearer|basic)\s+)?[^\s"'\\,;&}]+/gi,
    `$1${REDACTED}`,
  ],
  [/\b(bearer\s+)[^\s"'\\,;&}]+/gi, `$1${REDACTED}`],
  // A JSON Web Token starts with {" in base64.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*)*/g, REDACTED],
  // User and password in a URL.
  [/(\/\/)[^/\s@]+@/g, `$1${REDACTED}@`],
];

/** Longest text that is written; what is longer is no message but a whole answer. */
const LONGEST_TEXT = 4_000;

/** How deep values and causes are followed. Deeper than any error we know; ends circles. */
const DEEPEST = 8;

function redactText(text: string): string {
  const safe = SECRET_TEXT.reduce((rest, [secret, instead]) => rest.replace(secret, instead), text);
  return safe.length <= LONGEST_TEXT ? safe : `${safe.slice(0, LONGEST_TEXT)}…`;
}

function redactFields(fields: Fields): Record<string, unknown> {
  return redactEntries(Object.entries(fields), 0);
}

/**
 * A copy of a value that is safe to write: secrets replaced by name and by look, errors reduced to
 * what {@link describeError} lists, circles cut.
 */
function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= DEEPEST) return '[…]';
  if (value instanceof Error) return describeError(value, depth);
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Map || value instanceof Headers) return redactEntries([...value], depth);
  if (value instanceof Set) return [...value].map((item) => redact(item, depth + 1));
  if (value instanceof Date || value instanceof URL) return redact(value.toJSON(), depth);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  return redactEntries(Object.entries(value), depth);
}

function redactEntries(
  entries: readonly (readonly [unknown, unknown])[],
  depth: number,
): Record<string, unknown> {
  return Object.fromEntries(
    entries.map(([key, value]) => {
      const name = redactText(String(key));
      return [name, SECRET_NAME.test(name) ? REDACTED : redact(value, depth + 1)];
    }),
  );
}

/**
 * What is written of an error. A list of what may be, not of what may not: client libraries hang
 * whole requests, with their headers, on their errors.
 */
function describeError(error: Error, depth: number): Record<string, unknown> {
  const { hint, status, code, $metadata, errors } = error as Error & Record<string, unknown>;
  return redactEntries(
    Object.entries({
      name: error.name,
      message: error.message,
      hint,
      status,
      code,
      $metadata,
      // The frames alone: the message above them may hold anything and stands in its own field.
      stack: error.stack?.split('\n').filter((line) => /^ +at /.test(line)),
      cause: error.cause,
      errors,
    }).filter(([, value]) => value !== undefined),
    depth,
  );
}
