// The models and routes that a key may call now.
import { useState } from 'react';
import { useRead } from '../../api/queries.ts';
import { Picker, SearchInput } from '../../ui/fields.tsx';
import { count } from '../../ui/format.ts';
import { Filters, Mono, Muted } from '../../ui/layout.tsx';
import { Empty, ErrorNote, Loading, Note } from '../../ui/notes.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { DataTable } from '../../ui/table.tsx';
import { useKeys, useKeysLoading } from '../shared/names.ts';

interface CallableModel {
  readonly name: string;
  readonly provider: string;
}

export function Callable() {
  const keys = useKeys();
  const isLoading = useKeysLoading();
  const [search, update] = useSearchState();
  const id = search.key ?? keys[0]?.id;
  if (isLoading) return <Loading />;
  if (id === undefined) {
    return (
      <Empty title="There is no key">Create one in Settings, Access: what can be called is decided for each key.</Empty>
    );
  }
  return (
    <>
      <Filters>
        <Picker label="Key" options={keys} value={id} onChange={(key) => update({ key })} />
      </Filters>
      <OfKey id={id} />
    </>
  );
}

function OfKey({ id }: { readonly id: string }) {
  const { data, error } = useRead('VirtualKeys.Explain', { id });
  const [text, setText] = useState('');
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  const names = [...data.routes.map((route) => `route/${route}`), ...data.models];
  const rows = names
    .filter((name) => name.includes(text.toLowerCase()))
    .map((name): CallableModel => ({ name, provider: name.split('/')[0] ?? '' }));
  return (
    <>
      {data.blocks.length > 0 ? <Note tone="warn">Every request with this key is refused now.</Note> : null}
      {data.stops.map((stop) => (
        <Note key={stop.id} tone="warn">
          Stopped by an operator: {stop.reason}
        </Note>
      ))}
      <Muted>
        {count(data.modelsAllowed)} of {count(data.modelsKnown)} known models
        {data.modelsOpen ? ', and models that cannot be listed, such as deployments' : ''}. At most 200 are shown.
      </Muted>
      <SearchInput label="Name" value={text} onChange={setText} />
      <DataTable
        label="Models that the key may call"
        rows={rows}
        idOf={({ name }) => name}
        columns={[
          { id: 'name', title: 'Model', render: ({ name }) => <Mono>{name}</Mono>, minWidth: 260 },
          { id: 'provider', title: 'Provider', render: ({ provider }) => provider, minWidth: 160 },
        ]}
        empty={<Empty title="No model fits" />}
      />
    </>
  );
}
