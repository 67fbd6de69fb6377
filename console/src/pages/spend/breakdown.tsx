// Usage by one dimension: a chart over time, a table of its values, and the table as a file.
import { useMemo } from 'react';
import type { UsageDimensionInput, UsageTotal, UsageTotalsRequest } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart.tsx';
import { csvOf } from '../../ui/csv.ts';
import { Picker, SearchInput } from '../../ui/fields.tsx';
import { compact, count, duration, money, percent } from '../../ui/format.ts';
import { Filters, Panel } from '../../ui/layout.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { type Period, periodOf, periodOptions } from '../shared/periods.ts';
import { groupName } from './group-name.ts';

const dimensions = [
  { id: 'model', name: 'model' },
  { id: 'provider', name: 'provider' },
  { id: 'key', name: 'key' },
  { id: 'ai-system', name: 'AI system' },
  { id: 'person', name: 'person' },
  { id: 'day', name: 'day' },
  { id: 'hour', name: 'hour' },
] as const satisfies readonly { readonly id: UsageDimensionInput; readonly name: string }[];

export function Breakdown() {
  const [search] = useSearchState();
  const period = useMemo(() => periodOf(search.period ?? '30d'), [search.period]);
  const by = search.by ?? 'model';
  return (
    <>
      <SpendFilters by={by} />
      <OverTime period={period} />
      <Groups period={period} by={by} />
    </>
  );
}

function useTags(): readonly string[] {
  const { organizationId } = useCaller();
  const { data } = useRead('Organizations.Get', { id: organizationId });
  return data?.settings?.tags?.names?.names ?? [];
}

function SpendFilters({ by }: { readonly by: string }) {
  const [search, update] = useSearchState();
  const tags = useTags().map((name) => ({ id: `tag:${name}`, name: `tag ${name}` }));
  return (
    <Filters>
      <Picker
        label="Period"
        isCompact
        options={periodOptions}
        value={search.period ?? '30d'}
        onChange={(period) => update({ period })}
      />
      <Picker
        label="By"
        isCompact
        options={[...dimensions, ...tags]}
        value={by}
        onChange={(next) => update({ by: next })}
      />
      <SearchInput
        label="Model or glob, such as gpt-provider/*"
        value={search.model ?? ''}
        onChange={(model) => update({ model: model || undefined })}
      />
    </Filters>
  );
}

function useFilter(period: Period): UsageTotalsRequest {
  const { organizationId } = useCaller();
  const [{ model, key }] = useSearchState();
  return {
    organizationId,
    ...period,
    // A provider or part of a name alone selects nothing, so it becomes a glob.
    ...(model === undefined ? {} : { model: /[/*]/.test(model) ? model : `*${model}*`, allowUnmatched: true }),
    ...(key === undefined ? {} : { keyId: key }),
  };
}

function OverTime({ period }: { readonly period: Period }) {
  const filter = useFilter(period);
  const isShort = Date.parse(period.to ?? new Date().toISOString()) - Date.parse(period.from) <= 2 * 86_400_000;
  const unit = isShort ? 'hour' : 'day';
  const { data, error } = useRead('Usage.Totals', { ...filter, groupBy: [unit], pageSize: 1000 }, { keep: true });
  const series = useMemo(() => filled(data?.totals ?? [], period, unit), [data, period, unit]);
  return (
    <Panel title={`Cost by ${unit} (UTC)`}>
      <ErrorNote error={error} />
      <Chart times={series.times} values={series.values} format={axisMoney} />
    </Panel>
  );
}

const axisMoney = (value: number) => money(value);

/** Hours or days without usage are zeros. */
function filled(totals: readonly UsageTotal[], { from, to }: Period, unit: 'hour' | 'day') {
  const step = unit === 'hour' ? 3_600_000 : 86_400_000;
  const cost = new Map(totals.map(({ at = '', costUsd }) => [Date.parse(at), Number(costUsd)]));
  const times: number[] = [];
  const end = to === undefined ? Date.now() : Date.parse(to);
  for (let time = Date.parse(from) - (Date.parse(from) % step); time < end; time += step) times.push(time);
  return { times, values: times.map((time) => cost.get(time) ?? 0) };
}

function Groups({ period, by }: { readonly period: Period; readonly by: string }) {
  const filter = useFilter(period);
  const dimension = dimensions.find(({ id }) => id === by)?.id;
  const isTime = dimension === 'day' || dimension === 'hour';
  const list = useList(
    'Usage.Totals',
    {
      ...filter,
      ...(by.startsWith('tag:') ? { groupByMetadata: [by.slice('tag:'.length)] } : { groupBy: [dimension ?? 'model'] }),
      ...(isTime ? {} : { orderBy: 'cost' as const }),
      pageSize: 200,
    },
    (page) => page.totals,
  );
  const sum = list.rows.reduce((total, { costUsd }) => total + Number(costUsd), 0);
  const name = dimensions.find(({ id }) => id === by)?.name ?? by.replace('tag:', 'tag ');
  return (
    <Panel title={`By ${name}`} actions={<SaveButton rows={list.rows} by={by} />}>
      <ListTable
        label={`Usage by ${name}`}
        columns={columnsFor(by, name, sum)}
        list={list}
        idOf={(row) => `${groupName(row, by)} ${row.keyId ?? row.aiSystemId ?? row.personId ?? row.at ?? ''}`}
        empty={<Empty title="No usage in this period">Choose a longer period, or remove the filter.</Empty>}
      />
    </Panel>
  );
}

function columnsFor(by: string, name: string, sum: number): readonly TableColumn<UsageTotal>[] {
  return [
    {
      id: 'name',
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      render: (row) => groupName(row, by),
      width: '2fr',
      minWidth: 200,
    },
    { id: 'cost', title: 'Cost', render: ({ costUsd }) => money(costUsd), isNumber: true, width: 110 },
    { id: 'share', title: 'Share', render: ({ costUsd }) => percent(Number(costUsd) / sum), isNumber: true, width: 90 },
    { id: 'requests', title: 'Requests', render: ({ requests }) => count(requests), isNumber: true, width: 110 },
    {
      id: 'failed',
      title: 'Failed',
      render: ({ failedRequests }) => count(failedRequests),
      isNumber: true,
      width: 100,
    },
    {
      id: 'prompt',
      title: 'Prompt tokens',
      render: ({ tokens }) => compact(tokens?.prompt ?? 0),
      isNumber: true,
      width: 130,
    },
    {
      id: 'completion',
      title: 'Completion tokens',
      render: ({ tokens }) => compact(tokens?.completion ?? 0),
      isNumber: true,
      width: 165,
    },
    {
      id: 'latency',
      title: 'Mean time',
      render: ({ meanLatencyMs }) => duration(meanLatencyMs),
      isNumber: true,
      width: 110,
    },
  ];
}

function SaveButton({ rows, by }: { readonly rows: readonly UsageTotal[]; readonly by: string }) {
  const save = () => {
    const head = [
      by,
      'cost_usd',
      'requests',
      'failed_requests',
      'unpriced_requests',
      'prompt_tokens',
      'completion_tokens',
    ];
    const lines = rows.map((row) => [
      row.at ?? groupName(row, by),
      row.costUsd,
      row.requests,
      row.failedRequests,
      row.unpricedRequests,
      row.tokens?.prompt ?? '0',
      row.tokens?.completion ?? '0',
    ]);
    saveFile(`usage-by-${by.replace(':', '-')}.csv`, csvOf([head, ...lines]));
  };
  return (
    <Button onPress={save} isDisabled={rows.length === 0}>
      Save as CSV
    </Button>
  );
}
