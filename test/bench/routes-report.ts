// The section of the results on routes, with the goals beside it.
import { range, table } from './markdown.ts';
import { callees, type RoutesResult } from './routes.ts';

const aims = { processorTime: 1.03, addedMs: 5 } as const;

export function renderRoutes({ name, subjects, failover }: RoutesResult): readonly string[] {
  const model = subjects[callees.model];
  if (model === undefined) throw new Error('nothing to compare routes with');
  const rows = Object.entries(subjects).map(([callee, figures]) => [
    ...[callee, range(figures.perSecond, 0), (figures.perSecond.median / model.perSecond.median).toFixed(3)],
    figures.cpuMicroseconds.median.toFixed(1),
    (figures.cpuMicroseconds.median / model.cpuMicroseconds.median).toFixed(3),
    callee === callees.route ? `≤ ${aims.processorTime}` : '',
    ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
  ]);
  const { served, failed, after } = failover;
  const times = [
    ['the first target responds', range(served, 2), ''],
    ['the only target fails (404)', range(failed, 2), ''],
    ['the first target fails, the second one responds', range(after, 2), ''],
    ['added by the failed attempt, with its own time', (after.median - served.median).toFixed(2), `≤ ${aims.addedMs}`],
  ];
  return [
    `## ${name}`,
    '',
    ...table(['called', 'requests/s', '÷ model', 'CPU µs each', '÷ model', 'aim', 'p50 ms', 'p99 ms'], rows),
    '',
    'One request at a time; the medians of three passes:',
    '',
    ...table(['request', 'ms', 'aim'], times),
    '',
  ];
}
