// The audit log: who changed what, with filters and a file of what is seen.
import { type FormEvent, useMemo, useState } from 'react';
import type { AuditEvent } from '../../../generated/contract.ts';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { csvOf } from '../../ui/csv.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { dateTimeSeconds, listTime, timeZone } from '../../ui/format.ts';
import { Facts, Filters, Mono, Page } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { usePeople } from '../shared/names.ts';
import { periodOf, periodOptions } from '../shared/periods.ts';

const actorText = ({ actorName, actorKind, actorId }: AuditEvent) => actorName ?? `${actorKind} ${actorId}`.trim();
const targetText = ({ targetName, targetKind, targetId }: AuditEvent) =>
  `${targetKind.replaceAll('_', ' ')} ${targetName ?? targetId}`.trim();

const columns: readonly TableColumn<AuditEvent>[] = [
  { id: 'at', title: `At (${timeZone})`, render: ({ at }) => listTime(at), width: 180 },
  { id: 'actor', title: 'By', render: actorText, minWidth: 150 },
  { id: 'action', title: 'Action', render: ({ action }) => <Mono>{action}</Mono>, minWidth: 210, isRowHeader: true },
  { id: 'target', title: 'Target', render: targetText, minWidth: 220 },
  { id: 'from', title: 'From', render: ({ from }) => from, minWidth: 120 },
];

const services = [
  'VirtualKeys',
  'ProviderKeys',
  'Guardrails',
  'Limits',
  'Budgets',
  'People',
  'OperatorTokens',
  'Organizations',
  'AiSystems',
  'Routes',
  'Stops',
  'Webhooks',
];

export function AuditPage() {
  const { organizationId } = useCaller();
  const [search] = useSearchState();
  const [opened, setOpened] = useState<AuditEvent>();
  const since = useMemo(() => periodOf(search.period ?? '30d').from, [search.period]);
  const list = useList(
    'Audit.List',
    {
      ...(organizationId === '' ? {} : { organizationId }),
      since,
      pageSize: 100,
      ...(search.action ? { action: search.action } : {}),
      ...(search.actor ? { actorId: search.actor } : {}),
      ...(search.target ? { targetId: search.target } : {}),
    },
    (page) => page.events,
  );
  return (
    <Page
      title="Audit"
      description="One event for each change. Each is chained by its hash to the one before."
      actions={
        <Button onPress={() => save(list.rows)} isDisabled={list.rows.length === 0}>
          Save as CSV
        </Button>
      }
    >
      <AuditFilters />
      <ListTable
        label="Audit events"
        columns={columns}
        list={list}
        idOf={({ revision }) => revision}
        onOpen={setOpened}
        empty={<Empty title="No event fits">Choose a longer period or other filters.</Empty>}
      />
      {opened === undefined ? null : <Detail event={opened} onClose={() => setOpened(undefined)} />}
    </Page>
  );
}

function save(events: readonly AuditEvent[]): void {
  const head = [
    'at',
    'actor_kind',
    'actor_id',
    'actor',
    'from',
    'action',
    'target_kind',
    'target_id',
    'before',
    'after',
    'hash',
  ];
  const lines = events.map((event) => [
    event.at,
    event.actorKind,
    event.actorId,
    event.actorName ?? '',
    event.from,
    event.action,
    event.targetKind,
    event.targetId,
    event.before ?? '',
    event.after ?? '',
    event.hash,
  ]);
  saveFile('audit.csv', csvOf([head, ...lines]));
}

function AuditFilters() {
  const [search, update] = useSearchState();
  const { organizationId } = useCaller();
  const may = useMay();
  const people = usePeople();
  const [target, setTarget] = useState(search.target ?? '');
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    update({ target: target.trim() || undefined });
  };
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
        label="Action"
        isCompact
        options={[{ id: '', name: 'any' }, ...services.map((name) => ({ id: name, name }))]}
        value={search.action ?? ''}
        onChange={(action) => update({ action: action || undefined })}
      />
      {organizationId === '' || !may('People.List') ? null : (
        <Picker
          label="By"
          isCompact
          options={[{ id: '', name: 'anybody' }, ...people]}
          value={search.actor ?? ''}
          onChange={(actor) => update({ actor: actor || undefined })}
        />
      )}
      <form onSubmit={apply} onBlur={() => apply()}>
        <TextInput label="Id of the target" value={target} onChange={setTarget} isCompact />
      </form>
    </Filters>
  );
}

function Detail({ event, onClose }: { readonly event: AuditEvent; readonly onClose: () => void }) {
  return (
    <Dialog title={event.action} onClose={onClose} isWide>
      <Facts
        facts={[
          ['At', dateTimeSeconds(event.at)],
          ['By', actorText(event)],
          ['From', event.from],
          ['Target', targetText(event)],
          ['Target id', <Mono key="target">{event.targetId}</Mono>],
          ['Revision', event.revision],
          ['Hash', <Mono key="hash">{event.hash}</Mono>],
        ]}
      />
      {event.before === undefined ? null : <CodeBlock label="state before" text={pretty(event.before)} />}
      {event.after === undefined ? null : <CodeBlock label="state after" text={pretty(event.after)} />}
      <Button onPress={onClose}>Close</Button>
    </Dialog>
  );
}

function pretty(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
