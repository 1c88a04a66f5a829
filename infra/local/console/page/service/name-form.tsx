import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';

interface NameFormProps {
  readonly label: string;
  readonly initial: string;
  readonly verb: string;
  /** @returns whether it was done. */
  readonly onSubmit: (name: string) => Promise<boolean>;
  readonly onDone: () => void;
}

/** Asks for a name. Escape leaves it. */
export function NameForm({ label, initial, verb, onSubmit, onDone }: NameFormProps) {
  const name = useSignal(initial);
  const input = useRef<HTMLInputElement>(null);
  // Before the next key is pressed.
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);
  return (
    <form
      class="name-form"
      onSubmit={(event) => {
        event.preventDefault();
        void onSubmit(name.value).then((isDone) => {
          if (isDone) onDone();
        });
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') onDone();
      }}
    >
      <input
        ref={input}
        aria-label={label}
        placeholder={label}
        dir="auto"
        required
        value={name.value}
        onInput={({ currentTarget }) => (name.value = currentTarget.value)}
      />
      <button type="submit" class="small primary">
        {verb}
      </button>
      <button type="button" class="small" onClick={onDone}>
        Cancel
      </button>
    </form>
  );
}
