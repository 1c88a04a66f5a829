import type { Note } from '../../protocol.ts';
import { showTime } from '../format.ts';
import { Isolated } from '../isolated.tsx';
import { session } from '../state/state.ts';

const SHOWN = 4;
const TONES: Readonly<Record<Note['tone'], string>> = {
  info: 'Note',
  problem: 'Problem',
  recovered: 'Recovered',
};

/** What happened lately, in words; the latest first. */
export function Notes() {
  const notes = (session.value?.notes ?? []).slice(-SHOWN).toReversed();
  return (
    <div class="notes">
      <h3 id="notes-title">What happened</h3>
      <ol aria-live="polite" aria-labelledby="notes-title">
        {notes.length === 0 && <li class="empty">Faults, crashes and recoveries are told here.</li>}
        {notes.map(({ id, at, tone, text }) => (
          <li key={id} class={`note is-${tone}`}>
            <span class="note-tone">{TONES[tone]}</span>
            <time>{showTime(at)}</time>
            <span class="note-text">
              <Isolated text={text} />
            </span>
          </li>
        ))}
      </ol>
    </div>
  );
}
