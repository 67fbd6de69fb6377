// A bar chart over time, of one line or of several on top of each other. The same numbers are in a table beside it, so the
// chart is hidden from screen readers.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import classes from '../styles/page.module.css';

export interface ChartLine {
  readonly name: string;
  /** One for each time. */
  readonly values: readonly number[];
}

export interface ChartProps {
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  /** From the bottom up. One line has no legend. */
  readonly lines: readonly ChartLine[];
  readonly format: (value: number) => string;
}

export function Chart(props: ChartProps) {
  const { times, lines, format } = props;
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const plot = new uPlot(optionsFor(element, { times, lines, format }), dataOf(times, lines), element);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, lines, format]);
  return (
    <>
      <div ref={host} className={classes.chart} aria-hidden="true" />
      {lines.length < 2 ? null : <Legend lines={lines} format={format} />}
    </>
  );
}

function Legend({ lines, format }: Pick<ChartProps, 'lines' | 'format'>) {
  return (
    <ul className={classes.legend} aria-hidden="true">
      {lines.map(({ name, values }, index) => (
        <li key={name} className={classes.legendItem}>
          <span className={`${classes.swatch} ${classes[`series-${index % coloursMax}`]}`} />
          {name} <span className={classes.muted}>{format(values.reduce((sum, value) => sum + value, 0))}</span>
        </li>
      ))}
    </ul>
  );
}

const coloursMax = 9;

/** The highest stack first, so that each lower one is drawn over it. */
function dataOf(times: readonly number[], lines: readonly ChartLine[]): uPlot.AlignedData {
  const sums = times.map(() => 0);
  const stacks = lines.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + value;
      return sums[index];
    }),
  );
  return [times.map((time) => time / 1000), ...stacks.toReversed()];
}

/** Amounts like "$1,234.50" need more room than "7". */
const axisWidth = 72;

/** Room for the half of the first and of the last bar. */
function padded(min: number, max: number, bars: number): [number, number] {
  const step = bars > 1 ? (max - min) / (bars - 1) : 3600;
  return [min - step / 2, max + step / 2];
}

function optionsFor(element: HTMLElement, { times, lines, format }: ChartProps): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => resolved(element, style.getPropertyValue(name));
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  const seriesOf = (index: number) => ({
    fill: colour(`--series-${index % coloursMax}`),
    width: 0,
    points: { show: false },
    ...(bars === undefined ? {} : { paths: bars }),
  });
  return {
    width: element.clientWidth,
    height: element.clientHeight,
    legend: { show: false },
    cursor: { points: { show: false }, drag: { x: false, y: false } },
    // Days and hours are UTC.
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      x: { range: (_plot, min, max) => padded(min, max, times.length) },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.1 : 1] },
    },
    axes: [
      { ...axis, grid: { show: false } },
      { ...axis, size: axisWidth, values: (_plot, ticks) => ticks.map(format) },
    ],
    series: [{}, ...lines.map((_, index) => seriesOf(index)).toReversed()],
  };
}

/** A canvas does not know light-dark(): the browser computes it for a colour of an element. */
function resolved(element: HTMLElement, value: string): string {
  const before = element.style.color;
  element.style.color = value;
  const colour = getComputedStyle(element).color;
  element.style.color = before;
  return colour;
}
