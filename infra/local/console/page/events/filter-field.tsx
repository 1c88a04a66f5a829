import { useSignal } from '@preact/signals';
import { checkFilter } from '../state/actions.ts';
import { session } from '../state/state.ts';
import { applyFilter, filter } from '../state/stream.ts';

const EXAMPLES: readonly { readonly label: string; readonly policy: object }[] = [
  { label: 'floorplans', policy: { entity: ['floorplan'] } },
  { label: 'new names', policy: { changed: ['name'] } },
  { label: 'no deletes', policy: { action: [{ 'anything-but': ['deleted'] }] } },
];

/** An SNS filter policy, applied to a subscription of this tab. */
export function FilterField() {
  const text = useSignal('');
  const refusal = useSignal<string | undefined>(undefined);
  const receivedBefore = useSignal(0);
  const apply = async (policy: string): Promise<void> => {
    text.value = policy;
    refusal.value = policy.trim() === '' ? undefined : await checkFilter(policy);
    if (refusal.value !== undefined) return;
    receivedBefore.value = session.value?.flow.receivedCount ?? 0;
    applyFilter(policy.trim() === '' ? undefined : policy);
  };
  return (
    <form
      class="filter"
      onSubmit={(event) => {
        event.preventDefault();
        void apply(text.value);
      }}
    >
      <label for="filter-policy">Filter policy</label>
      <input
        id="filter-policy"
        class="mono"
        placeholder='{"entity": ["floorplan"]}'
        spellcheck={false}
        autocomplete="off"
        value={text.value}
        aria-invalid={refusal.value !== undefined}
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
        class={refusal.value === undefined ? 'muted' : 'field-problem'}
        aria-live="polite"
      >
        {refusal.value ?? helpText(receivedBefore.value)}
      </p>
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
    </form>
  );
}

function helpText(receivedBefore: number): string {
  if (filter.value === undefined) {
    return 'SNS itself filters: the policy is set on a subscription of this tab, as yours would be.';
  }
  const published = (session.value?.flow.receivedCount ?? 0) - receivedBefore;
  return `Set on a subscription of this tab: only what matches is received. ${Math.max(published, 0)} events were published since.`;
}
