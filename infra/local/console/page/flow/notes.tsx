import type { Note } from '../../protocol.ts';
import { showTime } from '../format.ts';
import { session } from '../state/session.ts';

const SHOWN = 4;
const TONES: Readonly<Record<Note['tone'], readonly [tone: string, word: string]>> = {
  info: ['info', 'Note'],
  problem: ['bad', 'Problem'],
  recovered: ['good', 'Recovered'],
};

/** The latest notes of the session, the newest first. */
export function Notes() {
  const notes = (session.value?.notes ?? []).slice(-SHOWN).toReversed();
  return (
    <div class="notes">
      <h3 id="notes-title">What happened</h3>
      <ol aria-live="polite" aria-labelledby="notes-title">
        {notes.length === 0 && <li class="muted">Faults, crashes and recoveries appear here.</li>}
        {notes.map(({ id, at, tone, text }) => (
          <li key={id} class={`note ${TONES[tone][0]}`}>
            <b>{TONES[tone][1]}</b>
            <time class="muted">{showTime(at)}</time>
            <span>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}
