const FOCUSABLE = 'a[href], button, input, select, summary, [tabindex="0"]';

let last: HTMLElement | undefined;
/** Of the last focused element, the innermost first: once it is removed it has none. */
let places: readonly HTMLElement[] = [];

/**
 * Keeps the keyboard's place in the page. When the focused control goes, the one that took its place gets the
 * focus: the first in the innermost element that is left, or the one there with `data-next-focus`.
 */
export function keepFocus(root: Element): void {
  document.addEventListener('focusin', ({ target }) => {
    remember(target);
  });
  // A click beside all controls takes the focus away on purpose.
  document.addEventListener('pointerdown', ({ target }) => {
    remember((target as Element).closest(FOCUSABLE));
  });
  new MutationObserver(restore).observe(root, {
    ...{ childList: true, subtree: true },
    attributeFilter: ['disabled'],
  });
}

function remember(target: EventTarget | null): void {
  last = target instanceof HTMLElement ? target : undefined;
  const found: HTMLElement[] = [];
  for (let place = last?.parentElement; place; place = place.parentElement) found.push(place);
  places = found;
}

function restore(): void {
  if (document.activeElement !== document.body || last === undefined || !document.hasFocus())
    return;
  // A row that was moved loses the focus, too. A disabled control gets it back later.
  if (last.isConnected) focus(last.matches(':disabled') ? undefined : last);
  else focus(nextOf(places));
}

function nextOf(within: readonly HTMLElement[]): HTMLElement | undefined {
  for (const place of within.filter(({ isConnected }) => isConnected)) {
    const marked = place.querySelector<HTMLElement>('[data-next-focus]');
    const next = marked ?? place.querySelector<HTMLElement>(`:is(${FOCUSABLE}):not(:disabled)`);
    if (next) return next;
  }
  return undefined;
}

function focus(element: HTMLElement | undefined): void {
  element?.focus({ preventScroll: true });
  element?.scrollIntoView({ block: 'nearest' });
}
