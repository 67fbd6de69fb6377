// The section of the results on the cost of limits, with the goals beside it.
import { type LimitsResult, limitKinds } from './limits.ts';
import { range, table } from './markdown.ts';

const aims: Readonly<Record<string, number>> = { [limitKinds.budgets]: 0.9, [limitKinds.all]: 0.65 };

export function renderLimits({ name, light, subjects }: LimitsResult): readonly string[] {
  const none = subjects[limitKinds.none];
  if (none === undefined) throw new Error('nothing to compare limits with');
  const head = [
    ...['limits', 'requests/s', '÷ none', 'aim', 'CPU µs each', 'CPU none ÷', 'share'],
    ...['latency p50 ms', 'p99 ms'],
    ...['light p50 ms', 'added', 'light p99 ms', 'added', 'events waiting', 'MiB'],
  ];
  const rows = Object.entries(subjects).map(([kind, figures]) => [
    ...[kind, range(figures.perSecond, 0)],
    (figures.perSecond.median / none.perSecond.median).toFixed(2),
    aims[kind] === undefined ? '' : `≥ ${aims[kind]}`,
    figures.cpuMicroseconds.median.toFixed(1),
    (none.cpuMicroseconds.median / figures.cpuMicroseconds.median).toFixed(2),
    figures.cpuShare.median.toFixed(2),
    ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
    figures.lightP50Ms.median.toFixed(2),
    (figures.lightP50Ms.median - none.lightP50Ms.median).toFixed(2),
    figures.lightP99Ms.median.toFixed(2),
    (figures.lightP99Ms.median - none.lightP99Ms.median).toFixed(2),
    figures.eventsWaiting.median.toFixed(0),
    figures.residentMiB.median.toFixed(0),
  ]);
  const work = Object.entries(subjects).map(([kind, figures]) => [
    kind,
    (figures.acquisitions.median * 1000).toFixed(2),
    figures.redisScripts.median.toFixed(2),
    figures.redisCommands.median.toFixed(1),
    figures.redisMicroseconds.median.toFixed(1),
  ]);
  return [
    `## ${name}`,
    '',
    'no limits = a key to which none applies · 3 budgets = of key, AI system and organization · everything = those, and requests per ' +
      `minute, tokens per minute and concurrency of key and organization in Redis. Light = ${light}. Events waiting = usage that the ` +
      'control plane, which shares its core with load, upstream and Redis, had not received when the load ended; where that other core leaves the gateway a share far below 1, only the processor time counts.',
    '',
    ...table(head, rows),
    '',
    ...table(
      ['limits', 'acquisitions per 1,000 requests', 'Redis scripts each', 'commands, with theirs', 'Redis CPU µs each'],
      work,
    ),
    '',
  ];
}
