// Webhooks: where notices of the organization go, their test and their deliveries.
import { useState } from 'react';
import type { TestWebhookResponse, Webhook } from '../../../generated/contract.ts';
import { useCaller } from '../../api/caller.tsx';
import { useChange, useList } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { FormDialog } from '../../ui/dialog.tsx';
import { TextInput } from '../../ui/fields.tsx';
import { date, duration } from '../../ui/format.ts';
import { Page } from '../../ui/layout.tsx';
import { Empty, ErrorNote, Note } from '../../ui/notes.tsx';
import { ListTable, type TableColumn } from '../../ui/table.tsx';
import { Confirm } from '../shared/confirm.tsx';
import { actionsColumn, switchColumn } from '../shared/row-columns.tsx';
import { SecretDialog } from '../shared/secret-dialog.tsx';
import { Deliveries } from './deliveries.tsx';

interface Handlers {
  readonly onTest: (row: Webhook) => void;
  readonly onOpen: (row: Webhook) => void;
  readonly onDelete: (row: Webhook) => void;
}

function columnsFor({ onTest, onOpen, onDelete }: Handlers): readonly TableColumn<Webhook>[] {
  return [
    { id: 'name', title: 'Name', render: ({ name }) => name, minWidth: 160 },
    { id: 'url', title: 'URL', render: ({ url }) => url, minWidth: 280 },
    { id: 'created', title: 'Created', render: ({ createdAt }) => date(createdAt), width: 130 },
    switchColumn({
      id: 'enabled',
      title: 'Enabled',
      width: 100,
      method: 'Webhooks.Update',
      isOn: ({ enabled }) => enabled,
      requestFor: ({ id }, next) => ({ id, enabled: next }),
    }),
    actionsColumn(
      (row) => row.name,
      (row) => [
        { id: 'test', name: 'Send a test', run: () => onTest(row) },
        { id: 'deliveries', name: 'Deliveries', run: () => onOpen(row) },
        { id: 'delete', name: 'Delete', isDangerous: true, run: () => onDelete(row) },
      ],
    ),
  ];
}

export function WebhooksPage() {
  const { organizationId } = useCaller();
  const [isCreating, setCreating] = useState(false);
  const [opened, setOpened] = useState<Webhook>();
  const [deleting, setDeleting] = useState<Webhook>();
  const [tested, setTested] = useState<TestWebhookResponse>();
  const test = useChange('Webhooks.Test');
  const list = useList('Webhooks.List', { organizationId }, (page) => page.webhooks);
  const runTest = async ({ id }: Webhook) => setTested(await test.run({ id }));
  return (
    <Page
      title="Webhooks"
      description="Notices of budgets, provider keys, stops and bills, signed as Standard Webhooks."
      actions={
        <Button look="primary" onPress={() => setCreating(true)}>
          Add webhook
        </Button>
      }
    >
      <ErrorNote error={test.error} />
      {tested === undefined ? null : <TestResult result={tested} />}
      <ListTable
        label="Webhooks"
        columns={columnsFor({ onTest: (row) => void runTest(row), onOpen: setOpened, onDelete: setDeleting })}
        list={list}
        idOf={({ id }) => id}
        onOpen={setOpened}
        empty={<Empty title="There is no webhook yet">Add one to hear of budgets before they are spent.</Empty>}
      />
      {isCreating ? <CreateWebhook onClose={() => setCreating(false)} /> : null}
      {opened === undefined ? null : <Deliveries webhook={opened} onClose={() => setOpened(undefined)} />}
      {deleting === undefined ? null : (
        <Confirm
          title={`Delete ${deleting.name}?`}
          submit="Delete webhook"
          method="Webhooks.Delete"
          request={{ id: deleting.id }}
          onClose={() => setDeleting(undefined)}
        >
          <p>Nothing is sent to {deleting.url} any more, waiting deliveries neither.</p>
        </Confirm>
      )}
    </Page>
  );
}

function TestResult({
  result: { accepted, status, error, body, latencyMs },
}: {
  readonly result: TestWebhookResponse;
}) {
  return (
    <Note tone={accepted ? 'good' : 'bad'}>
      <strong>
        {accepted ? 'The receiver accepted the test' : 'The receiver did not accept the test'}
        {status === undefined ? '' : ` with ${status}`}, in {duration(latencyMs)}.
      </strong>
      {error === undefined ? null : <span>{error}</span>}
      {body === undefined ? null : <code>{body.slice(0, 500)}</code>}
    </Note>
  );
}

function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const { organizationId } = useCaller();
  const [name, setName] = useState('');
  const [url, setUrl] = useState('');
  const [secret, setSecret] = useState<string>();
  const create = useChange('Webhooks.Create');
  const submit = async () => {
    const created = await create.run({ organizationId, name, url });
    if (created !== undefined) setSecret(created.secret);
  };
  if (secret !== undefined) {
    return <SecretDialog title="The webhook is there" name="signing secret" value={secret} onClose={onClose} />;
  }
  return (
    <FormDialog
      title="Add a webhook"
      submit="Add webhook"
      isPending={create.isPending}
      error={create.error}
      isDisabled={name.trim() === '' || url === ''}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      <TextInput label="Name" value={name} onChange={setName} isRequired autoFocus />
      <TextInput
        label="URL"
        type="url"
        value={url}
        onChange={setUrl}
        isRequired
        placeholder="https://hooks.example.com/gateway"
      />
    </FormDialog>
  );
}
