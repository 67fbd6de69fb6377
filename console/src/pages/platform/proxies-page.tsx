// Proxies: those that watch this replica of the control plane, and the tokens with which proxies connect.
import { useState } from 'react';
import type { ProviderHealth, ProxyToken, Watcher } from '../../../generated/contract.ts';
import { useAll, useChange, useList, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { ago, count, date, duration, nothing, word } from '../../ui/format.ts';
import { Facts, Mono, Muted, Page, Panel, Row } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote, Loading } from '../../ui/notes.tsx';
import { DataTable, ListTable, type TableColumn } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { failureText, isOut, providerName } from '../shared/health.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';

const refreshMs = 10_000;

export function ProxiesPage() {
  return (
    <Page title="Proxies" description="Proxies serve requests; each watches one replica of the control plane.">
      <Tabs
        label="Proxies"
        tabs={[
          { id: 'watching', name: 'Connected', content: () => <Watching /> },
          { id: 'tokens', name: 'Proxy tokens', content: () => <Tokens /> },
        ]}
      />
    </Page>
  );
}

const watcherColumns: readonly TableColumn<Watcher>[] = [
  { id: 'host', title: 'Host', render: ({ host, address }) => host ?? address, minWidth: 160 },
  {
    id: 'name',
    title: 'Token or certificate',
    render: ({ tokenName, identity }) => tokenName ?? identity,
    minWidth: 180,
  },
  { id: 'version', title: 'Version', render: ({ version }) => version ?? '–', width: 100 },
  { id: 'since', title: 'Connected', render: ({ since }) => ago(since), width: 150 },
  { id: 'heartbeat', title: 'Heartbeat', render: ({ askedAt }) => ago(askedAt), width: 150 },
  { id: 'out', title: 'Ejected or limited', render: outText, minWidth: 160 },
  { id: 'redis', title: 'Redis', render: ({ redis }) => word(redis, 'REDIS_STATE_'), width: 110 },
  {
    id: 'clock',
    title: 'Clock ahead',
    render: ({ clockAheadMs }) => (clockAheadMs === undefined ? '–' : `${count(clockAheadMs)} ms`),
    isNumber: true,
    width: 120,
  },
  { id: 'address', title: 'Address', render: ({ address }) => <Mono>{address}</Mono>, minWidth: 160 },
];

function outText({ providers, targetsLeftOut }: Watcher): string {
  const names = providers.filter(isOut).map(providerName);
  return [...names, ...(targetsLeftOut > 0 ? [`${count(targetsLeftOut)} more targets`] : [])].join(', ') || nothing;
}

const providerColumns: readonly TableColumn<ProviderHealth>[] = [
  { id: 'name', title: 'Provider', render: providerName, minWidth: 200 },
  { id: 'ejected', title: 'Ejected by', render: ({ ejected }) => count(ejected), isNumber: true, width: 110 },
  { id: 'limited', title: 'Limited at', render: ({ limited }) => count(limited), isNumber: true, width: 110 },
  { id: 'healthy', title: 'Healthy at', render: ({ healthy }) => count(healthy), isNumber: true, width: 110 },
  {
    id: 'organizations',
    title: 'Organizations',
    render: ({ organizations }) => count(organizations),
    isNumber: true,
    width: 130,
  },
  { id: 'since', title: 'Since', render: ({ since }) => ago(since), width: 150 },
  { id: 'failure', title: 'Last failure', render: ({ lastFailure }) => failureText(lastFailure), minWidth: 200 },
];

function Watching() {
  const { data, error } = useRead('Status.Get', {}, { refetchMs: refreshMs });
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading />;
  return (
    <>
      <Panel title="This replica">
        <Facts
          facts={[
            ['Host', data.replica],
            ['Version', data.version],
            ['Started', ago(data.startedAt)],
            ['Database', word(data.database, 'DATABASE_KIND_')],
            ['Age of the feed', duration(data.feed?.ageMs)],
            ['Proxies', count(data.watchers?.total)],
          ]}
        />
      </Panel>
      <DataTable
        label="Connected proxies"
        columns={watcherColumns}
        rows={data.watchers?.watchers ?? []}
        idOf={({ identity, address }) => `${identity} ${address}`}
        empty={<Empty title="No proxy watches this replica" />}
      />
      <Panel title="Providers, as these proxies report them">
        <DataTable
          label="Providers"
          columns={providerColumns}
          rows={data.providers}
          idOf={({ provider }) => provider}
          empty={<Muted>None was used in the last five minutes.</Muted>}
        />
        <Muted>
          A proxy counts once for each provider, by its worst model of any organization. If only one organization is
          affected, the cause may be its own provider keys or base URL.
        </Muted>
      </Panel>
    </>
  );
}

function Tokens() {
  const [isCreating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ProxyToken>();
  const list = useList('ProxyTokens.List', {}, (page) => page.proxyTokens);
  return (
    <>
      <Row>
        <Button onPress={() => setCreating(true)}>Make proxy token</Button>
      </Row>
      <ListTable
        label="Proxy tokens"
        list={list}
        idOf={({ id }) => id}
        columns={[
          { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160 },
          { id: 'hint', title: 'Ends with', render: ({ hint }) => <Mono>…{hint}</Mono>, width: 110 },
          {
            id: 'for',
            title: 'Gives access to',
            render: ({ organizationId, organizationName }) =>
              organizationId === undefined ? 'all organizations' : organizationName,
            minWidth: 180,
          },
          { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
          {
            id: 'state',
            title: 'State',
            render: ({ revokedAt }) =>
              revokedAt === undefined ? <Badge tone="good">active</Badge> : <Badge tone="bad">revoked</Badge>,
            width: 110,
          },
          {
            id: 'do',
            title: 'Action',
            width: 120,
            render: (token) =>
              token.revokedAt === undefined ? <Button onPress={() => setRevoking(token)}>Revoke</Button> : null,
          },
        ]}
        empty={<Empty title="There is no proxy token" />}
      />
      {isCreating ? <CreateToken onClose={() => setCreating(false)} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke ${revoking.name}?`}
          submit="Revoke token"
          method="ProxyTokens.Revoke"
          request={{ id: revoking.id }}
          onClose={() => setRevoking(undefined)}
        >
          <p>Proxies with this token lose the control plane at once. They serve what they have until it is too old.</p>
        </Confirm>
      )}
    </>
  );
}

function CreateToken({ onClose }: { readonly onClose: () => void }) {
  const organizations = useAll('Organizations.List', {}, (page) => page.organizations);
  const [name, setName] = useState('');
  const [organizationId, setOrganizationId] = useState('');
  const [value, setValue] = useState<string>();
  const create = useChange('ProxyTokens.Create');
  const submit = async () => {
    const created = await create.run({ name, ...(organizationId === '' ? {} : { organizationId }) });
    if (created !== undefined) setValue(created.value);
  };
  if (value !== undefined) {
    return <SecretDialog title="The proxy token" name="proxy token" value={value} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="Make a proxy token"
      submit="Make token"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name.trim() === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus />
      <Picker
        label="Gives access to"
        options={[
          { id: '', name: 'All organizations' },
          ...organizations.map(({ id, name: title }) => ({ id, name: title })),
        ]}
        value={organizationId}
        onChange={setOrganizationId}
      />
    </FormDialog>
  );
}
