import { useSignal } from '@preact/signals';
import { clip } from '../format.ts';

interface NameButtonProps {
  readonly label: string;
  /** The old name, of an entity that gets a new one. */
  readonly name?: string;
  /** Of the button that sends the name. */
  readonly verb: string;
  /** @returns undefined if the name was refused. */
  readonly onName: (name: string) => Promise<readonly string[] | undefined>;
}

/** A button that becomes a form for a name. Escape leaves it. */
export function NameButton({ label, name = '', verb, onName }: NameButtonProps) {
  const isOpen = useSignal(false);
  const short = name === '' ? '' : ` “${clip(name, 60)}”`;
  const close = (): void => {
    isOpen.value = false;
  };
  const submit = async (form: HTMLFormElement): Promise<void> => {
    const { value } = form.elements.namedItem('name') as HTMLInputElement;
    if ((await onName(value.trim())) !== undefined) close();
  };
  if (!isOpen.value) {
    return (
      <button type="button" aria-label={label + short} onClick={() => (isOpen.value = true)}>
        {label}
      </button>
    );
  }
  const question = name === '' ? `Name of the ${label.toLowerCase()}` : `New name of${short}`;
  return (
    <form
      class="row"
      onSubmit={(event) => {
        event.preventDefault();
        void submit(event.currentTarget);
      }}
      onKeyDown={({ key }) => {
        if (key === 'Escape') close();
      }}
    >
      <input
        ref={selectText}
        name="name"
        class="grow"
        aria-label={question}
        placeholder={question}
        defaultValue={name}
        dir="auto"
        required
        pattern=".*\S.*"
        maxLength={255}
      />
      <button type="submit" class="primary">
        {verb}
      </button>
      <button type="button" onClick={close}>
        Cancel
      </button>
    </form>
  );
}

/** Called once, before the next key is pressed. */
function selectText(input: HTMLInputElement | null): void {
  input?.focus();
  input?.select();
}
