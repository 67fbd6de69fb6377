// Decisions of guardrails over time, from the samples that proxies report to the audit log: each sample has the number of
// decisions since the one before. With observe, they are what block or redact would have done.
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { AuditEvent } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Chart } from '../../ui/chart.tsx';
import { Picker } from '../../ui/fields.tsx';
import { count, listTime, timeZone } from '../../ui/format.ts';
import { Filters, Muted, Panel } from '../../ui/layout.tsx';
import { Badge, Empty, type Tone } from '../../ui/notes.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';

const hourMs = 3_600_000;
const hours = 24;

const kinds = [
  { id: 'guardrail', name: 'all' },
  { id: 'guardrail.observed', name: 'observed: would have acted' },
  { id: 'guardrail.blocked', name: 'blocked' },
  { id: 'guardrail.redacted', name: 'redacted' },
  { id: 'guardrail.unavailable', name: 'check unavailable' },
  { id: 'guardrail.failed_blocked', name: 'check failed, blocked' },
  { id: 'guardrail.failed_passed', name: 'check failed, passed' },
] as const;

const tones: Readonly<Record<string, Tone>> = {
  'guardrail.observed': 'accent',
  'guardrail.blocked': 'warn',
  'guardrail.redacted': 'good',
};

interface Sample {
  readonly stage: string;
  readonly requestId: string;
  readonly decisions: number;
}

/** What a proxy reported; an event of another form counts as one decision. */
function sampleOf({ after = '{}' }: AuditEvent): Sample {
  try {
    const { stage, requestId, decisions } = JSON.parse(after) as Record<string, unknown>;
    return { stage: String(stage ?? ''), requestId: String(requestId ?? ''), decisions: Number(decisions ?? 1) };
  } catch {
    return { stage: '', requestId: '', decisions: 1 };
  }
}

function actionName(action: string): string {
  return action.replace('guardrail.', '').replaceAll('_', ' ');
}

const columns: readonly TableColumn<AuditEvent>[] = [
  { id: 'at', title: `At (${timeZone})`, render: ({ at }) => listTime(at), width: 190, isRowHeader: true },
  { id: 'name', title: 'Guardrail', render: ({ targetName, targetId }) => targetName ?? targetId, minWidth: 150 },
  {
    id: 'decision',
    title: 'Decision',
    render: ({ action }) => <Badge tone={tones[action] ?? 'bad'}>{actionName(action)}</Badge>,
    width: 160,
  },
  { id: 'stage', title: 'Inspected', render: (event) => sampleOf(event).stage, width: 110 },
  { id: 'count', title: 'Decisions', render: (event) => count(sampleOf(event).decisions), isNumber: true, width: 110 },
  { id: 'request', title: 'A request', render: (event) => sampleOf(event).requestId, minWidth: 200 },
];

export function Decisions() {
  const { organizationId } = useCaller();
  const [search, update] = useSearchState();
  const navigate = useNavigate();
  const [since] = useState(() => {
    const now = Date.now();
    return now - (now % hourMs) - (hours - 1) * hourMs;
  });
  const action = kinds.find(({ id }) => id === search.decision)?.id ?? 'guardrail';
  const request = { organizationId, action, since: new Date(since).toISOString(), pageSize: 500 };
  const list = useList('Audit.List', request, (page) => page.events);
  const chart = useMemo(() => chartOf(list.rows, since), [list.rows, since]);
  return (
    <>
      <Filters>
        <Picker
          label="Decision"
          isCompact
          options={kinds}
          value={action}
          onChange={(id) => update({ decision: id === 'guardrail' ? undefined : id })}
        />
      </Filters>
      <Panel title="Decisions by hour, last 24 hours (UTC)">
        <Chart times={chart.times} lines={chart.lines} format={(value) => count(value)} />
        {list.hasMore ? (
          <Muted>The newest {count(list.rows.length)} samples; “Show more” adds older ones.</Muted>
        ) : null}
      </Panel>
      <ListTable
        label="Decisions"
        columns={columns}
        list={list}
        idOf={({ revision }) => revision}
        onOpen={(event) => void navigate({ to: '/requests/$id', params: { id: sampleOf(event).requestId } })}
        empty={
          <Empty title="No guardrail has decided anything in 24 hours">
            Texts that pass are not reported. Requests have the guardrails that acted on them, too.
          </Empty>
        }
      />
    </>
  );
}

function chartOf(events: readonly AuditEvent[], since: number) {
  const times = Array.from({ length: hours }, (_, hour) => since + hour * hourMs);
  const byAction = new Map<string, number[]>();
  for (const event of events) {
    const values = byAction.get(event.action) ?? times.map(() => 0);
    byAction.set(event.action, values);
    const hour = Math.floor((Date.parse(event.at) - since) / hourMs);
    if (values[hour] !== undefined) values[hour] += sampleOf(event).decisions;
  }
  return { times, lines: [...byAction].map(([action, values]) => ({ name: actionName(action), values })) };
}
