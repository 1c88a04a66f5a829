import { effect, type ReadonlySignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';

type Data = [number[], number[]];

interface ChartProps {
  readonly kind: 'line' | 'bars';
  readonly data: ReadonlySignal<Data>;
  /** Of the bars. */
  readonly labels?: readonly string[];
}

const HEIGHT = 130;
/** Least time of a line. */
const MIN_SECONDS = 60;

/** A small chart that fills its width. Its caption tells the same in words. */
export function Chart({ kind, data, labels }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const plot = new uPlot(optionsOf(kind, labels, element), data.value, element);
    const stop = effect(() => {
      plot.setData(data.value);
    });
    // The canvas takes its colours from the page each time that it draws.
    const colours = matchMedia('(prefers-color-scheme: dark)');
    const redraw = (): void => {
      plot.redraw();
    };
    colours.addEventListener('change', redraw);
    const observer = new ResizeObserver(() => {
      plot.setSize({ width: element.clientWidth, height: HEIGHT });
    });
    observer.observe(element);
    return () => {
      stop();
      colours.removeEventListener('change', redraw);
      observer.disconnect();
      plot.destroy();
    };
  }, []);
  return <div class="chart" ref={place} aria-hidden="true" />;
}

function optionsOf(
  kind: ChartProps['kind'],
  labels: readonly string[] | undefined,
  element: HTMLElement,
): uPlot.Options {
  const ink = (): string => colourOf(element, '--muted');
  const accent = (): string => colourOf(element, '--accent');
  const axis = {
    stroke: ink,
    font: '11px system-ui',
    grid: { stroke: () => colourOf(element, '--line'), width: 1 },
    ticks: { show: false },
  };
  const bars = uPlot.paths.bars?.({ size: [0.75, 48] });
  return {
    width: element.clientWidth || 300,
    height: HEIGHT,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x:
        kind === 'bars'
          ? { time: false, range: (_, min, max) => [min - 0.6, max + 0.6] }
          : // Over a few seconds the same time would stand below several ticks.
            { range: (_, min, max) => timeRange(min, max) },
      y: { range: (_, _min, max) => [0, Math.max(max, 5) * 1.1] },
    },
    series: [
      {},
      {
        stroke: accent,
        fill: () => `${accent()}33`,
        width: kind === 'line' ? 2 : 1,
        points: { show: false },
        ...(kind === 'bars' && bars && { paths: bars }),
      },
    ],
    axes: [
      {
        ...axis,
        size: 24,
        ...(labels && {
          splits: () => labels.map((_, index) => index),
          values: () => [...labels],
          grid: { show: false },
        }),
        ...(!labels && {
          values: (_: uPlot, splits: number[]) =>
            splits.map((time) => new Date(time * 1000).toLocaleTimeString('en-GB')),
          space: 70,
        }),
      },
      {
        ...axis,
        size: 40,
        values: (_, splits) =>
          splits.map((value) =>
            Number.isInteger(value) ? `${value}${kind === 'line' ? ' s' : ''}` : '',
          ),
      },
    ],
  };
}

/** @param max 0 or null without data. */
function timeRange(min: number, max: number): [number, number] {
  const end = max || Date.now() / 1000;
  return [Math.min(min || end, end - MIN_SECONDS), end];
}

/** The colour of a custom property in the present theme, as `#rrggbb`. */
function colourOf(element: HTMLElement, name: string): string {
  element.style.color = `var(${name})`;
  const [red = 0, green = 0, blue = 0] = (
    getComputedStyle(element).color.match(/[\d.]+/g) ?? []
  ).map(Number);
  return `#${[red, green, blue].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}
