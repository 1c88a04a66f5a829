import { signal } from '@preact/signals';
import type {
  ActivityRequest,
  ChangeAnswer,
  ChangeRequest,
  ControlBody,
  FaultRequest,
  Refusal,
} from '../../protocol.ts';
import { rememberChange } from './events.ts';

interface Actions {
  readonly change: ChangeRequest;
  readonly activity: ActivityRequest;
  readonly fault: FaultRequest;
  readonly control: ControlBody;
  readonly kill: Readonly<Record<string, never>>;
}

/** Why the last action was refused or has failed. */
export const problem = signal<string | undefined>(undefined);

/** Asks the server to do something. @returns its answer; undefined if it was refused, which is shown. */
export async function act<Name extends keyof Actions>(
  name: Name,
  request: Actions[Name],
): Promise<unknown> {
  const answer = await ask(name, request);
  const refusal = refusalIn(answer);
  problem.value = refusal;
  return refusal === undefined ? answer : undefined;
}

/** Ids of the entities that have changed, or why none has. */
export type ChangeOutcome = { readonly ids: readonly string[] } | { readonly problem: string };

/** Where a change appears. */
export interface ChangedPlace {
  readonly list: string;
  /** Entities that change with it. */
  readonly parents?: readonly string[];
}

/**
 * Makes a change in the service, whose event this tab will know again.
 *
 * @param label in words: `renamed “Cellar”`.
 */
export async function change(
  label: string,
  request: ChangeRequest,
  { list, parents = [] }: ChangedPlace,
): Promise<ChangeOutcome> {
  const at = Date.now();
  const answer = await ask('change', request);
  const refusal = refusalIn(answer);
  if (refusal !== undefined) return { problem: refusal };
  const { ids } = answer as ChangeAnswer;
  rememberChange({ label, pending: [...ids, ...parents], list, at });
  return { ids };
}

/** Reads something from the server; undefined if that failed. */
export async function read<T>(path: string): Promise<T | undefined> {
  try {
    const answer = await fetch(path);
    return answer.ok ? ((await answer.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

async function ask(name: keyof Actions, request: object): Promise<unknown> {
  try {
    const answer = await fetch(`/api/${name}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(request),
    });
    return await answer.json();
  } catch {
    return refusal('The console does not answer. Is npm start still running?');
  }
}

function refusal(message: string): Refusal {
  return { error: { message } };
}

function refusalIn(answer: unknown): string | undefined {
  const { error } = answer as Partial<Refusal>;
  if (!error) return undefined;
  return error.hint === undefined ? error.message : `${error.message} ${error.hint}`;
}
