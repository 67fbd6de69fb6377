// Usage by one dimension: a chart over time, a table of its values, and the table as a file.
import { useMemo } from 'react';
import type {
  UsageDimensionInput,
  UsageSeriesRequest,
  UsageSeriesResponse,
  UsageTotal,
  UsageTotalsRequest,
} from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Chart } from '../../ui/chart.tsx';
import { csvOf } from '../../ui/csv.ts';
import { Picker, SearchInput } from '../../ui/fields.tsx';
import { compact, count, duration, money, percent } from '../../ui/format.ts';
import { Filters, Panel } from '../../ui/layout.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx';
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
      <OverTime period={period} by={by} />
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
  const [{ key }] = useSearchState();
  const model = useModel();
  return {
    organizationId,
    ...period,
    ...(model === undefined ? {} : { model, allowUnmatched: true }),
    ...(key === undefined ? {} : { keyId: key }),
  };
}

/** A provider or part of a name alone selects nothing, so it becomes a glob. */
function useModel(): string | undefined {
  const [{ model }] = useSearchState();
  return model === undefined || /[/*]/.test(model) ? model : `*${model}*`;
}

/** The buckets of a chart: at most some hundred bars. */
function bucketOf({ from, to }: Period): 'hour' | 'day' {
  return Date.parse(to ?? new Date().toISOString()) - Date.parse(from) <= 2 * 86_400_000 ? 'hour' : 'day';
}

function OverTime({ period, by }: { readonly period: Period; readonly by: string }) {
  const { organizationId } = useCaller();
  const [{ key }] = useSearchState();
  const model = useModel();
  const bucket = bucketOf(period);
  const dimension = dimensions.find(({ id }) => id === by)?.id;
  const request: UsageSeriesRequest = {
    organizationId,
    ...period,
    bucket,
    ...(dimension === undefined || dimension === 'day' || dimension === 'hour' ? {} : { dimension }),
    filter: { ...(model === undefined ? {} : { models: [model] }), ...(key === undefined ? {} : { keyIds: [key] }) },
    allowUnmatched: true,
  };
  const { data, error, isLoading } = useRead('Usage.Series', request, { keep: true });
  const chart = useMemo(() => chartOf(data), [data]);
  return (
    <Panel title={`Cost by ${bucket} (UTC)`}>
      <ErrorNote error={error} />
      {isLoading ? <Loading rows={7} /> : <Chart times={chart.times} lines={chart.lines} format={axisMoney} />}
    </Panel>
  );
}

const axisMoney = (value: number) => money(value);

function chartOf(series: UsageSeriesResponse | undefined) {
  return {
    times: (series?.at ?? []).map((at) => Date.parse(at)),
    lines: (series?.lines ?? []).map(({ name, value, others, costUsd }) => ({
      name: others ? 'all others' : (name ?? value ?? 'none'),
      values: costUsd.map(Number),
    })),
  };
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
