// Provider keys: their state, their test, and new ones. A secret can be written and never read.
import { useState } from 'react';
import type { ProviderKey, ProviderKeyState } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { ago, word } from '../../ui/format.ts';
import { Mono, Row } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote, type Tone } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';
import { ProviderKeyForm } from './provider-key-form.tsx';

const tones: Readonly<Record<ProviderKeyState, Tone>> = {
  PROVIDER_KEY_STATE_UNSPECIFIED: 'neutral',
  PROVIDER_KEY_STATE_UNTESTED: 'neutral',
  PROVIDER_KEY_STATE_WORKING: 'good',
  PROVIDER_KEY_STATE_REFUSED: 'bad',
  PROVIDER_KEY_STATE_LIMITED: 'warn',
};

interface Handlers {
  readonly onTest: (key: ProviderKey) => void;
  readonly onReplace: (key: ProviderKey) => void;
  readonly onDelete: (key: ProviderKey) => void;
}

function columnsFor({ onTest, onReplace, onDelete }: Handlers): readonly TableColumn<ProviderKey>[] {
  return [
    { id: 'provider', title: 'Provider', render: ({ provider }) => provider, minWidth: 150, isRowHeader: true },
    { id: 'name', title: 'Name', render: ({ name }) => name, isRowHeader: true, minWidth: 140 },
    { id: 'hint', title: 'Ends with', render: ({ hint }) => <Mono>…{hint}</Mono>, width: 100 },
    {
      id: 'state',
      title: 'State',
      render: ({ state }) => <Badge tone={tones[state]}>{word(state, 'PROVIDER_KEY_STATE_')}</Badge>,
      width: 110,
    },
    { id: 'detail', title: 'Why', render: ({ stateDetail }) => stateDetail || '–', minWidth: 180 },
    { id: 'since', title: 'Since', render: ({ stateAt }) => ago(stateAt), width: 130 },
    switchColumn({
      id: 'enabled',
      title: 'Enabled',
      width: 100,
      method: 'ProviderKeys.Update',
      isOn: ({ enabled }) => enabled,
      requestFor: ({ id }, next) => ({ id, enabled: next }),
    }),
    actionsColumn(
      (row) => row.name,
      (row) => [
        { id: 'test', name: 'Test', run: () => onTest(row) },
        { id: 'replace', name: 'Replace the secret', run: () => onReplace(row) },
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
      ],
    ),
  ];
}

export function ProviderKeys() {
  const { organizationId } = useCaller();
  const [isCreating, setCreating] = useState(false);
  const [replacing, setReplacing] = useState<ProviderKey>();
  const [deleting, setDeleting] = useState<ProviderKey>();
  const test = useChange('ProviderKeys.Test');
  const list = useList('ProviderKeys.List', { organizationId }, (page) => page.providerKeys);
  const columns = columnsFor({
    onTest: ({ id }) => void test.run({ id }),
    onReplace: setReplacing,
    onDelete: setDeleting,
  });
  return (
    <>
      <Row>
        <Button onPress={() => setCreating(true)}>Add provider key</Button>
      </Row>
      <ErrorNote error={test.error} />
      <ListTable
        label="Provider keys"
        columns={columns}
        list={list}
        idOf={({ id }) => id}
        empty={
          <Empty title="There is no provider key yet">
            Add the key of an account at a vendor: requests with virtual keys use it.
          </Empty>
        }
      />
      {isCreating ? <ProviderKeyForm replaced={undefined} onClose={() => setCreating(false)} /> : null}
      {replacing === undefined ? null : (
        <ProviderKeyForm replaced={replacing} onClose={() => setReplacing(undefined)} />
      )}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete provider key"
          method="ProviderKeys.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Requests for {deleting.provider} use the other keys of this provider, or fail if there is none.</p>
        </Confirm>
      )}
    </>
  );
}
