import type { JSX } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

interface VirtualListProps<T> {
  readonly label: string;
  readonly items: readonly T[];
  /** Grows with each item that came on top. */
  readonly newest: number;
  readonly rowHeight: number;
  readonly keyOf: (item: T) => number;
  readonly selected: number | undefined;
  readonly onSelect: (item: T) => void;
  readonly row: (item: T) => JSX.Element;
}

/** Rows beyond the visible ones. */
const MARGIN = 6;

/**
 * A list box that has only its visible rows in the document. What a reader has scrolled to stays in place
 * while items come on top.
 */
export function VirtualList<T>(props: VirtualListProps<T>) {
  const { label, items, newest, rowHeight, keyOf, selected, onSelect, row } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const before = useRef(newest);
  useLayoutEffect(() => {
    const added = newest - before.current;
    before.current = newest;
    const element = box.current;
    if (!element || added <= 0 || element.scrollTop === 0) return;
    // All of them are new after a reconnect.
    element.scrollTop = added < items.length ? element.scrollTop + added * rowHeight : 0;
  }, [newest]);
  const measure = (): void => {
    const element = box.current;
    if (element) setView({ top: element.scrollTop, height: element.clientHeight });
  };
  useLayoutEffect(measure, []);
  const first = Math.max(0, Math.floor(view.top / rowHeight) - MARGIN);
  const end = Math.ceil((view.top + view.height) / rowHeight) + MARGIN;
  const shown = items.slice(first, end);
  const index = items.findIndex((item) => keyOf(item) === selected);
  const move = (to: number): void => {
    const next = items[Math.max(0, Math.min(to, items.length - 1))];
    if (next === undefined) return;
    onSelect(next);
    box.current?.scrollTo({ top: Math.max(0, to * rowHeight - view.height / 2) });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = {
      ...{ ArrowDown: index + 1, ArrowUp: Math.max(index - 1, 0) },
      ...{ Home: 0, End: items.length - 1 },
    };
    const to = steps[event.key];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  return (
    <div
      class="virtual"
      ref={box}
      role="listbox"
      tabIndex={0}
      data-next-focus
      aria-label={label}
      {...(index >= first && index < end && { 'aria-activedescendant': `event-${selected}` })}
      onScroll={measure}
      onKeyDown={onKeyDown}
    >
      <div
        class="virtual-space"
        role="presentation"
        style={{ height: `${items.length * rowHeight}px` }}
      >
        {shown.map((item, offset) => {
          const key = keyOf(item);
          return (
            <div
              key={key}
              id={`event-${key}`}
              class="virtual-row"
              role="option"
              aria-selected={key === selected}
              aria-setsize={items.length}
              aria-posinset={first + offset + 1}
              style={{
                height: `${rowHeight}px`,
                transform: `translateY(${(first + offset) * rowHeight}px)`,
              }}
              onClick={() => {
                onSelect(item);
              }}
            >
              {row(item)}
            </div>
          );
        })}
      </div>
    </div>
  );
}
