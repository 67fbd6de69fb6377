// Usage: sums as a table, and the export of every request.
import { open } from 'node:fs/promises';
import { type Given, type Invocation, type Request, type Resource, textOf, valuesOf } from '../command.ts';
import { choicesOf, enumName } from '../enum-names.ts';
import { usageMistake } from '../failure.ts';
import type { Io } from '../io.ts';
import { organizationInUse } from '../organization.ts';
import { requireToken } from '../session.ts';
import { allowUnmatched, time, untilNow } from './shared.ts';

const period: readonly Given[] = [
  {
    flags: '--from <time>',
    about: 'a date or RFC 3339; default: the start of the month, UTC',
    field: 'from',
    read: time,
  },
  {
    flags: '--last <duration>',
    about: 'instead of --from: so long until now, such as 7d',
    field: 'from',
    read: untilNow,
  },
  { flags: '--to <time>', about: 'exclusive; default: now', field: 'to', read: time },
];

const metadataPrefix = 'metadata.';

const by: Given = {
  flags: '--by <dimension>',
  about: 'a row for each',
  choices: choicesOf('UsageDimension') ?? [],
  orLike: { pattern: /^metadata\.\S+$/, about: 'metadata.<name> of keys' },
  several: true,
};

/** Groupings that the contract names go to one field, names of metadata to another. */
function grouped(request: Request, invocation: Invocation): Request {
  const names = valuesOf(invocation, by).filter(Boolean);
  if (names.length === 0) return request;
  const [ofMetadata, others] = [true, false].map((is) =>
    names.filter((name) => name.startsWith(metadataPrefix) === is),
  );
  return {
    ...request,
    groupBy: others?.map((name) => enumName('UsageDimension', name)),
    groupByMetadata: ofMetadata?.map((name) => name.slice(metadataPrefix.length)),
  };
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
        ...period,
        { flags: '--system <system>', about: 'only of this AI system', field: 'aiSystemId', noun: 'system' },
        {
          flags: '--person <person>',
          about: 'only of this person; me is you',
          field: 'personId',
          noun: 'person',
        },
        { flags: '--key <key>', about: 'only of this key', field: 'keyId', noun: 'key' },
        { flags: '--model <glob>', about: 'only of these models', field: 'model' },
        allowUnmatched,
        { flags: '--provider <name>', about: 'only of this provider', field: 'provider' },
        {
          flags: '--metadata <name=value>',
          about: 'only of keys that had this metadata when they were used; repeat it for more',
          field: 'metadata',
        },
      ],
      complete: grouped,
      columns: {
        AT: '?at',
        'AI SYSTEM': '?aiSystemId',
        PERSON: '?personId',
        KEY: '?keyId',
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
        'usage totals --by day,ai-system --last 7d',
        'usage totals --from 2026-11-01 --to 2026-12-01',
        'usage totals --by metadata.team,day --last 7d',
      ],
    },
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
  const from = [textOf(invocation, '--from <time>'), textOf(invocation, '--last <duration>')];
  if (from.every((text) => text !== undefined)) throw usageMistake('--last excludes --from; keep one of them');
  const client = await invocation.client();
  const [start, last] = from;
  const end = textOf(invocation, '--to <time>');
  const request = {
    organizationId: await organizationInUse(invocation),
    ...(start !== undefined && { from: time(start) }),
    ...(last !== undefined && { from: readDuration(last) }),
    ...(end !== undefined && { to: time(end) }),
    format: textOf(invocation, '--format <format>') === 'json-lines' ? 'USAGE_FORMAT_JSON_LINES' : 'USAGE_FORMAT_CSV',
  };
  const destination = await openDestination(textOf(invocation, '--output <file>'), invocation.io);
  for await (const { chunk } of client.download('Usage.Export', request)) await destination.write(chunk);
  await destination.end();
}

function readDuration(text: string): string {
  try {
    return untilNow(text);
  } catch (error) {
    throw usageMistake(`--last ${error instanceof Error ? error.message : ''}`);
  }
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
