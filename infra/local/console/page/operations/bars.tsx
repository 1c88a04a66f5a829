/** One bar of a small chart. */
export interface Bar {
  readonly key: string | number;
  /** From 0 to 1. */
  readonly height: number;
  /** Tells the same in words. */
  readonly text: string;
  readonly tone?: string;
  /** A short text above it. */
  readonly sign?: string;
  /** A short text below it. */
  readonly label?: string;
}

interface BarsProps {
  readonly label: string;
  readonly bars: readonly Bar[];
}

/** A small chart of bars. Its caption tells the same in words. */
export function Bars({ label, bars }: BarsProps) {
  return (
    <div class="bars" role="img" aria-label={label}>
      {bars.map(({ key, height, text, tone = 'accent', sign, label: below }) => (
        <div key={key} class={tone} title={text}>
          {sign}
          <span class="bar" style={{ height: `${100 * height}%` }} />
          {below}
        </div>
      ))}
    </div>
  );
}
