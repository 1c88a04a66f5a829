import type { Note, Place } from '../protocol.ts';

const MAX_NOTES = 40;
/** A problem that one of the latest notes tells is not told again. */
const LATEST = 5;

/** Runs in a row that failed for the same reason. */
interface FailedRuns {
  readonly noteId: number;
  readonly first: number;
  readonly reason: string;
}

/** What has happened in a session, in words. Bounded. */
export class SessionNotes {
  /** Oldest first. */
  all: readonly Note[] = [];
  #count = 0;
  #failedRuns: FailedRuns | undefined;

  add(place: Place, tone: Note['tone'], text: string): void {
    this.#put({ id: ++this.#count, at: Date.now(), place, tone, text });
  }

  hasLately(text: string): boolean {
    return this.all.slice(-LATEST).some((note) => note.text === text);
  }

  /** One note tells of all runs in a row that failed for the same reason. */
  addFailedRun(number: number, reason: string): void {
    const before = this.#failedRuns?.reason === reason ? this.#failedRuns : undefined;
    const { noteId, first } = before ?? { noteId: ++this.#count, first: number };
    this.#failedRuns = { noteId, first, reason };
    const runs = first === number ? `Run ${number}` : `Runs ${first}–${number}`;
    this.all = this.all.filter(({ id }) => id !== noteId);
    const text = `${runs} ${reason}`;
    this.#put({ id: noteId, at: Date.now(), place: 'poller', tone: 'problem', text });
  }

  /** A run has ended otherwise. */
  endFailedRuns(): void {
    this.#failedRuns = undefined;
  }

  #put(note: Note): void {
    this.all = [...this.all, note].slice(-MAX_NOTES);
  }
}
