// Spend: by any dimension, over time, and against budgets.
import { useMay } from '../../api/caller.tsx';
import { Page } from '../../ui/layout.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { BudgetTable } from '../shared/budget-table.tsx';
import { Breakdown } from './breakdown.tsx';
import { ExportUsage } from './export-usage.tsx';
import { Unconfirmed } from './unconfirmed.tsx';

export function SpendPage() {
  const may = useMay();
  const managers = [
    { id: 'unconfirmed', name: 'Unconfirmed', content: () => <Unconfirmed /> },
    { id: 'export', name: 'Export', content: () => <ExportUsage /> },
  ];
  return (
    <Page title="Spend" description="Recorded cost, by the gateway’s prices. The current hour is included.">
      <Tabs
        label="Spend"
        tabs={[
          { id: 'usage', name: 'Usage', content: () => <Breakdown /> },
          { id: 'budgets', name: 'Budgets', content: () => <BudgetTable /> },
          ...(may('Usage.Export') ? managers : []),
        ]}
      />
    </Page>
  );
}
