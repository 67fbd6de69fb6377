// The section of the results on the cost of reading on, with the goal beside it.
import { type HangUpsResult, leaving } from './hang-ups.ts';
import { range, table } from './markdown.ts';

/** The goal for the processor time, relative to that of callers that wait. */
const aim = 1.02;

export function renderHangUps({ name, subjects }: HangUpsResult): readonly string[] {
  const [waiting = ''] = Object.keys(leaving);
  const base = subjects[waiting];
  if (base === undefined) throw new Error('nothing to compare hang-ups with');
  const head = [
    ...['callers', 'requests/s', '÷ all wait', 'CPU µs each', '÷ all wait', 'aim', 'read on'],
    ...['latency p50 ms', 'p99 ms', 'share', 'MiB'],
  ];
  const rows = Object.entries(subjects).map(([kind, figures]) => [
    ...[kind, range(figures.perSecond, 0)],
    (figures.perSecond.median / base.perSecond.median).toFixed(3),
    figures.cpuMicroseconds.median.toFixed(1),
    (figures.cpuMicroseconds.median / base.cpuMicroseconds.median).toFixed(3),
    kind === waiting ? '' : `≤ ${aim}`,
    figures.readOn.median.toFixed(0),
    ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
    ...[figures.cpuShare.median.toFixed(2), figures.residentMiB.median.toFixed(0)],
  ]);
  return [
    `## ${name}`,
    '',
    'The requests are those of the ordinary load; the processor time of each includes that of the slow ones beside it. Read on = responses whose ' +
      'caller had left, read to their end for their usage.',
    '',
    ...table(head, rows),
    '',
  ];
}
