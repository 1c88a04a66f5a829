import { useSignal } from '@preact/signals';
import { clip, showTime } from '../format.ts';
import type { ShownEvent } from '../state/events.ts';
import { fieldChanges, nameOf } from './event-text.ts';

/** Shown of a large event; copying takes all of it. */
const MAX_JSON = 20_000;

interface DetailsProps {
  readonly shown: ShownEvent | undefined;
  readonly onClose: () => void;
}

/** One event: its fields, old and new, its JSON and its schema. */
export function EventDetails({ shown, onClose }: DetailsProps) {
  if (!shown)
    return <p class="details-hint muted">Select an event to see its old values and its JSON.</p>;
  const { event, receivedAt, run } = shown;
  const changes = fieldChanges(shown);
  const json = JSON.stringify(event, undefined, 2);
  return (
    <aside class="details" aria-label="The selected event">
      <div class="panel-head">
        <h3>
          {event.type} <bdi>{clip(nameOf(shown), 120)}</bdi>
        </h3>
        <CopyButton text={json} />
        <a href={schemaUrl(event.dataschema)} target="_blank" rel="noreferrer">
          Schema
        </a>
        <button type="button" onClick={onClose} aria-label="Close the details">
          Close
        </button>
      </div>
      <p class="muted">
        Changed at {showTime(event.time)}, seen by {run === undefined ? 'a run' : `run ${run}`} at{' '}
        {showTime(event.recordedtime)}, received at {showTime(receivedAt)}.
      </p>
      {changes.length > 0 && (
        <div class="table-scroll" tabIndex={0} role="region" aria-label="Changed fields">
          <table class="changes">
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
                  <td class="old" dir="auto">
                    {old}
                  </td>
                  <td class="new" dir="auto">
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

function CopyButton({ text }: { readonly text: string }) {
  const outcome = useSignal('');
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      outcome.value = 'Copied';
    } catch {
      outcome.value = 'Not allowed by the browser';
    }
  };
  return (
    <>
      <button type="button" onClick={() => void copy()}>
        Copy as JSON
      </button>
      <span role="status" class="muted">
        {outcome.value}
      </span>
    </>
  );
}

/** `urn:sitecast:schema:floorplan.updated:1` → the file that the console serves. */
function schemaUrl(dataschema: string): string {
  const [, type = ''] = /:schema:([^:]+)/.exec(dataschema) ?? [];
  return `/schemas/${type}.json`;
}
