// Requests, newest first, with filters that are the address.
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useMemo, useState } from 'react';
import type { RequestResult, RequestRow } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Picker, SearchInput, TextInput, Toggle } from '../../ui/fields.tsx';
import { count, duration, listTime, money, timeZone } from '../../ui/format.ts';
import { Filters, Page, Row } from '../../ui/layout.tsx';
import { Badge, Empty, type Tone } from '../../ui/notes.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { useKeys } from '../shared/names.ts';
import { periodOf, periodOptions } from '../shared/periods.ts';
import { type Live, useLive } from './live.ts';

const tones: Readonly<Record<RequestResult, Tone>> = {
  REQUEST_RESULT_UNSPECIFIED: 'neutral',
  REQUEST_RESULT_OK: 'good',
  REQUEST_RESULT_REFUSED: 'warn',
  REQUEST_RESULT_FAILED: 'bad',
};

export function StatusBadge({ row }: { readonly row: RequestRow }) {
  return <Badge tone={tones[row.result]}>{row.facts?.status ?? ''}</Badge>;
}

const columns: readonly TableColumn<RequestRow>[] = [
  { id: 'at', title: `At (${timeZone})`, render: ({ at }) => listTime(at), width: 180, isRowHeader: true },
  { id: 'status', title: 'Status', render: (row) => <StatusBadge row={row} />, width: 90 },
  {
    id: 'model',
    title: 'Model',
    render: ({ source }) => source?.model || source?.modelSent || '–',
    width: '2fr',
    minWidth: 160,
    isRowHeader: true,
  },
  {
    id: 'key',
    title: 'Key',
    render: ({ keyName, keyHint }) => keyName || (keyHint && `…${keyHint}`) || '–',
    minWidth: 110,
  },
  { id: 'error', title: 'Error', render: ({ facts }) => facts?.errorCode || '–', minWidth: 130 },
  {
    id: 'tokens',
    title: 'Tokens',
    render: ({ facts }) =>
      facts?.tokens === undefined ? '–' : `${count(facts.tokens.prompt)} → ${count(facts.tokens.completion)}`,
    isNumber: true,
    width: 130,
  },
  { id: 'time', title: 'Time', render: ({ facts }) => duration(facts?.durationMs), isNumber: true, width: 100 },
  { id: 'cost', title: 'Cost', render: ({ costUsd }) => money(costUsd), isNumber: true, width: 110 },
];

export function RequestsPage() {
  return (
    <Page
      title="Requests"
      description="One row for each request, refused ones too. Texts are never recorded."
      actions={<FindRequest />}
    >
      <RequestList />
    </Page>
  );
}

function FindRequest() {
  const [id, setId] = useState('');
  const navigate = useNavigate();
  const find = (event: FormEvent) => {
    event.preventDefault();
    if (id.trim() !== '') void navigate({ to: '/requests/$id', params: { id: id.trim() } });
  };
  return (
    <form onSubmit={find}>
      <Row>
        <SearchInput label="Request id" value={id} onChange={setId} />
        <Button type="submit">Open</Button>
      </Row>
    </form>
  );
}

const results = [
  { id: '', name: 'all' },
  { id: 'ok', name: 'served' },
  { id: 'refused', name: 'refused by a rule' },
  { id: 'failed', name: 'failed' },
] as const;

function RequestList() {
  const { organizationId } = useCaller();
  const [search] = useSearchState();
  const navigate = useNavigate();
  const period = useMemo(() => periodOf(search.period ?? '24h'), [search.period]);
  const result = results.find(({ id }) => id !== '' && id === search.result)?.id;
  const [tag, value] = search.tag?.split('=') ?? [];
  const filter = {
    organizationId,
    ...(result === undefined || result === '' ? {} : { result }),
    ...(search.key ? { keyId: search.key } : {}),
    ...(search.model ? { model: search.model } : {}),
    ...(search.error ? { errorCode: search.error } : {}),
    ...(tag && value ? { tags: { [tag]: value } } : {}),
  };
  const read = useList('Requests.List', { ...filter, ...period, pageSize: 100 }, (page) => page.requests);
  const isPast = period.to !== undefined;
  const live = useLive(filter, search.live === 'on' && !isPast);
  const list = { ...read, rows: merged(live.rows, read.rows) };
  return (
    <>
      <RequestFilters />
      {isPast ? null : <LiveSwitch live={live} />}
      <ListTable
        label="Requests"
        columns={columns}
        list={list}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/requests/$id', params: { id } })}
        empty={
          <Empty title="No request fits">
            Choose a longer period or other filters. Requests appear some seconds after they end.
          </Empty>
        }
      />
    </>
  );
}

/** Rows that came later may be in the list as well, once it is read again. */
function merged(live: readonly RequestRow[], listed: readonly RequestRow[]): readonly RequestRow[] {
  if (live.length === 0) return listed;
  const ids = new Set(live.map(({ id }) => id));
  return [...live, ...listed.filter(({ id }) => !ids.has(id))];
}

function LiveSwitch({ live: { rows, error } }: { readonly live: Live }) {
  const [search, update] = useSearchState();
  const isOn = search.live === 'on';
  return (
    <Row>
      <Toggle isSelected={isOn} onChange={(next) => update({ live: next ? 'on' : undefined })}>
        Live: show requests as they end
      </Toggle>
      <span role="status">
        {rows.length === 0 ? '' : `${count(rows.length)} since it was turned on${isOn ? '' : ', paused'}`}
        {error === null || !isOn ? '' : ' No connection; it is tried again.'}
      </span>
    </Row>
  );
}

function RequestFilters() {
  const [search, update] = useSearchState();
  const keys = useKeys();
  return (
    <Filters>
      <Picker
        label="Period"
        isCompact
        options={periodOptions}
        value={search.period ?? '24h'}
        onChange={(period) => update({ period })}
      />
      <Picker
        label="Result"
        isCompact
        options={results}
        value={search.result ?? ''}
        onChange={(result) => update({ result: result || undefined })}
      />
      <Picker
        label="Key"
        isCompact
        options={[{ id: '', name: 'any' }, ...keys]}
        value={search.key ?? ''}
        onChange={(key) => update({ key: key || undefined })}
      />
      <TypedFilter name="model" label="Model, as provider/model" />
      <TypedFilter name="error" label="Error code" />
      <TypedFilter name="tag" label="Tag, as name=value" />
    </Filters>
  );
}

/** Applies when the reader leaves the field or presses Enter: half a name fits nothing. */
function TypedFilter({ name, label }: { readonly name: string; readonly label: string }) {
  const [search, update] = useSearchState();
  const [text, setText] = useState(search[name] ?? '');
  const apply = (event?: FormEvent) => {
    event?.preventDefault();
    update({ [name]: text.trim() || undefined });
  };
  return (
    <form onSubmit={apply} onBlur={() => apply()}>
      <TextInput label={label} value={text} onChange={setText} isCompact />
    </form>
  );
}
