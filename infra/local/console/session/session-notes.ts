import type { RunSummary } from '../../../../functions/core/run/run-summary.ts';
import { countOf } from '../../../cli/format.ts';
import type { Note } from '../protocol.ts';
import { eventCountOf } from './format-run.ts';
import { outcomeOf } from './run-history.ts';

const MAX_NOTES = 40;

/** The notes of a session, in words. Bounded. */
export class SessionNotes {
  /** Oldest first. */
  all: readonly Note[] = [];
  /** Whether anything has gone wrong since a run was whole. */
  hasTrouble = false;
  #count = 0;
  #hasRead = false;

  /** Adds a note. A repeated note moves to the end. */
  add(tone: Note['tone'], text: string): void {
    const others = this.all.filter((note) => note.text !== text);
    const note = { id: ++this.#count, at: Date.now(), tone, text };
    this.all = [...others, note].slice(-MAX_NOTES);
  }

  addFailedRun(reason: string): void {
    this.hasTrouble = true;
    this.add('problem', `A run ${reason}`);
  }

  addKilledRun(number: number): void {
    this.hasTrouble = true;
    this.add(
      'problem',
      `You killed the poller in the middle of run ${number}. Nothing is lost: a cursor moves ` +
        'only with a page that is published and saved. Its lease ends within 20 s; until then ' +
        'runs find it held. Then a run reads the pages again that it was at.',
    );
  }

  /** Notes the baseline, and the first whole run after others. */
  addRun(number: number, summary: RunSummary, isWell: boolean): void {
    if (summary.leaseHeld) return;
    const eventCount = eventCountOf(summary);
    const isFirst = !this.#hasRead && summary.entities > 0;
    this.#hasRead ||= isFirst;
    if (isFirst && eventCount === 0) {
      this.add(
        'info',
        `Run ${number} learned ${countOf(summary.entities, 'entity', 'entities')} in silence: ` +
          'the baseline. From now on each change becomes an event.',
      );
    }
    if (outcomeOf(summary) !== 'completed') this.hasTrouble = true;
    else if (this.hasTrouble && isWell) {
      this.hasTrouble = false;
      this.add(
        'recovered',
        `Recovered with run ${number}: all lists are polled again, and nothing was lost. ` +
          `It published ${countOf(eventCount, 'event')}.`,
      );
    }
  }
}
