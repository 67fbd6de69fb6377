// Settings, then Access: the virtual keys, and whether callers may send their own provider key.
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { KeyStatus, VirtualKey } from '../../../generated/contract.ts';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useList, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Picker, SearchInput } from '../../ui/fields.tsx';
import { ago, count, dateTime, money } from '../../ui/format.ts';
import { Filters, Mono, Muted, Page, Panel } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { useSearchState } from '../../ui/search-state.ts';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { ChangeToggle } from '../shared/change-toggle.tsx';
import { holderOf, keyScopeKind, useHolders } from '../shared/names.ts';
import { CreateKey } from './create-key.tsx';
import { KeyBadge, scopeText, statusWord } from './key-state.tsx';

const columns: readonly TableColumn<VirtualKey>[] = [
  { id: 'name', title: 'Name', render: ({ name }) => name, width: '2fr', minWidth: 180 },
  { id: 'status', title: 'Status', render: ({ status }) => <KeyBadge status={status} />, width: 100 },
  { id: 'hint', title: 'Ends with', render: ({ hint }) => <Mono>…{hint}</Mono>, width: 100 },
  { id: 'scope', title: 'Belongs to', render: scopeText, minWidth: 150 },
  { id: 'models', title: 'Models', render: ({ allowedModels }) => allowedModels.join(', ') || 'all', minWidth: 140 },
  { id: 'used', title: 'Last used', render: ({ lastUsedAt }) => ago(lastUsedAt), width: 140 },
  { id: 'ends', title: 'Ends', render: ({ endsAt }) => dateTime(endsAt), minWidth: 130 },
  {
    id: 'spend',
    title: 'This month',
    render: ({ spendMonthUsd }) => money(spendMonthUsd),
    isNumber: true,
    width: 120,
  },
];

const statuses = ['active', 'inactive', 'expired', 'revoked'] as const;

export function AccessPage() {
  const may = useMay();
  const { role } = useCaller();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Access"
      description="Virtual keys are what programs send to the gateway. A key never leaves it: vendors get the stored provider keys."
      actions={
        may('VirtualKeys.Create') ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Create key
          </Button>
        ) : undefined
      }
    >
      {may('Organizations.UpdateSettings') ? <OwnProviderKeys /> : null}
      {role === 'member' ? <Muted>You see the keys that belong to you.</Muted> : null}
      <Keys onCreate={() => setCreating(true)} />
      {isCreating ? <CreateKey onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function OwnProviderKeys() {
  const { organizationId } = useCaller();
  const { data } = useRead('Organizations.Get', { id: organizationId });
  const isOn = data?.settings?.access?.callerProviderKeys ?? false;
  return (
    <Panel title="Callers’ own provider keys">
      <ChangeToggle
        method="Organizations.UpdateSettings"
        isSelected={isOn}
        isDisabled={data === undefined}
        requestFor={(next) => ({ id: organizationId, settings: { access: { callerProviderKeys: next } } })}
      >
        Callers may send their own provider key
      </ChangeToggle>
      <Muted>
        Off unless you turn it on. While it is on, a request with the header x-svc-direct-key is sent with the caller’s
        key at the vendor: the vendor bills that account. Guardrails and limits of requests apply all the same.
      </Muted>
    </Panel>
  );
}

function Keys({ onCreate }: { readonly onCreate: () => void }) {
  const { organizationId } = useCaller();
  const [search] = useSearchState();
  const navigate = useNavigate();
  const status = statuses.find((one) => one === search.status);
  const scope = search.scope === undefined ? undefined : holderOf(search.scope);
  const filter = {
    organizationId,
    ...(search.q ? { text: search.q } : {}),
    ...(scope === undefined ? {} : { scope: { kind: keyScopeKind(scope.kind), id: scope.id } }),
    ...(search.unused ? { unusedSince: daysAgo(Number(search.unused)) } : {}),
    ...(search.playground === 'shown' ? {} : { withoutPlayground: true }),
  };
  const list = useList(
    'VirtualKeys.List',
    { ...filter, withSpend: true, pageSize: 100, ...(status === undefined ? {} : { statuses: [status] }) },
    (page) => page.virtualKeys,
  );
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <KeyFilters filter={filter} />
      <ListTable
        label="Virtual keys"
        columns={columns}
        list={list}
        idOf={({ id }) => id}
        onOpen={({ id }) => void navigate({ to: '/settings/access/$id', params: { id } })}
        empty={
          isFiltered ? (
            <Empty title="No key fits">Change the filters above.</Empty>
          ) : (
            <Empty title="There is no key yet" action={<Button onPress={onCreate}>Create the first key</Button>}>
              A program needs a key to send requests through the gateway.
            </Empty>
          )
        }
      />
    </>
  );
}

function daysAgo(days: number): string {
  const time = new Date(Date.now() - days * 86_400_000);
  // Whole hours, so that the same filter stays the same request.
  time.setUTCMinutes(0, 0, 0);
  return time.toISOString();
}

const unusedOptions = [
  { id: '', name: 'any' },
  { id: '7', name: '7 days' },
  { id: '30', name: '30 days' },
  { id: '90', name: '90 days' },
];

/** Keys that the playground makes for an hour. */
const playgroundOptions = [
  { id: '', name: 'hidden' },
  { id: 'shown', name: 'shown' },
];

function KeyFilters({ filter }: { readonly filter: object }) {
  const [search, update] = useSearchState();
  const { role } = useCaller();
  const holders = useHolders(['ai-system', 'person']);
  const { data } = useRead(
    'VirtualKeys.List',
    { ...filter, withCounts: true, includeRevoked: true, pageSize: 1 },
    { keep: true },
  );
  const counted = (status: KeyStatus) => data?.counts.find((row) => row.status === status)?.count ?? '0';
  const named = statuses.map((id) => {
    const status = `KEY_STATUS_${id.toUpperCase()}` as Uppercase<`key_status_${typeof id}`>;
    return { id, name: `${statusWord(status)} (${count(counted(status))})` };
  });
  return (
    <Filters>
      <SearchInput
        label="Name, or its last four characters"
        value={search.q ?? ''}
        onChange={(q) => update({ q: q || undefined })}
      />
      <Picker
        label="Status"
        isCompact
        options={[{ id: '', name: 'all but revoked' }, ...named]}
        value={search.status ?? ''}
        onChange={(status) => update({ status: status || undefined })}
      />
      {role === 'member' ? null : (
        <Picker
          label="Belongs to"
          isCompact
          options={[{ id: '', name: 'anything' }, ...holders]}
          value={search.scope ?? ''}
          onChange={(scope) => update({ scope: scope || undefined })}
        />
      )}
      <Picker
        label="Unused for"
        isCompact
        options={unusedOptions}
        value={search.unused ?? ''}
        onChange={(unused) => update({ unused: unused || undefined })}
      />
      <Picker
        label="Of the playground"
        isCompact
        options={playgroundOptions}
        value={search.playground === 'shown' ? 'shown' : ''}
        onChange={(playground) => update({ playground: playground || undefined })}
      />
    </Filters>
  );
}
