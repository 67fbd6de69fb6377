// Requests: every request of the organization, refused ones too; one of them with its explanation; and those that come.
import { isObject, type JsonObject } from '../../common/json.ts';
import { type Given, type Invocation, type MethodCommand, type Resource, textOf } from '../command.ts';
import { choicesOf } from '../enum-names.ts';
import { usageMistake } from '../failure.ts';
import { printItems, repeat } from '../follow.ts';
import { idOf } from '../names.ts';
import { organizationInUse } from '../organization.ts';
import { getField, setField, valueFor } from '../request.ts';
import { requireToken } from '../session.ts';
import { periodSince, withPeriod } from './period.ts';

const filters: readonly Given[] = [
  {
    flags: '--status <status>',
    about: 'only requests that ended so',
    field: 'result',
    choices: choicesOf('RequestResult') ?? [],
  },
  { flags: '--key <key>', about: 'only of this virtual key', field: 'keyId', noun: 'key' },
  { flags: '--system <system>', about: 'only of this AI system', field: 'aiSystemId', noun: 'system' },
  { flags: '--person <person>', about: "only of this person's keys; me is you", field: 'personId', noun: 'person' },
  { flags: '--model <model>', about: 'only of this <provider>/<model>', field: 'model' },
  { flags: '--provider <name>', about: 'only of this provider', field: 'provider' },
  { flags: '--error <code>', about: 'only with this error code, such as budget_exceeded', field: 'errorCode' },
  { flags: '--route <name>', about: 'only of callers of this route of models', field: 'route' },
  {
    flags: '--decided-by <id>',
    about: 'only those that this limit or guardrail refused',
    field: 'decidedBy',
  },
  {
    flags: '--tag <name=value>',
    about: 'only with this tag, such as feature=search; repeat it for more',
    field: 'tags',
    several: true,
  },
];

const columns = {
  AT: 'at',
  STATUS: 'facts.status',
  RESULT: 'result',
  KEY: 'keyName',
  SYSTEM: '?aiSystemName',
  PERSON: '?personName',
  MODEL: '?source.model',
  ROUTE: '?source.route',
  TAGS: '?facts.tags',
  ERROR: '?facts.errorCode',
  TRIES: 'facts.attempts',
  PROMPT: '?facts.tokens.prompt',
  COMPLETION: '?facts.tokens.completion',
  'COST USD': 'costUsd',
  MS: 'facts.durationMs',
  FOR: '?facts.represents',
  'REQUEST ID': 'facts.requestId',
} as const;

export const requests: Resource = {
  name: 'requests',
  about: 'every request, refused ones too',
  commands: {
    get: {
      method: 'Requests.Get',
      about: 'show one request: who sent it, where it went, what it cost, and why it was refused',
      arguments: [
        { flags: '<request-id>', about: 'the x-request-id of its response, or the id of its row', field: 'id' },
      ],
      onlyPresent: true,
      examples: ['requests get 0199e8a2-5b1c-7f3e-9d7a-3c5e1b2f4a6d'],
    },
    list: {
      method: 'Requests.List',
      about: 'list requests, newest first; without --from or --last those of the last hour',
      options: [...filters, ...periodSince('an hour before --to')],
      complete: withPeriod,
      columns,
      notes:
        'A row may represent several equal refusals: column FOR. All fields of a row are in the response with --json.',
      examples: [
        'requests list --status refused --key checkout --last 1h',
        'requests list --error budget_exceeded --last 1d --limit 20',
        'requests list --tag feature=search --tag user=ada --last 1d',
        'requests list --model gpt-provider/gpt-4o-mini --from 2026-11-01 --to 2026-11-02 --json',
      ],
    },
    tail: {
      about: 'show requests as they end, until it is interrupted',
      options: [...filters, { flags: '--count <number>', about: 'end after so many requests' }],
      run: tail,
      examples: ['requests tail --status refused', 'requests tail --key checkout --count 10 --json'],
    },
  },
};

const waitSeconds = 10;
const pauseMs = 1_000;

async function tail(invocation: Invocation): Promise<void> {
  requireToken(await invocation.session());
  const max = countOf(textOf(invocation, '--count <number>'));
  const client = await invocation.client();
  const filter = await filterOf(invocation);
  let response = await client.ask('Requests.List', { ...filter, pageSize: 1 });
  let shown = 0;
  await repeat(invocation, async () => {
    const followToken = String(getField(response, 'followToken') ?? '');
    const startedAt = Date.now();
    response = await client.ask('Requests.List', { ...filter, followToken, waitSeconds, pageSize: 200 });
    const listed = getField(response, 'requests');
    const rows = Array.isArray(listed) ? listed.filter(isObject).toReversed() : [];
    const next = rows.slice(0, max - shown);
    const printing = { type: 'RequestRow', columns: tailColumns, invocation, isFirst: shown === 0 };
    if (next.length > 0) await printItems(next, printing);
    shown += next.length;
    if (shown >= max) return 'done';
    // A control plane that does not wait is not called in a loop.
    return Math.max(0, pauseMs - (Date.now() - startedAt));
  });
}

function countOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d{1,9}$/.test(text) || Number(text) === 0) throw usageMistake('--count must be a whole number from 1');
  return Number(text);
}

/** The request of a list with the filters that are given. */
async function filterOf(invocation: Invocation): Promise<JsonObject> {
  const organizationId = await organizationInUse(invocation);
  const request: JsonObject = { organizationId };
  const client = await invocation.client();
  for (const [given, value] of invocation.given) {
    if (given.field === undefined || value === true) continue;
    if (typeof value !== 'string') {
      setField(request, given.field, valueFor(given, { type: 'string', keyType: 'string' }, value));
      continue;
    }
    const text = given.noun === undefined ? value : await idOf(given.noun, value, client, async () => organizationId);
    setField(
      request,
      given.field,
      valueFor(given, { type: given.field === 'result' ? 'RequestResult' : 'string' }, text),
    );
  }
  return request;
}

/** Columns are not omitted while rows still come. */
const tailColumns: NonNullable<MethodCommand['columns']> = {
  AT: 'at',
  STATUS: 'facts.status',
  KEY: 'keyName',
  MODEL: 'source.model',
  ERROR: 'facts.errorCode',
  'COST USD': 'costUsd',
  MS: 'facts.durationMs',
  'REQUEST ID': 'facts.requestId',
};
