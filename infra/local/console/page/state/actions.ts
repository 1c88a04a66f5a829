import { signal } from '@preact/signals';
import type { ChangeAnswer, Refusal, Requests } from '../../protocol.ts';
import { rememberChange, type OwnChange } from './own-changes.ts';
import { events } from './session.ts';

/** Why the last action was refused or has failed. */
export const problem = signal<string | undefined>(undefined);

/**
 * Asks the server to do something.
 *
 * @param story of a change, whose event this tab will know again.
 * @returns ids of the entities that have changed; undefined if it was refused, which is shown.
 */
export async function act<Name extends keyof Requests>(
  name: Name,
  request: Requests[Name],
  story?: Pick<OwnChange, 'label' | 'list'>,
): Promise<readonly string[] | undefined> {
  const at = Date.now();
  const { error, ids = [] } = await ask(name, request);
  problem.value = error && `${error.message} ${error.hint ?? ''}`;
  if (error) return undefined;
  if (story && ids.length > 0) {
    rememberChange({ ...story, ids, at, madeAt: Date.now() }, events.value);
  }
  return ids;
}

async function ask(name: string, request: object): Promise<Partial<ChangeAnswer & Refusal>> {
  try {
    const body = JSON.stringify(request);
    const answer = await fetch(`/api/${name}`, { method: 'POST', body });
    return (await answer.json()) as Partial<ChangeAnswer & Refusal>;
  } catch {
    return { error: { message: 'The console does not answer. Is npm start still running?' } };
  }
}
