import { connection, isStopped, session } from '../state/state.ts';

/** Says what this is, and whether it is live. */
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
      <Connection />
    </header>
  );
}

function Connection() {
  const phase = session.value?.phase;
  const text = isStopped.value
    ? 'no connection'
    : connection.value === 'connecting' || phase === undefined
      ? 'connecting …'
      : phase === 'starting'
        ? 'the stack is starting …'
        : 'live';
  const look = isStopped.value ? 'is-lost' : text === 'live' ? 'is-live' : '';
  return (
    <p class={`connection ${look}`} role="status">
      {text}
    </p>
  );
}
