import type { ComponentChildren } from 'preact';
import type { SessionView } from '../../protocol.ts';
import { showCount } from '../format.ts';
import { act } from '../state/actions.ts';
import { isStopped, lists, session } from '../state/state.ts';
import { flowNodes, type FlowNode } from './flow-nodes.ts';

/** The way of a change through the stack, with live counts; what has gone wrong is lit where it is. */
export function Flow() {
  const view = session.value;
  return (
    <>
      <div class="panel-head">
        <h2 id="flow-title">How a change becomes an event</h2>
        <KillButton view={view} />
      </div>
      <ol class="flow">
        {flowNodes(view, lists.value, isStopped.value).map((node) => (
          <Node key={node.place} node={node} />
        ))}
      </ol>
    </>
  );
}

function Node({ node }: { readonly node: FlowNode }) {
  const { place, title, count, unit, details, trouble, isBusy } = node;
  return (
    <li
      class={`node ${trouble === undefined ? '' : 'has-trouble'} ${isBusy ? 'is-busy' : ''}`}
      data-place={place}
    >
      <p class="node-title">{title}</p>
      <p class="node-count">
        <Pulse key={count}>{showCount(count)}</Pulse> <span>{unit}</span>
      </p>
      <p class="node-details">{details}</p>
      {trouble !== undefined && <p class="node-trouble">{trouble}</p>}
    </li>
  );
}

/** Lights up once when it is made: it has the count as its key. */
function Pulse({ children }: { readonly children: ComponentChildren }) {
  return <strong class="pulse">{children}</strong>;
}

function KillButton({ view }: { readonly view: SessionView | undefined }) {
  const isArmed = view?.isKillArmed ?? false;
  return (
    <div class="kill">
      <p id="kill-explained">
        {isArmed
          ? 'Armed: the next run is killed at its first request.'
          : 'A run dies half-way; a later one reads the same pages again. Nothing is lost.'}
      </p>
      <button
        type="button"
        class="danger"
        aria-describedby="kill-explained"
        disabled={view?.phase !== 'running' || isStopped.value}
        aria-disabled={isArmed}
        onClick={() => {
          if (!isArmed) void act('kill', {});
        }}
      >
        Kill the poller now
      </button>
    </div>
  );
}
