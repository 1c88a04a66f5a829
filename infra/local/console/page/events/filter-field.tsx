import { useSignal } from '@preact/signals';
import { Controls } from '../controls.tsx';
import { clip, countOf } from '../format.ts';
import { checkFilter } from '../state/actions.ts';
import { events } from '../state/events.ts';
import { session } from '../state/state.ts';
import { applyFilter, filter, receivedBefore } from '../state/stream.ts';

const EXAMPLES: readonly { readonly label: string; readonly policy: object }[] = [
  { label: 'floorplans and projects', policy: { entity: ['floorplan', 'project'] } },
  { label: 'new names', policy: { changed: ['name'] } },
  { label: 'no deletes', policy: { action: [{ 'anything-but': ['deleted'] }] } },
];

const NONE = { refusal: '', warning: '' };

/** Matches all events. */
const EMPTY = /^\s*(\{\s*\}\s*)?$/;

/** An SNS filter policy, applied to a subscription of this tab. */
export function FilterField() {
  const text = useSignal('');
  const problems = useSignal(NONE);
  const { refusal, warning } = problems.value;
  const apply = async (policy: string): Promise<void> => {
    text.value = policy;
    const isEmpty = EMPTY.test(policy);
    problems.value = isEmpty ? NONE : await checkFilter(policy);
    if (problems.value.refusal === '') applyFilter(isEmpty ? undefined : policy);
  };
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        void apply(text.value);
      }}
    >
      <Controls>
        <label for="filter-policy">Filter policy</label>
        <input
          id="filter-policy"
          class="mono"
          placeholder='{"entity": ["floorplan", "project"]}'
          spellcheck={false}
          autocomplete="off"
          value={text.value}
          aria-invalid={refusal !== ''}
          aria-describedby="filter-help"
          onInput={({ currentTarget }) => (text.value = currentTarget.value)}
        />
        <button type="submit">Apply</button>
        {filter.value !== undefined && (
          <button type="button" onClick={() => void apply('')}>
            Remove
          </button>
        )}
        <p
          id="filter-help"
          class={refusal + warning === '' ? 'muted' : 'field-problem'}
          aria-live="polite"
        >
          {refusal || warning || helpText()}
        </p>
        {filter.value !== undefined && (
          <p class="muted">
            In force: <code dir="ltr">{clip(filter.value)}</code>
          </p>
        )}
        <p class="examples">
          <span class="muted">Try</span>
          {EXAMPLES.map(({ label, policy }) => (
            <button
              key={label}
              type="button"
              class="small"
              onClick={() => void apply(JSON.stringify(policy))}
            >
              {label}
            </button>
          ))}
        </p>
      </Controls>
    </form>
  );
}

function helpText(): string {
  if (filter.value === undefined) {
    return 'SNS itself filters: the policy is set on a subscription of this tab, as yours would be.';
  }
  const received = session.value?.flow.receivedCount ?? 0;
  // The tab's own queue may be faster than the one that counts all.
  const published = Math.max(received - (receivedBefore.value ?? received), events.value.length);
  return `Set on a subscription of this tab: only what matches is received. ${countOf(published, 'event')} published since.`;
}
