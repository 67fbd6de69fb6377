// Webhooks: URLs that receive an organization's budget events.
import type { Given, Resource } from '../command.ts';
import { getField } from '../request.ts';
import { ifRevision, newName, rename, thing } from './shared.ts';

const deliveryId: Given = { flags: '<id>', about: 'id of the delivery, which webhooks deliveries lists', field: 'id' };

export const webhooks: Resource = {
  name: 'webhooks',
  about: 'addresses that receive events about the budgets of an organization',
  commands: {
    create: {
      method: 'Webhooks.Create',
      about: 'add a webhook and print the secret that its requests are signed with',
      arguments: [newName],
      options: [
        {
          flags: '--url <url>',
          about: 'https, and public or where the platform allows it',
          field: 'url',
          required: true,
        },
      ],
      secret: 'secret',
      file: true,
      examples: ['webhooks create alerts --url https://hooks.example.com/budgets > secret'],
    },
    get: {
      method: 'Webhooks.Get',
      about: 'show a webhook',
      arguments: [thing('webhook')],
      examples: ['webhooks get alerts'],
    },
    list: {
      method: 'Webhooks.List',
      about: 'list webhooks',
      columns: { NAME: 'name', ID: 'id', URL: 'url', ENABLED: 'enabled', CREATED: 'createdAt' },
      examples: ['webhooks list'],
    },
    update: {
      method: 'Webhooks.Update',
      about: 'change a webhook',
      arguments: [thing('webhook')],
      options: [
        rename,
        { flags: '--url <url>', about: 'another address', field: 'url' },
        { flags: '--enabled <true|false>', about: 'false: nothing is sent', field: 'enabled' },
        ifRevision,
      ],
      file: true,
      examples: ['webhooks update alerts --enabled false'],
    },
    'rotate-secret': {
      method: 'Webhooks.RotateSecret',
      about: 'make a new secret and print it; the present one is not used any more',
      arguments: [thing('webhook')],
      prompt: 'Make a new secret for {webhook}? Events are signed with the new one alone from now on.',
      secret: 'secret',
      examples: ['webhooks rotate-secret alerts --yes > secret'],
    },
    delete: {
      method: 'Webhooks.Delete',
      about: 'delete a webhook',
      arguments: [thing('webhook')],
      prompt: 'Delete the webhook {webhook}?',
      done: 'deleted',
      examples: ['webhooks delete alerts --yes'],
    },
    deliveries: {
      method: 'Webhooks.ListDeliveries',
      about: 'list deliveries, newest first',
      arguments: [{ ...thing('webhook'), field: 'webhookId' }],
      columns: {
        ID: 'id',
        TYPE: 'type',
        STATE: 'state',
        ATTEMPTS: 'attempts',
        STATUS: 'lastStatus',
        ERROR: '?lastError',
        CREATED: 'createdAt',
        NEXT: '?nextAttemptAt',
      },
      examples: ['webhooks deliveries alerts --limit 20'],
    },
    delivery: {
      method: 'Webhooks.GetDelivery',
      about: 'show a delivery: its body, and what the receiver responded last',
      arguments: [deliveryId],
      examples: ['webhooks delivery 01890000-0000-7000-8000-000000000000'],
    },
    resend: {
      method: 'Webhooks.Redeliver',
      about: 'send a delivery again at once, with the same id and body',
      arguments: [deliveryId],
      examples: ['webhooks resend 01890000-0000-7000-8000-000000000000'],
    },
    test: {
      method: 'Webhooks.Test',
      about: 'send a test event now and show what the receiver responds',
      arguments: [thing('webhook')],
      failed: (response) => getField(response, 'accepted') !== true,
      notes: 'Exit code 1: the receiver did not accept it. It is signed like other events and is sent once.',
      examples: ['webhooks test alerts'],
    },
  },
};
