// The section of the results on the cost of a sidecar.
import { type ForwardCase, forwardKinds, type IdleMemory } from './forward.ts';
import { range, table } from './markdown.ts';

export interface ForwardResults {
  readonly cases: readonly ForwardCase[];
  readonly idle: IdleMemory;
}

export function renderForward({ cases, idle }: ForwardResults): readonly string[] {
  const { direct, forward, full } = forwardKinds;
  return [
    '## Sidecar',
    '',
    `${direct} = without a sidecar, in plain HTTP · ${forward} = through one, over mutual TLS to the same egress gateway · ${full} = one that ` +
      'calls the vendor itself. CPU µs and MiB are the sidecar’s, or of the egress gateway where there is none; a sidecar has a core for itself, ' +
      'the egress gateway shares one with load and upstream.',
    '',
    ...cases.flatMap(renderCase),
    `Idle: ${Object.entries(idle)
      .map(([kind, mib]) => `${kind} ${mib.toFixed(0)} MiB`)
      .join(', ')}.`,
    '',
  ];
}

function renderCase({ name, unit, subjects }: ForwardCase): readonly string[] {
  const direct = subjects[forwardKinds.direct];
  if (direct === undefined) throw new Error('nothing to compare sidecars with');
  const latency = unit === 'tokens' ? 'first token' : 'latency';
  const head = [
    ...['', `${unit}/s`, '÷ direct', 'CPU µs each', 'share'],
    ...[`${latency} p50 ms`, 'more', 'p99 ms', 'MiB'],
  ];
  const rows = Object.entries(subjects).map(([kind, figures]) => [
    ...[kind, range(figures.perSecond, 0), (figures.perSecond.median / direct.perSecond.median).toFixed(2)],
    ...[figures.cpuMicroseconds.median.toFixed(1), figures.cpuShare.median.toFixed(2)],
    ...[figures.p50Ms.median.toFixed(2), (figures.p50Ms.median - direct.p50Ms.median).toFixed(2)],
    ...[figures.p99Ms.median.toFixed(2), figures.residentMiB.median.toFixed(0)],
  ]);
  return [`### ${name}`, '', ...table(head, rows), ''];
}
