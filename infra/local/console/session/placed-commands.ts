import type { ControlAnswer, StatusAnswer } from '../../../../functions/control/protocol.ts';
import type { Refusal } from '../protocol.ts';

interface Placed {
  /** In words. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The commands placed from the console that are not carried out yet. */
export class PlacedCommands {
  readonly #placed = new Map<string, Placed>();

  /** @param nameOf a list's name for people. */
  add(answer: ControlAnswer | Refusal, nameOf: (list: string) => string): void {
    // One that was taken back is not told as done.
    if ('cancelled' in answer) this.#placed.delete(answer.cancelled.id);
    if (!('listCount' in answer) || answer.id === undefined) return;
    const { id, command, listCount, examples } = answer;
    const [first] = examples;
    const lists = listCount === 1 && first !== undefined ? nameOf(first) : `${listCount} lists`;
    this.#placed.set(id, { text: `${command} of ${lists}`, at: Date.now() });
  }

  /**
   * @param readAt when the status was asked for: an earlier one does not know the latest commands.
   * @returns in words, the commands that are carried out since the last call.
   */
  takeEnded({ commands }: StatusAnswer, readAt: number): readonly string[] {
    const open = new Set(commands.map(({ id }) => id));
    const ended = [...this.#placed].filter(([id, { at }]) => at <= readAt && !open.has(id));
    for (const [id] of ended) this.#placed.delete(id);
    return ended.map(([, { text }]) => text);
  }
}
