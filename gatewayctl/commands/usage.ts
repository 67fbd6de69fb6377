// Usage: sums as a table, and the export of every request.
import { open } from 'node:fs/promises';
import { isObject } from '../../common/json.ts';
import { type Given, type Invocation, type Request, type Resource, textOf, valuesOf } from '../command.ts';
import { choicesOf, enumName } from '../enum-names.ts';
import { usageMistake } from '../failure.ts';
import type { Io } from '../io.ts';
import { organizationInUse } from '../organization.ts';
import { pairOf } from '../pair.ts';
import { requireToken } from '../session.ts';
import { usageSeries } from './overview.ts';
import { periodSince, withPeriod } from './period.ts';
import { allowUnmatched } from './shared.ts';

/** Both are names of metadata in sums; a request's tag comes before its key's metadata of the same name. */
const metadataPrefix = /^(?:metadata|tag)\./;
const period = periodSince('the start of the month, UTC');

const by: Given = {
  flags: '--by <dimension>',
  about: 'a row for each',
  choices: choicesOf('UsageDimension') ?? [],
  orLike: { pattern: /^(?:metadata|tag)\.\S+$/, about: 'tag.<name> of requests, metadata.<name> of keys' },
  several: true,
};

/** Groupings that the contract names go to one field, names of metadata to another. */
function grouped(request: Request, invocation: Invocation): Request {
  const names = valuesOf(invocation, by).filter(Boolean);
  if (names.length === 0) return request;
  const [ofMetadata, others] = [true, false].map((is) => names.filter((name) => metadataPrefix.test(name) === is));
  return {
    ...request,
    groupBy: others?.map((name) => enumName('UsageDimension', name)),
    groupByMetadata: ofMetadata?.map((name) => name.replace(metadataPrefix, '')),
  };
}

const tag: Given = {
  flags: '--tag <name=value>',
  about: 'only of requests with this tag, or of keys with this metadata; repeat it for more',
  several: true,
};

/** @throws Failure */
function withTags(request: Request, invocation: Invocation): Request {
  const pairs = valuesOf(invocation, tag).map((text) => {
    const pair = pairOf(text);
    if (pair === undefined) throw usageMistake(`--tag must be name=value, not "${text}"`);
    return pair;
  });
  if (pairs.length === 0) return request;
  return {
    ...request,
    metadata: { ...(isObject(request.metadata) && request.metadata), ...Object.fromEntries(pairs) },
  };
}

const filters: readonly Given[] = [
  {
    flags: '--system <system>',
    about: 'only of this AI system; like the next four, repeat it for several',
    field: 'filter.aiSystemIds',
    singleField: 'aiSystemId',
    noun: 'system',
  },
  {
    flags: '--person <person>',
    about: 'only of this person; me is you',
    field: 'filter.personIds',
    singleField: 'personId',
    noun: 'person',
  },
  { flags: '--key <key>', about: 'only of this key', field: 'filter.keyIds', singleField: 'keyId', noun: 'key' },
  { flags: '--model <glob>', about: 'only of these models', field: 'filter.models', singleField: 'model' },
  { flags: '--provider <name>', about: 'only of this provider', field: 'filter.providers', singleField: 'provider' },
];

/** Single values go to the fields that servers of earlier versions know too. */
function single({ filter, ...request }: Request): Request {
  if (!isObject(filter)) return request;
  const moved: Request = { ...request };
  const lists: Request = {};
  for (const { field, singleField } of filters) {
    const list = field?.replace('filter.', '') ?? '';
    const values = filter[list];
    if (!Array.isArray(values)) continue;
    if (values.length === 1 && singleField !== undefined) moved[singleField] = values[0];
    else if (values.length > 0) lists[list] = values;
  }
  return Object.keys(lists).length === 0 ? moved : { ...moved, filter: lists };
}

function ordered(request: Request): Request {
  return request.top === undefined ? request : { orderBy: 'USAGE_ORDER_COST', ...request };
}

