import type { ReceivedEvent } from '../../protocol.ts';
import { clip, showTime } from '../format.ts';
import { fieldChanges, nameOf } from './event-text.ts';

/** Shown of a large event. */
const MAX_JSON = 20_000;

interface DetailsProps {
  readonly received: ReceivedEvent | undefined;
  readonly onClose: () => void;
}

/** One event: its fields, old and new, and its JSON. */
export function EventDetails({ received, onClose }: DetailsProps) {
  if (!received) {
    return <p class="muted">Select an event to see its old values and its JSON.</p>;
  }
  const { event, receivedAt, run } = received;
  const changes = fieldChanges(received);
  const json = JSON.stringify(event, undefined, 2);
  return (
    <aside class="scroll" aria-label="The selected event">
      <div class="row">
        <h3 class="grow">
          {event.type} <bdi>{clip(nameOf(received), 120)}</bdi>
        </h3>
        <button type="button" onClick={onClose} aria-label="Close the details">
          Close
        </button>
      </div>
      <p class="muted">
        Changed at {showTime(event.time)}, seen by run {run} at {showTime(event.recordedtime)},
        received at {showTime(receivedAt)}.
      </p>
      {changes.length > 0 && (
        <div class="scroll" tabIndex={0} role="region" aria-label="Changed fields">
          <table>
            <thead>
              <tr>
                <th scope="col">Field</th>
                <th scope="col">Old value</th>
                <th scope="col">New value</th>
              </tr>
            </thead>
            <tbody>
              {changes.map(({ field, old, current }) => (
                <tr key={field}>
                  <th scope="row">{field}</th>
                  <td class="bad" dir="auto">
                    {old}
                  </td>
                  <td class="good" dir="auto">
                    {current}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <details>
        <summary>JSON</summary>
        <pre tabIndex={0} role="region" aria-label="The event as JSON">
          {clip(json, MAX_JSON)}
        </pre>
      </details>
    </aside>
  );
}
