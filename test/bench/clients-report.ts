// The section of the results on the cost of clients' formats, with the goals beside it.
import { type ClientsCase, clientCalls } from './clients.ts';
import { range, table } from './markdown.ts';

/** The most processor time, relative to that of chat completions. */
const aims = { native: 1, translated: 1 / 0.6 } as const;

export function renderClients(cases: readonly ClientsCase[]): readonly string[] {
  return [
    "## Clients' formats",
    '',
    `÷ chat = relative to ${clientCalls[0].name} in the same process. Native = the format of the vendor, whose bytes pass; translated = another format.`,
    '',
    ...cases.flatMap(renderCase),
  ];
}

function renderCase({ name, unit, subjects }: ClientsCase): readonly string[] {
  const base = subjects[clientCalls[0].name];
  if (base === undefined) throw new Error('nothing to compare formats with');
  const latency = unit === 'tokens' ? 'first token' : 'latency';
  const head = ['client → vendor', '', `${unit}/s`, 'CPU µs each', '÷ chat', 'aim', `${latency} p50 ms`, 'p99 ms'];
  const rows = clientCalls.flatMap((call) => {
    const figures = subjects[call.name];
    if (figures === undefined) return [];
    return [
      [
        ...[call.name, call.kind === 'base' ? '' : call.kind, range(figures.perSecond, 0)],
        range(figures.cpuMicroseconds, 1),
        (figures.cpuMicroseconds.median / base.cpuMicroseconds.median).toFixed(2),
        call.kind === 'base' ? '' : `≤ ${aims[call.kind].toFixed(2)}`,
        ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
      ],
    ];
  });
  return [`### ${name}`, '', ...table(head, rows), ''];
}
