import { countOf } from '../../count-of.ts';
import { clip } from './fit-text.ts';
import { quote } from './format-changes.ts';

const VISIBLE_LEVELS = new Set(['WARN', 'ERROR', 'CRITICAL']);
/** Fields of a log entry that are of no use on a laptop. */
const HIDDEN_FIELDS = /^(level|message|timestamp|service|cold_start|function_|sampling_rate|xray_)/;
/** Ids and numbers, in which entries about the same problem differ. */
const VARIABLE_PARTS = /[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g;
/** Characters that tell which problem is repeated. */
const MAX_REPEATED_LENGTH = 120;
/** Message of the entry with the error that a run throws. */
const RUN_FAILED = 'Run failed';

/** Replaces what an error says to operators by what it says on this machine. */
export type LocaliseError = (error: LoggedError) => LoggedError;

/** An error as the function logs it. */
export interface LoggedError {
  readonly name: string;
  readonly message: string;
  readonly hint?: string;
}

interface FailedRun {
  readonly number: number;
  readonly shard: number;
}

/**
 * Reads the lines that the function writes, and shows each problem once: not again for each list and
 * run that it affects.
 */
export class ProblemLog {
  readonly #verbose: boolean;
  readonly #localise: LocaliseError;
  readonly #shown = new Set<string>();
  readonly #repeated = new Map<string, number>();
  #runError: LoggedError | undefined;
  #lastError: LoggedError | undefined;
  /** By shard. */
  readonly #lastFailures = new Map<number, { readonly number: number; readonly failure: string }>();

  /** @param verbose shows all lines as they are. */
  constructor(verbose: boolean, localise: LocaliseError = (error) => error) {
    this.#verbose = verbose;
    this.#localise = localise;
  }

  /**
   * Formats a line. Returns undefined for metrics, log entries below a warning, and problems that were
   * shown. Lines that are not JSON are returned: Node writes them about crashes.
   */
  read(line: string): string | undefined {
    const entry = parseObject(line);
    const error = readError(entry?.['error']);
    const isRunError = entry?.['message'] === RUN_FAILED && error !== undefined;
    if (isRunError) this.#runError = error;
    this.#lastError = error ?? this.#lastError;
    if (this.#verbose) return line;
    if (!entry) return line.trim() === '' ? undefined : line;
    const level = String(entry['level']);
    if (!VISIBLE_LEVELS.has(level) || isRunError) return undefined;

    const key = [level, entry['message'], error?.name, error?.message].join(' ');
    const generalKey = key.replaceAll(VARIABLE_PARTS, '*');
    if (this.#shown.has(generalKey)) {
      const reason = error === undefined ? '' : `: ${this.#localise(error).message}`;
      const what = clip(`${String(entry['message'])}${reason}`, MAX_REPEATED_LENGTH);
      this.#repeated.set(what, (this.#repeated.get(what) ?? 0) + 1);
      return undefined;
    }
    this.#shown.add(generalKey);
    const fields = Object.entries(entry).filter(([name]) => !HIDDEN_FIELDS.test(name));
    const texts = fields.map(([name, value]) => this.#formatField(name, value));
    return [`${level} ${String(entry['message'])}`, ...texts].join('  ');
  }

  /** What the last error says, shown or not; undefined without one. */
  get lastError(): string | undefined {
    return this.#lastError && this.#localise(this.#lastError).message;
  }

  /** Names the problems that were not shown since the last call, because they are of a kind that was. */
  takeRepeated(): string | undefined {
    const [[first, count] = ['', 0], ...others] = this.#repeated;
    this.#repeated.clear();
    if (count === 0) return undefined;
    const times = count > 1 ? ` (${count} times)` : '';
    const more = others.length > 0 ? `, and ${countOf(others.length, 'other')}` : '';
    return `again${times}: ${first}${more}`;
  }

  /** Says why a run failed, with the hint that it logged. */
  describeFailure(error: Error & { readonly hint?: never }): string {
    const { message, hint } = this.#runError ? this.#localise(this.#runError) : error;
    this.#runError = undefined;
    return `failed: ${withHint(message, hint)}`;
  }

  /** The failure in short, if the run before has failed so too. */
  shortenFailure(failure: string, { number, shard }: FailedRun): string {
    const last = this.#lastFailures.get(shard);
    this.#lastFailures.set(shard, { number, failure });
    const isRepeated = last?.failure === failure && last.number === number - 1;
    return isRepeated ? 'failed as the run before' : failure;
  }

  #formatField(name: string, value: unknown): string {
    const logged = readError(value);
    if (!logged) return `${name}=${quote(typeof value === 'string' ? asTypedHere(value) : value)}`;
    const error = this.#localise(logged);
    return `${name}=${error.name}: ${withHint(error.message, error.hint)}`;
  }
}

/** A hint whose last words are a command, as that is typed beside `npm start`. */
function asTypedHere(text: string): string {
  return text.replace(/\bsitecast ([a-z].*)$/, 'npm run sitecast -- $1 --local');
}

/** A message and its hint as two sentences. */
function withHint(message: string, hint: string | undefined): string {
  if (hint === undefined) return message;
  return /[.?!]$/.test(message) ? `${message} ${hint}` : `${message}. ${hint}`;
}

function readError(value: unknown): LoggedError | undefined {
  const { name, message, hint } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof message !== 'string') return undefined;
  return { name: String(name), message, ...(typeof hint === 'string' && { hint }) };
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
