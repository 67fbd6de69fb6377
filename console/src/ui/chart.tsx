// A bar chart over time. The same numbers are in a table beside it, so the chart is hidden from screen readers.
import { useEffect, useRef } from 'react';
import uPlot from 'uplot';
import classes from '../styles/page.module.css';

export interface ChartProps {
  /** Milliseconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly format: (value: number) => string;
}

export function Chart({ times, values, format }: ChartProps) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (element === null) return;
    const data: uPlot.AlignedData = [times.map((time) => time / 1000), [...values]];
    const plot = new uPlot(optionsFor(element, { times, values, format }), data, element);
    const observer = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: element.clientHeight }),
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      plot.destroy();
    };
  }, [times, values, format]);
  return <div ref={host} className={classes.chart} aria-hidden="true" />;
}

/** Amounts like "$1,234.50" need more room than "7". */
const axisWidth = 72;

/** Room for the half of the first and of the last bar. */
function padded(min: number, max: number, bars: number): [number, number] {
  const step = bars > 1 ? (max - min) / (bars - 1) : 3600;
  return [min - step / 2, max + step / 2];
}

function optionsFor(element: HTMLElement, { times, format }: ChartProps): uPlot.Options {
  const style = getComputedStyle(element);
  const colour = (name: string) => resolved(element, style.getPropertyValue(name));
  const axis = { stroke: colour('--muted'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
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
    series: [{}, { fill: colour('--accent'), ...(bars === undefined ? {} : { paths: bars }) }],
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
