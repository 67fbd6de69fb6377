// Who may open captured content besides owners, until when.
import { useState } from 'react';
import type { CaptureReader } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { dateTime, instantOf } from '../../ui/format.ts';
import { Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { usePeople } from '../shared/names.ts';

function columnsFor(onRevoke: (reader: CaptureReader) => void): readonly TableColumn<CaptureReader>[] {
  return [
    { id: 'person', title: 'Person', render: ({ personName }) => personName, minWidth: 160, isRowHeader: true },
    { id: 'since', title: 'Since', render: ({ grantedAt }) => dateTime(grantedAt), minWidth: 160 },
    { id: 'ends', title: 'Ends', render: ({ endsAt }) => dateTime(endsAt), minWidth: 160 },
    {
      id: 'do',
      title: 'Action',
      width: 110,
      render: (reader) => <Button onPress={() => onRevoke(reader)}>Revoke</Button>,
    },
  ];
}

export function Readers() {
  const { organizationId } = useCaller();
  const [isGranting, setGranting] = useState(false);
  const [revoking, setRevoking] = useState<CaptureReader>();
  const { data, error, isLoading } = useRead('Captures.ListReaders', { organizationId });
  const list = {
    ...{ rows: data?.readers ?? [], error, isLoading, hasMore: false, isLoadingMore: false },
    loadMore: () => undefined,
  };
  return (
    <>
      <ListTable
        label="Readers"
        columns={columnsFor(setRevoking)}
        list={list}
        idOf={({ personId }) => personId}
        empty={<Empty title="Owners alone may open content" />}
      />
      <Button onPress={() => setGranting(true)}>Name a reader</Button>
      {isGranting ? <GrantReader onClose={() => setGranting(false)} /> : null}
      {revoking === undefined ? null : (
        <Confirm
          title={`Revoke the grant of ${revoking.personName}?`}
          submit="Revoke"
          method="Captures.Revoke"
          request={{ organizationId, personId: revoking.personId }}
          onClose={() => setRevoking(undefined)}
        >
          <p>They open no content from now on.</p>
        </Confirm>
      )}
    </>
  );
}

function GrantReader({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const people = usePeople();
  const [personId, setPersonId] = useState('');
  const [endsAt, setEndsAt] = useState('');
  const grant = useChange('Captures.Grant');
  const submit = async () => {
    const granted = await grant.run({ organizationId, personId, endsAt: instantOf(endsAt) ?? '' });
    if (granted !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Name a reader"
      submit="Name"
      isPending={grant.isPending}
      error={grant.error}
      isDisabled={personId === '' || endsAt === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <Picker
        label="Person"
        options={people.map(({ id, name }) => ({ id, name }))}
        value={personId}
        onChange={setPersonId}
      />
      <TextInput
        label="Ends at"
        type="datetime-local"
        value={endsAt}
        onChange={setEndsAt}
        isRequired
        description="At most 30 days from now."
      />
    </FormDialog>
  );
}
