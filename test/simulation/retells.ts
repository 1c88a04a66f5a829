import type { ChangeEvent } from '../../functions/core/contract/events.ts';
import type { PlacedCommand } from '../../functions/core/model/command.ts';

/** A refused event that an operator ordered to be told again. */
export interface Retold {
  readonly event: ChangeEvent;
  /** How often the table had lost its entity before. */
  readonly epoch: number;
  /** The number of events that were told again before. */
  readonly before: number;
}

/** Records which refused events operators have ordered to be told again. */
export class Retells {
  readonly placed: Retold[] = [];
  /** Indices of the quarantined items that were taken from the queue. */
  readonly taken = new Set<number>();
  /** The commands that are not carried out: id and partition. */
  readonly left = new Set<string>();

  /** Records commands, and the events that they tell again. */
  place(commands: readonly PlacedCommand[], events: readonly Retold[]): void {
    for (const each of commands) this.left.add(nameOf(each));
    this.placed.push(...events);
  }

  /** Records that a command was carried out in a partition. */
  done(command: PlacedCommand): void {
    this.left.delete(nameOf(command));
  }

  /** The orders of an event. */
  of({ subject, sequence }: ChangeEvent): readonly Retold[] {
    return this.placed.filter(
      ({ event }) => event.subject === subject && event.sequence === sequence,
    );
  }
}

function nameOf({ command, partition }: PlacedCommand): string {
  return `${command.id} in partition ${partition}`;
}
