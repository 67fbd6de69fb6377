// Compares the ledger with the vendors' bills: import, mapping, differences and their causes, and the adjustments that
// settle them.
import type { Given, Request, Resource } from '../command.ts';
import { ifRevision } from './shared.ts';

const vendorArgument: Given = { flags: '<vendor>', about: 'vendor of the bill', field: 'vendor' };
const vendorOption: Given = { flags: '--vendor <vendor>', about: 'only of this vendor', field: 'vendor' };
const reference: readonly Given[] = [
  vendorArgument,
  { flags: '<kind>', about: 'kind of the reference', field: 'reference.kind' },
  { flags: '<value>', about: "the vendor's id or name, as bills have it", field: 'reference.value' },
];
const difference: Given = { flags: '<id>', about: 'id of a difference, as the list shows it', field: 'id' };
const reason: Given = {
  flags: '--reason <text>',
  about: 'why, for the audit log',
  field: 'reason',
  required: true,
};
const ifDrift: Given = {
  flags: '--if-drift <usd>',
  about: 'only if the difference is still this one',
  field: 'ifDriftUsd',
};
const amount: Given = { flags: '--usd <amount>', about: 'so much of it; default: all', field: 'amountUsd' };

const subjects: readonly Given[] = [
  {
    flags: '--system <system>',
    about: 'as usage of this AI system',
    field: 'subject.id',
    noun: 'system',
    beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_AI_SYSTEM' },
  },
  {
    flags: '--person <person>',
    about: 'as usage of this person',
    field: 'subject.id',
    noun: 'person',
    beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_PERSON' },
  },
  {
    flags: '--key <key>',
    about: 'as usage of this key',
    field: 'subject.id',
    noun: 'key',
    beside: { 'subject.kind': 'LIMIT_SUBJECT_KIND_VIRTUAL_KEY' },
  },
];

const days: readonly Given[] = [
  { flags: '--from <day>', about: 'first day, UTC', field: 'from' },
  { flags: '--to <day>', about: 'last day, UTC', field: 'to' },
];

const exampleId = '01890000-0000-8000-8000-000000000000';

