// The highest costs of this month by one dimension.
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { UsageTotal } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useRead } from '../../api/queries.ts';
import { count, money } from '../../ui/format.ts';
import { Panel } from '../../ui/layout.tsx';
import { Empty, ErrorNote, Loading } from '../../ui/notes.tsx';
import { DataTable, type TableColumn } from '../../ui/table.tsx';
import { periodOf } from '../shared/periods.ts';
import { groupName } from '../spend/group-name.ts';

type Dimension = 'model' | 'ai-system' | 'key';

const columnsOf = (dimension: Dimension): readonly TableColumn<UsageTotal>[] => [
  { id: 'name', title: 'Name', render: (row) => groupName(row, dimension), minWidth: 100 },
  { id: 'requests', title: 'Requests', render: ({ requests }) => count(requests), isNumber: true, width: 92 },
  { id: 'cost', title: 'Cost', render: ({ costUsd }) => money(costUsd), isNumber: true, width: 108 },
];

export function TopSpend({ title, dimension }: { readonly title: string; readonly dimension: Dimension }) {
  const { organizationId } = useCaller();
  const [period] = useState(() => periodOf('month'));
  const { data, error, isLoading } = useRead('Usage.Totals', {
    organizationId,
    ...period,
    groupBy: [dimension],
    orderBy: 'cost',
    top: 5,
  });
  return (
    <Panel
      title={title}
      actions={
        <Link to="/spend" search={{ by: dimension }}>
          All
        </Link>
      }
    >
      <ErrorNote error={error} />
      {isLoading ? <Loading rows={5} /> : null}
      {data === undefined ? null : (
        <DataTable
          label={title}
          columns={columnsOf(dimension)}
          rows={data.totals}
          idOf={(row) => groupName(row, dimension)}
          empty={<Empty title="No usage yet" />}
        />
      )}
    </Panel>
  );
}
