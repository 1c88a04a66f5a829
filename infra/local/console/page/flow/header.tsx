import { clip, showSeconds } from '../format.ts';
import { problem } from '../state/actions.ts';
import { connection, ownChanges, session } from '../state/state.ts';
import { theme, type Theme } from '../state/theme.ts';

const THEMES: readonly Theme[] = ['auto', 'light', 'dark'];

/** Says what this is, what to try, and what became of it. */
export function Header() {
  return (
    <header class="top">
      <div class="brand">
        <h1>Sitecast console</h1>
        <p>
          Sitecast polls a construction service that has no events, and publishes each change as
          one.
        </p>
      </div>
      <div class="top-right">
        <Connection />
        <fieldset class="theme">
          <legend class="hidden">Colours</legend>
          {THEMES.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="theme"
                checked={theme.value === each}
                onChange={() => (theme.value = each)}
              />
              <span>{each}</span>
            </label>
          ))}
        </fieldset>
      </div>
      <Story />
      {problem.value !== undefined && (
        <div class="problem" role="alert">
          <p>{problem.value}</p>
          <button type="button" onClick={() => (problem.value = undefined)}>
            Dismiss
          </button>
        </div>
      )}
    </header>
  );
}

function Connection() {
  const phase = session.value?.phase;
  const isLost = connection.value === 'lost' || phase === 'stopped';
  const text = isLost
    ? 'no connection: has npm start ended?'
    : connection.value === 'connecting' || phase === undefined
      ? 'connecting …'
      : phase === 'starting'
        ? 'the stack is starting …'
        : 'live';
  return (
    <p class={`connection ${isLost ? 'is-lost' : text === 'live' ? 'is-live' : ''}`} role="status">
      {text}
    </p>
  );
}

/** What to try first, and after that the way of the last change. */
function Story() {
  const own = ownChanges.value.at(-1);
  const view = session.value;
  if (!own) {
    return (
      <p class="story" role="status">
        {!view || view.flow.runCount === 0
          ? 'The first run learns what exists, without events. After it each change becomes an event.'
          : !view.service.isSimulated
            ? 'The service is real: change something in it, and the event appears under Events.'
            : `Try it: rename a floorplan under Service. Its event, with the old name, appears under Events within ${view.everySeconds + 1} seconds.`}
      </p>
    );
  }
  const { label, arrived } = own;
  return (
    <p class={`story ${arrived ? 'is-done' : 'is-waiting'}`} role="status">
      <strong>
        You <bdi>{clip(label, 120)}</bdi>.
      </strong>{' '}
      {arrived
        ? `${arrived.run === undefined ? 'A run' : `Run ${arrived.run}`} found it and published ${arrived.event.type}${arrived.event.data?.previous ? ' with the old values' : ''}. A queue received it ${showSeconds(arrived.receivedAt - Date.parse(arrived.event.time))} after the change; it is selected under Events.`
        : 'The poller will find it with one of its next runs …'}
    </p>
  );
}
