// The section of the results on the cost of guardrails.
import { type GuardrailsCase, guardrailKinds } from './guardrails.ts';
import { range, table } from './markdown.ts';

export function renderGuardrails(cases: readonly GuardrailsCase[]): readonly string[] {
  const [input, ...more] = Object.values(guardrailKinds).slice(1);
  return [
    '## Guardrails',
    '',
    `${guardrailKinds.off} = a key to which none apply · ${input} = one guardrail that looks for them · ${more.join(' · ')} = all kinds that call no service, five of ` +
      'them, on requests and responses; the others inspect requests, or responses where they are streamed. They match nothing. CPU µs each KiB = ' +
      `processor time beyond ${guardrailKinds.off}, for each KiB of text that is inspected.`,
    '',
    ...cases.flatMap(renderCase),
  ];
}

function renderCase({ name, unit, subjects, inspectedKib }: GuardrailsCase): readonly string[] {
  const off = subjects[guardrailKinds.off];
  if (off === undefined) throw new Error('nothing to compare guardrails with');
  const latency = unit === 'tokens' ? 'first token' : 'latency';
  const head = [
    ...['guardrails', `${unit}/s`, '÷ off', 'CPU µs each', 'more', 'CPU µs each KiB', 'share'],
    ...[`${latency} p50 ms`, 'p99 ms', 'MiB'],
  ];
  const rows = Object.entries(subjects).map(([kind, figures]) => {
    const more = figures.cpuMicroseconds.median - off.cpuMicroseconds.median;
    const each = inspectedKib[kind];
    return [
      ...[kind, range(figures.perSecond, 0)],
      (figures.perSecond.median / off.perSecond.median).toFixed(2),
      ...[figures.cpuMicroseconds.median.toFixed(1), more.toFixed(1)],
      each === undefined ? '' : (more / each).toFixed(1),
      figures.cpuShare.median.toFixed(2),
      ...[figures.p50Ms.median.toFixed(2), figures.p99Ms.median.toFixed(2)],
      figures.residentMiB.median.toFixed(0),
    ];
  });
  return [`### ${name}`, '', ...table(head, rows), ''];
}
