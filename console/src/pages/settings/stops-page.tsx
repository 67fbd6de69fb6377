// Kill switches: what is stopped at every proxy, for the organization or for the whole platform.
import { useState } from 'react';
import type { Stop } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { dateTime, instantOf } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import { Badge, Empty, Note } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { stopTarget } from '../shared/stop-text.ts';

function columnsFor(organizationId: string, onLift: (row: Stop) => void): readonly TableColumn<Stop>[] {
  const isOwn = (stop: Stop) => (stop.organizationId ?? '') === organizationId;
  return [
    { id: 'target', title: 'Stopped', render: stopTarget, minWidth: 180, isRowHeader: true },
    {
      id: 'state',
      title: 'State',
      render: ({ ended }) => <Badge tone={ended ? 'neutral' : 'bad'}>{ended ? 'ended' : 'in force'}</Badge>,
      width: 110,
    },
    { id: 'reason', title: 'Reason', render: ({ reason }) => reason, minWidth: 200, isRowHeader: true },
    { id: 'by', title: 'By', render: (stop) => (isOwn(stop) ? stop.createdByName : 'the platform'), minWidth: 130 },
    { id: 'since', title: 'Since', render: ({ createdAt }) => dateTime(createdAt), minWidth: 160 },
    {
      id: 'ends',
      title: 'Ends',
      render: ({ endsAt }) => (endsAt === undefined ? 'when lifted' : dateTime(endsAt)),
      minWidth: 130,
    },
    {
      id: 'do',
      title: 'Action',
      width: 100,
      render: (stop) => (isOwn(stop) && !stop.ended ? <Button onPress={() => onLift(stop)}>Lift</Button> : null),
    },
  ];
}

export function StopsPage() {
  const { organizationId } = useCaller();
  const [isCreating, setCreating] = useState(false);
  const [lifting, setLifting] = useState<Stop>();
  const isPlatform = organizationId === '';
  const list = useList('Stops.List', isPlatform ? {} : { organizationId }, (page) => page.stops);
  return (
    <Page
      title="Stops"
      description={`A stop refuses requests at every proxy within a second, ${
        isPlatform ? 'for every organization' : 'for your organization'
      }. It changes no settings.`}
      actions={
        <Button look="danger" onPress={() => setCreating(true)}>
          Stop something
        </Button>
      }
    >
      <ListTable
        label="Stops"
        columns={columnsFor(organizationId, setLifting)}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="Nothing is stopped" />}
      />
      {isCreating ? <CreateStop onClose={() => setCreating(false)} /> : null}
      {lifting === undefined ? null : (
        <Confirm
          title={`Lift the stop of ${stopTarget(lifting)}?`}
          submit="Lift the stop"
          method="Stops.Delete"
          request={{ id: lifting.id }}
          onClose={() => setLifting(undefined)}
        >
          <p>Requests are served again, within a second.</p>
        </Confirm>
      )}
    </Page>
  );
}

const targets = [
  { id: 'provider', name: 'A provider' },
  { id: 'model', name: 'Models' },
  { id: 'direct-keys', name: 'Callers’ own provider keys' },
] as const;

function CreateStop({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [kind, setKind] = useState('provider');
  const [name, setName] = useState('');
  const [reason, setReason] = useState('');
  const [endsAt, setEndsAt] = useState('');
  const create = useChange('Stops.Create');
  const submit = async () => {
    const target =
      kind === 'direct-keys' ? { directKeys: true } : kind === 'model' ? { model: name } : { provider: name };
    const end = instantOf(endsAt);
    const created = await create.run({
      ...(organizationId === '' ? {} : { organizationId }),
      target,
      reason,
      ...(end === undefined ? {} : { endsAt: end }),
    });
    if (created !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Stop something"
      submit="Stop it now"
      look="danger"
      isPending={create.isPending}
      error={create.error}
      isDisabled={reason.trim() === '' || (kind !== 'direct-keys' && name === '')}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Picker label="What" options={targets} value={kind} onChange={setKind} />
      {kind === 'direct-keys' ? null : (
        <TextInput
          label={kind === 'model' ? 'Model, or a glob over <provider>/<model>' : 'Provider'}
          value={name}
          onChange={setName}
          isRequired
          isMono
          placeholder={kind === 'model' ? 'gpt-provider/gpt-4o*' : 'gpt-provider'}
        />
      )}
      <TextInput
        label="Reason"
        value={reason}
        onChange={setReason}
        isRequired
        maxLength={200}
        description="Callers get it, so write nothing secret."
      />
      <TextInput
        label="Ends at"
        type="datetime-local"
        value={endsAt}
        onChange={setEndsAt}
        description="Empty: until it is lifted."
      />
      <Note tone="warn">
        Later requests are refused with 403, wherever no other target of a route is left. Requests in flight run on.
      </Note>
    </FormDialog>
  );
}
