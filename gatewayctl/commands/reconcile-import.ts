// Imports bills. A document is read and summed as a whole, then sent day by day, so an unreadable document changes
// nothing.
import { Secret } from '../../common/secret.ts';
import type { ImportedDay__Output } from '../../proto/generated/gateway/v1/ImportedDay.ts';
import { anthropic, anthropicCosts, anthropicUrl, anthropicUsage } from '../bills/anthropic.ts';
import { awsBill } from '../bills/aws.ts';
import { azureBill } from '../bills/azure.ts';
import {
  type DocumentName,
  dayOption,
  daysAgo,
  daysBetween,
  documentsInContract,
  type ReadBill,
  type SummedDay,
  sumByDay,
} from '../bills/bill.ts';
import { parseDecimal, usdText } from '../bills/decimal.ts';
import { googleBill } from '../bills/google.ts';
import { type DayRange, openAi, openAiCosts, openAiUrl, openAiUsage } from '../bills/openai.ts';
import { otherBill } from '../bills/other.ts';
import { apiUrl } from '../bills/vendor-api.ts';
import { type Invocation, isGiven, textOf, valuesOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { organizationInUse } from '../organization.ts';
import { printJson } from '../print-response.ts';
import { requireToken } from '../session.ts';

interface Range {
  readonly from: string | undefined;
  readonly to: string | undefined;
}

/** A document to import, and how it is read. */
interface Source {
  readonly document: DocumentName;
  readonly bill: ReadBill;
}

const fromApis = {
  openai: ['openai-usage', 'openai-costs'],
  'openai-usage': ['openai-usage'],
  'openai-costs': ['openai-costs'],
  anthropic: ['anthropic-usage', 'anthropic-costs'],
  'anthropic-usage': ['anthropic-usage'],
  'anthropic-costs': ['anthropic-costs'],
} as const;

const fromFiles = { aws: awsBill, azure: azureBill, google: googleBill, other: otherBill } as const;

export async function importBills(invocation: Invocation): Promise<void> {
  const isTrial = isGiven(invocation, '--dry-run');
  if (!isTrial) requireToken(await invocation.session());
  const range = rangeOf(invocation);
  const sources = await sourcesOf(invocation, range);
  // Reads everything before anything is sent.
  const read: { readonly document: DocumentName; readonly days: readonly SummedDay[] }[] = [];
  for (const { document, bill } of sources) {
    const days = covering(await sumByDay(bill, range), range, document);
    for (const remark of bill.remarks()) invocation.io.say(`${document}: ${remark}`);
    read.push({ document, days });
  }
  const imported = isTrial ? read.flatMap(trial) : await send(invocation, read);
  if (invocation.options.json === true) return await printJson({ days: imported }, invocation);
  await invocation.io.out(table(imported));
  if (!isTrial) invocation.io.say('compared within moments; gatewayctl reconcile list shows the differences');
}

function rangeOf(invocation: Invocation): Range {
  const [from, to] = [textOf(invocation, '--from <day>'), textOf(invocation, '--to <day>')];
  const range = {
    from: from === undefined ? undefined : dayOption(from, '--from'),
    to: to === undefined ? undefined : dayOption(to, '--to'),
  };
  if (range.from !== undefined && range.to !== undefined && range.from > range.to)
    throw usageMistake('--from must not be later than --to');
  return range;
}

/** An export does not list days without usage, so all requested days count as covered. */
function covering(days: readonly SummedDay[], { from, to }: Range, document: DocumentName): readonly SummedDay[] {
  if (from === undefined || to === undefined || document in fromApis) return days;
  const there = new Map(days.map((day) => [day.day, day]));
  return daysBetween(from, to).map((day) => there.get(day) ?? { day, rows: [] });
}

async function sourcesOf(invocation: Invocation, range: Range): Promise<readonly Source[]> {
  const name = textOf(invocation, '<document>') ?? '';
  const files = filesOf(invocation);
  if (name in fromFiles) {
    const document = name as keyof typeof fromFiles;
    if (files.length === 0) throw usageMistake(`${name} is read from files: give --file`);
    return [{ document, bill: fromFiles[document](files, invocation.io) }];
  }
  if (files.length > 0) throw usageMistake(`${name} is read from the vendor's API: it takes no --file`);
  return await fromApi(invocation, name as keyof typeof fromApis, apiRange(range));
}

function filesOf(invocation: Invocation): readonly string[] {
  const [option] = [...invocation.given.keys()].filter(({ flags }) => flags === '--file <file>');
  return option === undefined ? [] : valuesOf(invocation, option);
}

const daysMax = 366;

function apiRange({ from, to }: Range): DayRange {
  const now = Date.now();
  const range = { from: from ?? daysAgo(7, now), to: to ?? daysAgo(1, now) };
  if (daysBetween(range.from, range.to).length > daysMax) throw usageMistake(`give at most ${daysMax} days`);
  return range;
}

async function fromApi(
  invocation: Invocation,
  name: keyof typeof fromApis,
  range: DayRange,
): Promise<readonly Source[]> {
  const isOpenAi = name.startsWith('openai');
  const url = apiUrl(textOf(invocation, '--api-url <url>') ?? (isOpenAi ? openAiUrl : anthropicUrl));
  const key = await adminKey(invocation, isOpenAi ? 'OPENAI_ADMIN_KEY' : 'ANTHROPIC_ADMIN_KEY');
  const read = {
    'openai-usage': () => openAiUsage(openAi(url, key), range),
    'openai-costs': () => openAiCosts(openAi(url, key), range),
    'anthropic-usage': () => anthropicUsage(anthropic(url, key), range),
    'anthropic-costs': () => anthropicCosts(anthropic(url, key), range),
  };
  return fromApis[name].map((document) => ({ document, bill: read[document]() }));
}

async function adminKey({ io, ...invocation }: Invocation, variable: string): Promise<Secret> {
  const file = textOf({ io, ...invocation }, '--admin-key-file <file>');
  const text =
    file !== undefined
      ? await readGiven(file, io)
      : (io.env[variable] ?? (io.interactive ? await io.askHidden('Admin key: ') : ''));
  const key = text.trim();
  if (/^[\x21-\x7e]{8,1024}$/.test(key)) return new Secret(key);
  throw usageMistake(`there is no admin key: give --admin-key-file <file>, or set ${variable}`);
}

/** Bounds for the days of one call: rows in total, and characters well below the 4 MiB of a message. */
const rowsMax = 5000;
const charactersMax = 2 * 1024 * 1024;
const daysInCallMax = 100;

interface ImportedLine {
  readonly document: DocumentName;
  readonly day: string;
  readonly rows: number;
  readonly costUsd: string;
  readonly outcome: string;
}

async function send(
  invocation: Invocation,
  read: readonly { readonly document: DocumentName; readonly days: readonly SummedDay[] }[],
): Promise<readonly ImportedLine[]> {
  const organizationId = await organizationInUse(invocation);
  const account = textOf(invocation, '--account <name>');
  const client = await invocation.client();
  const imported: ImportedLine[] = [];
  for (const { document, days } of read) {
    for (const part of partsOf(days)) {
      const response = await client.call('Reconciliation.ImportBill', {
        organizationId,
        document: documentsInContract[document],
        days: part.map(({ day, rows }) => ({ day, rows: [...rows] })),
        ...(account !== undefined && { account }),
      });
      imported.push(...response.days.map((day) => lineOf(document, day)));
    }
  }
  return imported;
}

function* partsOf(days: readonly SummedDay[]): Generator<readonly SummedDay[]> {
  let part: SummedDay[] = [];
  let [rows, characters] = [0, 0];
  for (const day of days) {
    if (day.rows.length > rowsMax)
      throw usageMistake(`${day.day} has ${day.rows.length} rows once added up, and ${rowsMax} is the most`);
    const size = JSON.stringify(day.rows).length;
    const isFull = rows + day.rows.length > rowsMax || characters + size > charactersMax;
    if (part.length > 0 && (isFull || part.length === daysInCallMax)) {
      yield part;
      part = [];
      [rows, characters] = [0, 0];
    }
    part.push(day);
    rows += day.rows.length;
    characters += size;
  }
  if (part.length > 0) yield part;
}

function lineOf(document: DocumentName, day: ImportedDay__Output): ImportedLine {
  const outcome = day.unchanged ? 'unchanged' : day.replaced ? 'replaced' : 'new';
  const twin = day.sameAsAccount;
  return {
    document,
    day: day.day,
    rows: day.rows,
    costUsd: day.costUsd ?? '-',
    outcome: twin === undefined ? outcome : `${outcome}; account ${twin} has exactly the same content: imported twice?`,
  };
}

function trial({ document, days }: { readonly document: DocumentName; readonly days: readonly SummedDay[] }) {
  return days.map(({ day, rows }): ImportedLine => {
    const costs = rows.flatMap(({ costUsd }) => parseDecimal(costUsd ?? '') ?? []);
    const costUsd = costs.length === 0 ? '-' : usdText(costs.reduce((sum, cost) => sum + cost, 0n));
    return { document, day, rows: rows.length, costUsd, outcome: 'not sent' };
  });
}

function table(lines: readonly ImportedLine[]): string {
  const header = { document: 'DOCUMENT', day: 'DAY', rows: 'ROWS', costUsd: 'COST USD', outcome: 'OUTCOME' };
  const all = [header, ...lines.map((line) => ({ ...line, rows: String(line.rows) }))];
  const width = (name: keyof typeof header) => Math.max(...all.map((line) => line[name].length));
  const [document, rows, cost] = [width('document'), width('rows'), width('costUsd')];
  return all
    .map((line) =>
      [
        line.document.padEnd(document),
        line.day.padEnd(10),
        line.rows.padStart(rows),
        line.costUsd.padStart(cost),
        line.outcome,
      ].join('  '),
    )
    .join('\n')
    .concat('\n');
}
