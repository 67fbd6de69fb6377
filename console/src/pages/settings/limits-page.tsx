// Limits: budgets, rates and concurrency, of the organization and of what belongs to it.
import { useState } from 'react';
import type { Limit } from '../../../generated/contract.ts';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { date, money, word } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import { Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { limitText } from '../shared/limit-text.ts';
import { actionsColumn } from '../shared/row-columns.tsx';
import { ChangeLimit } from './change-limit.tsx';
import { CreateLimit } from './create-limit.tsx';

type Doing = { readonly what: 'change' | 'raise' | 'delete'; readonly limit: Limit };

function columnsFor(start: ((doing: Doing) => void) | undefined): readonly TableColumn<Limit>[] {
  const facts: readonly TableColumn<Limit>[] = [
    { id: 'subject', title: 'Of', render: ({ subjectName }) => subjectName, minWidth: 170 },
    {
      id: 'kind',
      title: 'Kind',
      render: ({ subject }) => word(subject?.kind ?? '', 'LIMIT_SUBJECT_KIND_'),
      width: 130,
    },
    { id: 'limit', title: 'Limit', render: limitText, minWidth: 280, isRowHeader: true },
    {
      id: 'raises',
      title: 'Raised by',
      render: ({ raises }) => raises.map(({ amountUsd }) => money(amountUsd)).join(', ') || '–',
      width: 120,
    },
    { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
  ];
  if (start === undefined) return facts;
  return [
    ...facts,
    actionsColumn(
      (limit) => limitText(limit),
      (limit) => [
        { id: 'change', name: 'Change', run: () => start({ what: 'change', limit }) },
        ...(limit.kind === 'LIMIT_KIND_BUDGET'
          ? [{ id: 'raise', name: 'Raise until the window ends', run: () => start({ what: 'raise', limit }) }]
          : []),
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => start({ what: 'delete', limit }) },
      ],
    ),
  ];
}

export function LimitsPage() {
  const { organizationId } = useCaller();
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const list = useList('Limits.List', { organizationId }, (page) => page.limits);
  const changes = may('Limits.Create');
  return (
    <Page
      title="Limits"
      description="All limits that apply to a request are checked: of its key, of what the key belongs to, and of the organization."
      actions={
        changes ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Create limit
          </Button>
        ) : undefined
      }
    >
      <ListTable
        label="Limits"
        columns={columnsFor(changes ? setDoing : undefined)}
        list={list}
        idOf={({ id }) => id}
        empty={<Empty title="There is no limit">A budget stops spending before it happens.</Empty>}
      />
      {isCreating ? <CreateLimit onClose={() => setCreating(false)} /> : null}
      {doing === undefined ? null : <Do {...doing} onClose={() => setDoing(undefined)} />}
    </Page>
  );
}

function Do({ what, limit, onClose }: Doing & { readonly onClose: () => void }) {
  switch (what) {
    case 'change':
      return <ChangeLimit limit={limit} onClose={onClose} />;
    case 'raise':
      return <Raise limit={limit} onClose={onClose} />;
    case 'delete':
      return (
        <Confirm
          title="Delete this limit?"
          submit="Delete limit"
          method="Limits.Delete"
          request={{ id: limit.id }}
          onClose={onClose}
        >
          <p>
            {limitText(limit)} of {limit.subjectName} no longer applies to later requests.
          </p>
        </Confirm>
      );
  }
}

interface LimitDialogProps {
  readonly limit: Limit;
  readonly onClose: () => void;
}

function Raise({ limit, onClose }: LimitDialogProps) {
  const [amount, setAmount] = useState('');
  const [reason, setReason] = useState('');
  const raise = useChange('Limits.Raise');
  const submit = async () => {
    if ((await raise.run({ id: limit.id, amountUsd: amount, reason })) !== undefined) onClose();
  };
  return (
    <FormDialog
      title={`Raise ${limitText(limit)}`}
      submit="Raise"
      isPending={raise.isPending}
      error={raise.error}
      isDisabled={amount === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="By, in USD" value={amount} onChange={setAmount} isRequired autoFocus />
      <TextInput label="Reason" value={reason} onChange={setReason} maxLength={200} description="For the audit log." />
    </FormDialog>
  );
}
