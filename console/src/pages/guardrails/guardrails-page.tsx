// Guardrails: the list in their order, their forms, and a test of a text.
import { useState } from 'react';
import type { Guardrail } from '../../../generated/contract.ts';
import { useCaller, useMay } from '../../api/caller.tsx';
import { useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { word } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import { Badge, Empty } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';
import { kindOf, kinds } from './check-kinds.ts';
import { Decisions } from './decisions.tsx';
import { GuardrailForm } from './guardrail-form.tsx';
import { GuardrailTest } from './guardrail-test.tsx';
import { RotateSecret } from './rotate-secret.tsx';

export function GuardrailsPage() {
  const may = useMay();
  const [isCreating, setCreating] = useState(false);
  return (
    <Page
      title="Guardrails"
      description="Rules that inspect requests and responses of every client, on every route."
      actions={
        may('Guardrails.Create') ? (
          <Button look="primary" onPress={() => setCreating(true)}>
            Create guardrail
          </Button>
        ) : undefined
      }
    >
      <Tabs
        label="Guardrails"
        tabs={[
          { id: 'list', name: 'Guardrails', content: () => <Guardrails onCreate={() => setCreating(true)} /> },
          { id: 'decisions', name: 'Decisions', content: () => <Decisions /> },
          { id: 'test', name: 'Test a text', content: () => <GuardrailTest /> },
        ]}
      />
      {isCreating ? <GuardrailForm guardrail={undefined} onClose={() => setCreating(false)} /> : null}
    </Page>
  );
}

function kindName({ check }: Guardrail): string {
  const kind = kindOf(check);
  return kind === 'json' ? 'other' : (kinds.find(({ id }) => id === kind)?.name ?? kind);
}

function columnsFor(
  onEdit: (row: Guardrail) => void,
  onRotate: (row: Guardrail) => void,
  onDelete: (row: Guardrail) => void,
): readonly TableColumn<Guardrail>[] {
  return [
    { id: 'position', title: 'Order', render: ({ position }) => position, isNumber: true, width: 80, minWidth: 70 },
    { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160, isRowHeader: true },
    { id: 'kind', title: 'Kind', render: kindName, minWidth: 140 },
    { id: 'stage', title: 'Inspects', render: ({ stage }) => word(stage, 'GUARDRAIL_STAGE_'), width: 110 },
    {
      id: 'action',
      title: 'A match',
      render: ({ action }) => <Badge tone="accent">{word(action, 'GUARDRAIL_ACTION_')}</Badge>,
      width: 110,
    },
    {
      id: 'for',
      title: 'For',
      render: ({ aiSystemIds, keyIds }) =>
        aiSystemIds.length + keyIds.length === 0
          ? 'the organization'
          : `${aiSystemIds.length} AI systems, ${keyIds.length} keys`,
      minWidth: 150,
    },
    switchColumn({
      id: 'enabled',
      title: 'State',
      width: 110,
      method: 'Guardrails.Update',
      isOn: ({ enabled }) => enabled,
      requestFor: ({ id }, next) => ({ id, enabled: next }),
    }),
    actionsColumn(
      (row) => row.name,
      (row) => [
        { id: 'edit', name: 'Change', run: () => onEdit(row) },
        ...(row.check?.webhook === undefined
          ? []
          : [{ id: 'rotate', name: 'Rotate the secret', run: () => onRotate(row) }]),
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
      ],
    ),
  ];
}

function Guardrails({ onCreate }: { readonly onCreate: () => void }) {
  const { organizationId } = useCaller();
  const [editing, setEditing] = useState<Guardrail>();
  const [rotating, setRotating] = useState<Guardrail>();
  const [deleting, setDeleting] = useState<Guardrail>();
  const list = useList('Guardrails.List', { organizationId }, (page) => page.guardrails);
  return (
    <>
      <ListTable
        label="Guardrails"
        columns={columnsFor(setEditing, setRotating, setDeleting)}
        list={list}
        idOf={({ id }) => id}
        onOpen={setEditing}
        empty={
          <Empty title="There is no guardrail yet" action={<Button onPress={onCreate}>Create the first one</Button>}>
            Begin with one that observes: it changes nothing and shows what it would match.
          </Empty>
        }
      />
      {editing === undefined ? null : <GuardrailForm guardrail={editing} onClose={() => setEditing(undefined)} />}
      {rotating === undefined ? null : <RotateSecret guardrail={rotating} onClose={() => setRotating(undefined)} />}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete guardrail"
          method="Guardrails.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Requests are no longer inspected by it, from the next second on.</p>
        </Confirm>
      )}
    </>
  );
}
