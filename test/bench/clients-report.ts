// The section of the results on the cost of clients' formats, with the goals beside it.
import { type ClientsCase, clientCalls } from './clients.ts';
import { range, table } from './markdown.ts';

/** The least rate, relative to that of chat completions. The processor time of each may be as much more. */
const aims = { native: 1, translated: 0.6 } as const;

export function renderClients(cases: readonly ClientsCase[]): readonly string[] {
  return [
    "## Clients' formats",
    '',
    `÷ chat = relative to ${clientCalls[0].name} in the same passes. Native = the format of the vendor, whose bytes pass; translated = another ` +
      `format. Aim: ${aims.native.toFixed(1)} of its rate or 1 of its processor time where native, ${aims.translated} of its rate where translated.`,
    '',
    ...cases.flatMap(renderCase),
  ];
}

function renderCase({ name, unit, subjects }: ClientsCase): readonly string[] {
  const base = subjects[clientCalls[0].name];
  if (base === undefined) throw new Error('nothing to compare formats with');
  const latency = unit === 'tokens' ? 'first token' : 'latency';
  const head = [
    ...['client → vendor', '', `${unit}/s`, '÷ chat', 'aim', 'CPU µs each', '÷ chat', 'aim', 'share'],
    ...[`${latency} p50 ms`, 'p99 ms', 'MiB'],
  ];
  const rows = clientCalls.flatMap((call) => {
    const figures = subjects[call.name];
    if (figures === undefined) return [];
    const aim = call.kind === 'base' ? undefined : aims[call.kind];
    return [
      [
        ...[call.name, call.kind === 'base' ? '' : call.kind, range(figures.perSecond, 0)],
        (figures.perSecond.median / base.perSecond.median).toFixed(2),
        aim === undefined ? '' : `≥ ${aim.toFixed(1)}`,
        range(figures.cpuMicroseconds, 1),
        (figures.cpuMicroseconds.median / base.cpuMicroseconds.median).toFixed(2),
        aim === undefined ? '' : `≤ ${(1 / aim).toFixed(2)}`,
        figures.cpuShare.median.toFixed(2),
        ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
        figures.residentMiB.median.toFixed(0),
      ],
    ];
  });
  return [`### ${name}`, '', ...table(head, rows), ''];
}
