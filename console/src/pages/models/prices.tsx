// An organization's own prices, which replace the catalog's.
import { useState } from 'react';
import type { Price } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { date, money } from '../../ui/format.ts';
import { Mono, Row } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn } from '../shared/row-columns.tsx';

function columnsFor(onDelete: (row: Price) => void): readonly TableColumn<Price>[] {
  return [
    { id: 'model', title: 'Model', render: ({ model }) => <Mono>{model}</Mono>, minWidth: 220 },
    {
      id: 'input',
      title: 'Input, per million',
      render: ({ prices }) => money(prices?.input),
      isNumber: true,
      width: 150,
    },
    {
      id: 'output',
      title: 'Output, per million',
      render: ({ prices }) => money(prices?.output),
      isNumber: true,
      width: 150,
    },
    { id: 'cached', title: 'Cache read', render: ({ prices }) => money(prices?.cacheRead), isNumber: true, width: 120 },
    { id: 'asOf', title: 'Of', render: ({ prices }) => date(prices?.asOf), width: 130 },
    actionsColumn(
      (row) => row.model,
      (row) => [{ id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) }],
    ),
  ];
}

export function Prices() {
  const { organizationId } = useCaller();
  const [isCreating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<Price>();
  const list = useList('Prices.List', { organizationId }, (page) => page.prices);
  return (
    <>
      <Row>
        <Button onPress={() => setCreating(true)}>Add price</Button>
      </Row>
      <ListTable
        label="Own prices"
        columns={columnsFor(setDeleting)}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="There is no price of your own">The catalog’s prices apply.</Empty>}
      />
      {isCreating ? <PriceForm onClose={() => setCreating(false)} /> : null}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete the price of ${deleting.model}?`}
          submit="Delete price"
          method="Prices.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>The catalog’s price applies to later requests. Without one, budgets refuse the model.</p>
        </Confirm>
      )}
    </>
  );
}

function PriceForm({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [model, setModel] = useState('');
  const [input, setInput] = useState('');
  const [output, setOutput] = useState('');
  const [cacheRead, setCacheRead] = useState('');
  const create = useChange('Prices.Create');
  const submit = async () => {
    const prices = { input, output, ...(cacheRead === '' ? {} : { cacheRead }) };
    if ((await create.run({ organizationId, model, prices })) !== undefined) onClose();
  };
  return (
    <FormDialog
      title="Add a price"
      submit="Add price"
      isPending={create.isPending}
      error={create.error}
      isDisabled={model === '' || input === '' || output === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Model, or a glob" value={model} onChange={setModel} isRequired autoFocus isMono />
      <TextInput label="Input, USD per million tokens" value={input} onChange={setInput} isRequired />
      <TextInput label="Output, USD per million tokens" value={output} onChange={setOutput} isRequired />
      <TextInput label="Cache read, USD per million tokens" value={cacheRead} onChange={setCacheRead} />
    </FormDialog>
  );
}
