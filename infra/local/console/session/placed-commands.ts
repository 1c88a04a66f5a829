import type { ControlAnswer, StatusAnswer } from '../../../../functions/control/protocol.ts';
import type { Refusal } from '../protocol.ts';

interface Given {
  /** In words. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The commands given from the console of which nobody was told yet that they are done. */
export class PlacedCommands {
  readonly #given = new Map<string, Given>();

  /** @param nameOf a list's name for people. */
  add(answer: ControlAnswer | Refusal, nameOf: (list: string) => string): void {
    if (!('changedCount' in answer) || answer.changedCount === undefined) return;
    const { command, listCount, examples } = answer;
    const [first] = examples;
    const lists = listCount === 1 && first !== undefined ? nameOf(first) : `${listCount} lists`;
    // What has no job is done at once, and in no status.
    const id = answer.id ?? `${command} ${Date.now()}`;
    this.#given.set(id, { text: `${command} of ${lists}`, at: Date.now() });
  }

  /**
   * @param readAt when the status was asked for: an earlier one does not know the latest commands.
   * @returns in words, the commands that are done since the last call.
   */
  takeEnded({ jobs }: StatusAnswer, readAt: number): readonly string[] {
    const open = new Set(jobs.filter(({ waiting }) => waiting > 0).map(({ id }) => id));
    const ended = [...this.#given].filter(([id, { at }]) => at <= readAt && !open.has(id));
    for (const [id] of ended) this.#given.delete(id);
    return ended.map(([, { text }]) => text);
  }
}
