// The deliveries of a webhook, newest first.
import { useState } from 'react';
import type { Webhook, WebhookDelivery, WebhookDeliveryState } from '../../../generated/contract.ts';
import { useChange, useList, useRead } from '../../api/queries.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { dateTime, word } from '../../ui/format.ts';
import { Facts, Row } from '../../ui/layout.tsx';
import { Badge, Empty, ErrorNote, Loading, type Tone } from '../../ui/notes.tsx';
import { ListTable } from '../../ui/table.tsx';

const tones: Readonly<Record<WebhookDeliveryState, Tone>> = {
  WEBHOOK_DELIVERY_STATE_UNSPECIFIED: 'neutral',
  WEBHOOK_DELIVERY_STATE_PENDING: 'warn',
  WEBHOOK_DELIVERY_STATE_DELIVERED: 'good',
  WEBHOOK_DELIVERY_STATE_FAILED: 'bad',
};

export function Deliveries({ webhook, onClose }: { readonly webhook: Webhook; readonly onClose: () => void }) {
  const [opened, setOpened] = useState<string>();
  const list = useList('Webhooks.ListDeliveries', { webhookId: webhook.id }, (page) => page.deliveries);
  return (
    <Dialog title={`Deliveries to ${webhook.name}`} onClose={onClose} isWide>
      {opened === undefined ? (
        <ListTable
          label="Deliveries"
          list={list}
          idOf={({ id }) => id}
          onOpen={({ id }) => setOpened(id)}
          columns={[
            { id: 'type', title: 'Event', render: ({ type }) => type, minWidth: 190 },
            { id: 'state', title: 'State', render: (row) => <DeliveryBadge delivery={row} />, width: 120 },
            { id: 'at', title: 'At', render: ({ createdAt }) => dateTime(createdAt), minWidth: 170 },
          ]}
          empty={<Empty title="Nothing was sent yet" />}
        />
      ) : (
        <Delivery id={opened} />
      )}
      <Row>
        {opened === undefined ? null : <Button onPress={() => setOpened(undefined)}>All deliveries</Button>}
        <Button onPress={onClose}>Close</Button>
      </Row>
    </Dialog>
  );
}

function DeliveryBadge({ delivery: { state } }: { readonly delivery: WebhookDelivery }) {
  return <Badge tone={tones[state]}>{word(state, 'WEBHOOK_DELIVERY_STATE_')}</Badge>;
}

function Delivery({ id }: { readonly id: string }) {
  const { data, error } = useRead('Webhooks.GetDelivery', { id });
  const redeliver = useChange('Webhooks.Redeliver');
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <Loading rows={4} />;
  return (
    <>
      <Facts
        facts={[
          ['Event', data.type],
          ['State', <DeliveryBadge key="state" delivery={data} />],
          ['Attempts', data.attempts],
          ['Last status', data.lastStatus],
          ['Last error', data.lastError],
          ['Last attempt', dateTime(data.lastAttemptAt)],
          ['Next attempt', data.nextAttemptAt === undefined ? undefined : dateTime(data.nextAttemptAt)],
        ]}
      />
      {data.lastBody === undefined ? null : <CodeBlock label="response" text={data.lastBody} />}
      {data.payload === undefined ? null : <CodeBlock label="payload" text={data.payload} />}
      <ErrorNote error={redeliver.error} />
      <Row>
        <Button onPress={() => void redeliver.run({ id })} isPending={redeliver.isPending}>
          Send it again
        </Button>
      </Row>
    </>
  );
}
