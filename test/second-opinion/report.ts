// The tables of a comparison, as Markdown.
import { type Difference, decisionOf, decisions } from './decisions.ts';
import type { Case } from './run.ts';

const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
const head = (cells: readonly string[]) => [line(cells), line(cells.map(() => '---'))];

export function summaryTable(cases: readonly Case[], differences: readonly Difference[]): string {
  const rows = [...Map.groupBy(cases, ({ vendor }) => vendor)].map(([vendor, own]) => {
    const differ = differences.filter((one) => one.vendor === vendor);
    const models = new Set(own.map(({ model }) => model)).size;
    return line([vendor, models, own.length, own.length - differ.length, differ.length]);
  });
  const models = new Set(cases.map(({ vendor, model }) => `${vendor}/${model}`)).size;
  const all = ['all', models, cases.length, cases.length - differences.length, differences.length];
  return [...head(['vendor', 'models', 'cases', 'the same', 'differ']), ...rows, line(all), ''].join('\n');
}

export function differencesTable(differences: readonly Difference[], all: boolean): string {
  const rows = decisions.map((decision) => {
    const { what, right, why, source } = decision;
    const decided = differences.filter((one) => decisionOf(one) === decision);
    return line([what, decided.length, spread(decided), right, why, source]);
  });
  const single = all ? differences.map((one) => `${JSON.stringify(one)}`) : [];
  return [...head(['what', 'cases', 'ours ÷ theirs', 'right', 'why', 'source']), ...rows, '', ...single].join('\n');
}

function spread(differences: readonly Difference[]): string {
  const ratios = differences.flatMap(({ own, theirs }) =>
    own === undefined || theirs === undefined || theirs === 0 ? [] : [own / theirs],
  );
  if (ratios.length === 0) return '–';
  const [least, most] = [Math.min(...ratios).toFixed(2), Math.max(...ratios).toFixed(2)];
  return least === most ? least : `${least}–${most}`;
}
