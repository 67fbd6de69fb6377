// What is spent and what needs attention, at a glance.
import { useState } from 'react';
import { useCaller } from '../../api/caller.tsx';
import { useRead } from '../../api/queries.ts';
import { count, money, percent } from '../../ui/format.ts';
import { Grid, Page, Panel, Stat, Stats } from '../../ui/layout.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { BudgetTable } from '../shared/budget-table.tsx';
import { periodOf } from '../shared/periods.ts';
import { Attention } from './attention.tsx';
import { TopSpend } from './top-spend.tsx';

const refreshMs = 60_000;

export function HomePage() {
  const { role } = useCaller();
  return (
    <Page
      title="Home"
      description={role === 'member' ? 'The usage of your own keys.' : 'The usage of your organization.'}
    >
      <Figures />
      <Attention />
      <Panel title="Budgets">
        <BudgetTable />
      </Panel>
      <Grid>
        <TopSpend title="Models this month" dimension="model" />
        {role === 'member' ? null : <TopSpend title="AI systems this month" dimension="ai-system" />}
        <TopSpend title="Keys this month" dimension="key" />
      </Grid>
    </Page>
  );
}

function Figures() {
  const { organizationId } = useCaller();
  const [periods] = useState(() => ({ today: periodOf('today'), month: periodOf('month') }));
  const today = useRead('Usage.Totals', { organizationId, ...periods.today }, { refetchMs: refreshMs });
  const month = useRead('Usage.Totals', { organizationId, ...periods.month }, { refetchMs: refreshMs });
  const day = today.data?.totals[0];
  const sum = month.data?.totals[0];
  const failed = Number(day?.failedRequests ?? 0);
  const requests = Number(day?.requests ?? 0);
  return (
    <>
      <ErrorNote error={today.error ?? month.error} />
      <Stats>
        <Stat
          label="Spent today (UTC)"
          value={today.isLoading ? '…' : money(day?.costUsd ?? 0)}
          detail={unpriced(day?.unpricedRequests)}
        />
        <Stat
          label="Spent this month (UTC)"
          value={month.isLoading ? '…' : money(sum?.costUsd ?? 0)}
          detail={unpriced(sum?.unpricedRequests)}
        />
        <Stat
          label="Requests today"
          value={today.isLoading ? '…' : count(requests)}
          detail={`${count(sum?.requests ?? 0)} this month`}
        />
        <Stat
          label="Failed today"
          value={today.isLoading ? '…' : count(failed)}
          detail={requests === 0 ? '' : `${percent(failed / requests)} of requests`}
        />
      </Stats>
    </>
  );
}

function unpriced(requests: string | undefined): string {
  return requests === undefined || requests === '0' ? '' : `without ${count(requests)} requests that have no price`;
}