export const reconcile: Resource = {
  name: 'reconcile',
  about: "the ledger against the vendors' bills: import, compare, settle",
  commands: {
    import: {
      about: 'import usage and costs from a vendor, by day',
      arguments: [
        {
          flags: '<document>',
          about: 'which document it is; openai and anthropic: usage and costs, from the API',
          choices: [
            ...['openai', 'openai-usage', 'openai-costs', 'anthropic', 'anthropic-usage', 'anthropic-costs'],
            ...['aws', 'azure', 'google', 'other'],
          ],
        },
      ],
      options: [
        { flags: '--from <day>', about: 'first day, UTC; default of an API: seven days ago' },
        { flags: '--to <day>', about: 'last day, UTC; default of an API: yesterday' },
        {
          flags: '--file <file>',
          about: 'an export of a cloud, or rows; all files of its days, - for standard input; repeat it for more',
          several: true,
        },
        { flags: '--account <name>', about: 'separates documents of several accounts; default: default' },
        {
          flags: '--admin-key-file <file>',
          about: 'the admin key of an API, - for standard input; also OPENAI_ADMIN_KEY and ANTHROPIC_ADMIN_KEY',
        },
        { flags: '--api-url <url>', about: "instead of the vendor's own" },
        { flags: '--dry-run', about: 'read and add up, and send nothing to the control plane' },
      ],
      run: async (invocation) => (await import('./reconcile-import.ts')).importBills(invocation),
      notes:
        'A day that is imported again is replaced as a whole: give all files of a day at once. The admin key is sent to the vendor alone and is not stored.',
      examples: [
        `reconcile import openai --from 2026-10-01 --to 2026-10-31 --admin-key-file ./admin-key`,
        'reconcile import anthropic --admin-key-file - < admin-key',
        'reconcile import aws --file cur-00001.snappy.parquet --file cur-00002.snappy.parquet',
        'reconcile import azure --file part_0_0001.csv --from 2026-10-01 --to 2026-10-31',
        'reconcile import google --file export.jsonl --dry-run',
      ],
    },
    bills: {
      method: 'Reconciliation.ListBillDays',
      about: 'list the days that documents cover, newest first',
      options: [vendorOption],
      columns: {
        DAY: 'day',
        DOCUMENT: 'document',
        ACCOUNT: 'account',
        ROWS: 'rows',
        'COST USD': '?costUsd',
        PRELIMINARY: 'preliminary',
        IMPORTED: 'importedAt',
      },
      examples: ['reconcile bills --vendor openai'],
    },
    forget: {
      method: 'Reconciliation.DeleteBill',
      about: 'delete the rows of a document in a range of days',
      arguments: [
        { flags: '<document>', about: 'which document', field: 'document' },
        { flags: '<from>', about: 'first day', field: 'from' },
        { flags: '<to>', about: 'last day', field: 'to' },
      ],
      options: [{ flags: '--account <name>', about: 'of this account; default: default', field: 'account' }],
      prompt: 'Delete the rows of {document} from {from} to {to}? They can be imported again.',
      examples: ['reconcile forget openai-costs 2026-10-01 2026-10-31 --account twice --yes'],
    },
    map: {
      method: 'Reconciliation.SetMapping',
      about: 'map a reference on bills to provider keys, to a model, or to nothing of the gateway',
      arguments: reference,
      options: [
        {
          flags: '--provider-key <key>',
          about: 'a provider key; repeat it if the vendor does not distinguish several',
          field: 'providerKeyIds',
          noun: 'provider key',
        },
        { flags: '--model <model>', about: 'of a model’s name: <provider>/<model>', field: 'model' },
        { flags: '--ignore', about: 'none of the gateway’s: its rows are left out', field: 'ignored' },
      ],
      examples: [
        'reconcile map openai project proj_a1 --provider-key main',
        'reconcile map aws model Nova2.0Lite --model managed-cloud-models/amazon.nova-2-lite-v1:0',
        'reconcile map openai api-key key_of_research --ignore',
      ],
    },
    mappings: {
      method: 'Reconciliation.ListMappings',
      about: 'list the mappings of references on bills',
      options: [vendorOption],
      columns: {
        VENDOR: 'vendor',
        KIND: 'reference.kind',
        VALUE: 'reference.value',
        'PROVIDER KEYS': '?providerKeyIds',
        MODEL: '?model',
        IGNORED: 'ignored',
      },
      examples: ['reconcile mappings'],
    },
    unmap: {
      method: 'Reconciliation.DeleteMapping',
      about: 'delete a mapping',
      arguments: reference,
      done: 'deleted',
      examples: ['reconcile unmap openai project proj_a1'],
    },
    list: {
      method: 'Reconciliation.ListDrift',
      about: 'list differences beyond the bound, newest day first',
      options: [
        ...days,
        vendorOption,
        { flags: '--state <state>', about: 'only of this state; default: all but settled', field: 'states' },
      ],
      columns: {
        DAY: 'day',
        VENDOR: 'vendor',
        'PROVIDER KEYS': '?providerKeyIds',
        MODEL: '?model',
        KIND: 'kind',
        BILLED: '?billedUsd',
        LEDGER: 'ledgerUsd',
        DRIFT: 'driftUsd',
        UNEXPLAINED: 'unexplainedUsd',
        STATE: 'state',
        REASONS: '?codes',
        ID: 'id',
      },
      examples: ['reconcile list', 'reconcile list --from 2026-10-01 --to 2026-10-31 --state unexplained --all'],
    },
    show: {
      method: 'Reconciliation.GetDrift',
      about: 'show a difference with its reasons and their figures',
      arguments: [difference],
      examples: [`reconcile show ${exampleId}`],
    },
    days: {
      method: 'Reconciliation.ListDays',
      about: 'list the comparisons of days, newest first',
      options: [vendorOption],
      columns: {
        DAY: 'day',
        VENDOR: 'vendor',
        COMPARED: 'compared',
        AGREED: 'agreed',
        BILLED: '?billedUsd',
        LEDGER: 'ledgerUsd',
        ADJUSTED: 'adjustedUsd',
        IGNORED: 'ignoredUsd',
        DRIFT: 'driftUsd',
        UNEXPLAINED: 'unexplainedUsd',
        PRELIMINARY: 'preliminary',
      },
      examples: ['reconcile days --limit 31'],
    },
    settle: {
      method: 'Reconciliation.Settle',
      about: 'settle a difference: record it as usage of its day, with your name and the reason',
      arguments: [difference],
      options: [reason, amount, ...subjects, ifDrift],
      prompt: 'Record the difference {id}? It counts in totals and in the windows of budgets that its day is in.',
      notes: 'Without an option it is usage of the organization. It is never changed: reconcile undo takes it back.',
      examples: [
        `reconcile settle ${exampleId} --reason 'hang-ups of 3 October, as billed' --yes`,
        `reconcile settle ${exampleId} --reason 'batch job of research' --system research --yes`,
      ],
    },
    accept: {
      method: 'Reconciliation.Settle',
      about: 'accept a difference: nothing is recorded, and it is not listed any more',
      arguments: [difference],
      options: [reason, amount, ifDrift],
      complete: (request: Request) => ({ ...request, accept: true }),
      examples: [`reconcile accept ${exampleId} --reason 'credit for the outage of 2 October'`],
    },
    undo: {
      method: 'Reconciliation.Undo',
      about: 'take an adjustment back, by a counter entry',
      arguments: [{ flags: '<adjustment>', about: 'its id', field: 'id' }],
      options: [reason],
      prompt: 'Take the adjustment {adjustment} back?',
      examples: [`reconcile undo ${exampleId} --reason 'wrong day' --yes`],
    },
    adjustments: {
      method: 'Reconciliation.ListAdjustments',
      about: 'list adjustments, newest first',
      columns: {
        ID: 'id',
        DAY: 'day',
        MODEL: '?model',
        USD: 'amountUsd',
        BOOKED: 'booked',
        OF: 'subject.kind',
        AUTHOR: 'authorId',
        REASON: 'reason',
        UNDOES: '?undoes',
        'UNDONE BY': '?undoneBy',
      },
      examples: ['reconcile adjustments'],
    },
    settings: {
      method: 'Reconciliation.GetSettings',
      about: 'show the size from which a difference counts',
      examples: ['reconcile settings'],
    },
    set: {
      method: 'Reconciliation.UpdateSettings',
      about: 'set the size from which a difference counts: above both bounds',
      options: [
        {
          flags: '--percent <percent>',
          about: 'of the larger side, such as 1 or 0.5',
          field: 'boundPercent',
        },
        { flags: '--usd <amount>', about: 'in USD, such as 0.01', field: 'boundUsd' },
        ifRevision,
      ],
      examples: ['reconcile set --percent 0.5 --usd 0.05'],
    },
  },
};