export const usage: Resource = {
  name: 'usage',
  about: 'recorded usage',
  commands: {
    totals: {
      method: 'Usage.Totals',
      about: 'sums over whole hours',
      options: [
        by,
        { flags: '--sort <sum>', about: 'the highest first; default: by what --by names', field: 'orderBy' },
        {
          flags: '--top <number>',
          about: 'only so many of the highest, by cost unless --sort names another sum',
          field: 'top',
        },
        ...period,
        ...filters,
        allowUnmatched,
        {
          flags: '--metadata <name=value>',
          about: 'only of keys that had this metadata when they were used; repeat it for more',
          field: 'metadata',
        },
        tag,
      ],
      complete: (request, invocation) =>
        withPeriod(ordered(single(withTags(grouped(request, invocation), invocation))), invocation),
      columns: {
        AT: '?at',
        'AI SYSTEM': '?aiSystemName',
        'AI SYSTEM ID': '?aiSystemId',
        PERSON: '?personName',
        'PERSON ID': '?personId',
        KEY: '?keyName',
        OF: '?keyScopeName',
        'KEY ID': '?keyId',
        PROVIDER: '?provider',
        METADATA: '?metadata',
        MODEL: '?model',
        REQUESTS: 'requests',
        FAILED: 'failedRequests',
        PROMPT: 'tokens.prompt',
        COMPLETION: 'tokens.completion',
        'COST USD': 'costUsd',
        UNPRICED: 'unpricedRequests',
        'MEAN MS': 'meanLatencyMs',
      },
      examples: [
        'usage totals --by model',
        'usage totals --by key --last yesterday --top 10',
        'usage totals --by person --last month --sort cost -o csv',
        'usage totals --by day,ai-system --last 7d',
        'usage totals --from 2026-11-01 --to 2026-12-01',
        'usage totals --by metadata.team,day --last 7d',
        'usage totals --by tag.feature --last 7d --sort cost --top 10',
        'usage totals --by tag.user --tag feature=search --last month',
      ],
    },
    series: usageSeries,
    export: {
      about: 'every request in the order of time, as CSV or JSON lines',
      options: [
        { flags: '--format <format>', about: 'default csv', choices: ['csv', 'json-lines'] },
        { flags: '--output <file>', about: 'write to this file; default: standard output' },
        ...period,
      ],
      run: exportUsage,
      examples: [
        'usage export --last 1d > usage.csv',
        'usage export --format json-lines --from 2026-11-01 --output usage.jsonl',
      ],
    },
  },
};

async function exportUsage(invocation: Invocation): Promise<void> {
  requireToken(await invocation.session());
  const format = formatOf(invocation);
  const client = await invocation.client();
  const times: Request = {};
  for (const given of period) {
    const text = textOf(invocation, given.flags);
    if (text !== undefined && given.field !== undefined) times[given.field] = given.read?.(text) ?? text;
  }
  const range = withPeriod(times, invocation);
  const request = { organizationId: await organizationInUse(invocation), ...range, format };
  const destination = await openDestination(textOf(invocation, '--output <file>'), invocation.io);
  for await (const { chunk } of client.download('Usage.Export', request)) await destination.write(chunk);
  await destination.end();
}

/** @throws Failure */
function formatOf(invocation: Invocation): 'USAGE_FORMAT_CSV' | 'USAGE_FORMAT_JSON_LINES' {
  const { form } = invocation.options;
  if (form === 'yaml' || form === 'name') throw usageMistake(`an export has no form ${form}; choose -o csv or -o json`);
  const format = textOf(invocation, '--format <format>') ?? (form === 'json' ? 'json-lines' : 'csv');
  return format === 'json-lines' ? 'USAGE_FORMAT_JSON_LINES' : 'USAGE_FORMAT_CSV';
}

interface Destination {
  write(chunk: Uint8Array): Promise<void>;
  end(): Promise<void>;
}

/** @throws Failure if the file cannot be written */
async function openDestination(file: string | undefined, io: Io): Promise<Destination> {
  if (file === undefined) return { write: (chunk) => io.out(chunk), end: async () => undefined };
  try {
    // Readable only by its owner, because it shows who called what.
    const handle = await open(file, 'w', 0o600);
    return { write: async (chunk) => void (await handle.appendFile(chunk)), end: () => handle.close() };
  } catch (error) {
    throw usageMistake(`the file cannot be written: ${error instanceof Error ? error.message : file}`);
  }
}
