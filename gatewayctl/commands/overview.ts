// `gatewayctl overview`: what is spent and what needs attention. And `usage series`, whose lines become columns.
import type { AttentionItem__Output as Item } from '../../proto/generated/gateway/v1/AttentionItem.ts';
import type { GetOverviewResponse__Output as Overview } from '../../proto/generated/gateway/v1/GetOverviewResponse.ts';
import type { OverviewSums__Output as Sums } from '../../proto/generated/gateway/v1/OverviewSums.ts';
import type { UsageSeriesResponse__Output as Series } from '../../proto/generated/gateway/v1/UsageSeriesResponse.ts';
import { enumWord } from '../../proto/json/contract.ts';
import type { Command, MethodCommand } from '../command.ts';
import { printable, renderTable } from '../table.ts';
import { periodSince, withPeriod } from './period.ts';

export const overview: Command = {
  method: 'Overview.Get',
  about: 'show what is spent today and this month, the most used budgets, and what needs attention',
  render: (response) => overviewText(response as Overview),
  examples: ['overview', 'overview --json'],
};

function overviewText({ today, month, latency, budgets, attention }: Overview): string {
  const time = latency && `latency    p50 ${latency.p50Ms} ms, p95 ${latency.p95Ms} ms of ${latency.requests} requests`;
  const items = attention.map((item) => printable(`  ${itemText(item)}`));
  return [
    ...(today ? [`today      ${sumsText(today)}`] : []),
    ...(month ? [`month      ${sumsText(month)}`] : []),
    ...(time ? [time] : []),
    items.length === 0 ? 'attention  nothing needs it' : 'attention',
    ...items,
    ...(budgets.length === 0 ? [''] : ['', renderTable('BudgetWindow', budgetColumns, budgets)]),
  ].join('\n');
}

const budgetColumns = {
  BUDGET: 'limitName',
  VALUE: '?counter',
  'SPENT USD': 'spentUsd',
  'AMOUNT USD': 'amountUsd',
  'FORECAST USD': '?forecastUsd',
  'ENDS AT': '?endsAt',
} as const;

function sumsText({ costUsd, requests, failedRequests, unpricedRequests }: Sums): string {
  const unpriced = unpricedRequests === '0' ? '' : `, ${unpricedRequests} without a price`;
  return `$${costUsd}, ${requests} requests, ${failedRequests} failed${unpriced}`;
}

function itemText({ kind, targetName, used, amountUsd, since, endsAt, detail, method }: Item): string {
  const facts = [
    used === undefined ? undefined : `${Math.round(used * 100)} % used`,
    amountUsd === undefined ? undefined : `$${amountUsd}${used === undefined ? '' : ' forecast'}`,
    since && `since ${since}`,
    endsAt && `ends ${endsAt}`,
    detail,
  ].filter(Boolean);
  return `${enumWord('AttentionKind', kind)}: ${targetName}${facts.length === 0 ? '' : `, ${facts.join(', ')}`} (${method})`;
}

export const usageSeries: MethodCommand = {
  method: 'Usage.Series',
  about: 'costs by hour, day or month, with zeros where nothing was used; --json has requests and tokens too',
  options: [
    { flags: '--bucket <bucket>', about: 'default: day', field: 'bucket' },
    { flags: '--by <dimension>', about: 'a column for each of the highest values', field: 'dimension' },
    { flags: '--top <number>', about: 'so many of them, 1 to 20, and the others in one; default: 8', field: 'top' },
    ...periodSince('the start of the month, UTC'),
  ],
  complete: withPeriod,
  render: (response) => seriesText(response as Series),
  examples: [
    'usage series --last 7d',
    'usage series --by model --bucket hour --last 1d',
    'usage series --bucket month --last 1y --json',
  ],
};

function seriesText({ at, lines }: Series): string {
  const heads = lines.map(({ value, name, others }) => (others ? 'OTHERS' : (name ?? value ?? 'USD')));
  const rows = at.map((start, index) => [start, ...lines.map(({ costUsd }) => costUsd[index] ?? '0')]);
  const cells = [['AT', ...heads.map(printable)], ...rows];
  const widths = cells[0]?.map((_, column) => Math.max(...cells.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
      .join('  ');
  return `${cells.map(line).join('\n')}\n`;
}
