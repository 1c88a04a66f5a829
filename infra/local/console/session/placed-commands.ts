import type {
  ChangedAnswer,
  ControlAnswer,
  PlacedAnswer,
  StatusAnswer,
} from '../../../../functions/control/protocol.ts';
import type { Refusal } from '../protocol.ts';

interface Placed {
  /** In words. */
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The commands given from the console of which nobody was told yet that they are carried out. */
export class PlacedCommands {
  readonly #placed = new Map<string, Placed>();

  /** @param nameOf a list's name for people. */
  add(answer: ControlAnswer | Refusal, nameOf: (list: string) => string): void {
    // One that was taken back is not told as done.
    if ('cancelled' in answer) this.#placed.delete(answer.cancelled.id);
    if (!('listCount' in answer)) return;
    const { command, listCount, examples } = answer;
    const id = idOf(answer);
    if (id === undefined) return;
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

/** What is changed at once has no id, and is in no status. @returns undefined for what was only tried. */
function idOf(answer: ChangedAnswer | PlacedAnswer): string | undefined {
  if ('id' in answer) return answer.id;
  const isChanged = 'changedCount' in answer && answer.changedCount !== undefined;
  return isChanged ? `${answer.command} ${Date.now()}` : undefined;
}
