// What is spent and what needs attention, at a glance.
import type { BudgetWindow, GetOverviewResponse, OverviewSums } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { type Read, useRead } from '../../api/queries.ts';
import { count, duration, money, nothing, percent } from '../../ui/format.ts';
import { Page, Pair, Panel, Stat, Stats } from '../../ui/layout.tsx';
import { ErrorNote, Loading } from '../../ui/notes.tsx';
import { DataTable } from '../../ui/table.tsx';
import { budgetColumns, budgetId, NoBudgets } from '../shared/budget-table.tsx';
import { Attention } from './attention.tsx';
import { TopSpend } from './top-spend.tsx';

const refreshMs = 60_000;

export function HomePage() {
  const { role, organizationId } = useCaller();
  const overview = useRead('Overview.Get', { organizationId }, { refetchMs: refreshMs });
  return (
    <Page
      title="Home"
      description={`What ${role === 'member' ? 'your own keys' : 'your organization'} used and spent today and this month, and what needs attention.`}
    >
      <ErrorNote error={overview.error} />
      <Figures overview={overview} />
      {overview.error === null ? <Attention items={overview.data?.attention} /> : null}
      {overview.error === null ? <Budgets budgets={overview.data?.budgets} /> : null}
      <Pair>
        <TopSpend title="Models this month" dimension="model" />
        {role === 'member' ? null : <TopSpend title="AI systems this month" dimension="ai-system" />}
        <TopSpend title="Keys this month" dimension="key" />
      </Pair>
    </Page>
  );
}

function Budgets({ budgets }: { readonly budgets: readonly BudgetWindow[] | undefined }) {
  return (
    <Panel title="Budgets, the most used first">
      {budgets === undefined ? (
        <Loading rows={3} />
      ) : (
        <DataTable label="Budgets" columns={budgetColumns} rows={budgets} idOf={budgetId} empty={<NoBudgets />} />
      )}
    </Panel>
  );
}

function Figures({ overview: { data, isLoading } }: { readonly overview: Read<GetOverviewResponse> }) {
  const { today, month, latency } = data ?? {};
  const failed = Number(today?.failedRequests ?? 0);
  const requests = Number(today?.requests ?? 0);
  const shown = (text: string) => (isLoading ? '…' : text);
  return (
    <Stats isLoading={isLoading}>
      <Stat label="Spent today (UTC)" value={shown(money(today?.costUsd ?? 0))} detail={unpriced(today)} />
      <Stat label="Spent this month (UTC)" value={shown(money(month?.costUsd ?? 0))} detail={unpriced(month)} />
      <Stat
        label="Requests today"
        value={shown(count(requests))}
        detail={`${count(failed)} failed${requests === 0 ? '' : `, ${percent(failed / requests)}`}`}
      />
      <Stat
        label="Time today, p50"
        value={shown(latency === undefined ? nothing : duration(latency.p50Ms))}
        detail={latency === undefined ? '' : `p95 ${duration(latency.p95Ms)}, of the newest ${count(latency.requests)}`}
      />
    </Stats>
  );
}

function unpriced(sums: OverviewSums | undefined): string {
  const requests = sums?.unpricedRequests ?? '0';
  return requests === '0' ? '' : `without ${count(requests)} requests that have no price`;
}
