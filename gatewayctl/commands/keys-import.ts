// `gatewayctl keys create --from <file>`: a key for each row of a CSV file, in one process. Each row has a client
// request id, its own or one made of its text, so a second run creates nothing twice. A value is written to the file of
// values before the next key is created, because it is shown only once.
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { csvLine } from '../../common/csv.ts';
import { readCsv } from '../bills/csv.ts';
import { textOfFile } from '../bills/given-text.ts';
import { CallFailure } from '../call-failure.ts';
import { type Done, type Given, type Invocation, type Request, textOf } from '../command.ts';
import { explain } from '../explain.ts';
import { Failure, usageMistake } from '../failure.ts';
import { writeValue } from '../method-command.ts';
import { organizationInUse } from '../organization.ts';
import { printJson } from '../print-response.ts';
import { checkRequest } from '../request.ts';
import { printable } from '../table.ts';
import { scopes } from './keys-select.ts';
import { createWithLimits, readTemplate, type Template, template, withTemplate } from './keys-template.ts';
import { allowedModels, time } from './shared.ts';

const from: Given = {
  flags: '--from <file>',
  about: 'in place of a name, a key for each row of this CSV, - for standard input',
};
const valuesFile: Given = {
  flags: '--values-file <file>',
  about: 'with --from: the values are appended to this CSV file, which only you may read',
};

export const importOptions: readonly Given[] = [from, valuesFile];

export const importNotes = `A CSV for --from has a header with name and any of system, person, allow (several by spaces), ends_at, active,
priority_class, weight, client_request_id and metadata.<name>. A second run of the same file creates only what is missing.`;

/** The columns, as the options of a single key. */
const columns: Readonly<Record<string, Given>> = {
  name: { flags: 'name', about: '', field: 'name' },
  system: { ...scopes[0], flags: 'system', about: '' },
  person: { ...scopes[1], flags: 'person', about: '' },
  allow: { ...allowedModels, flags: 'allow' },
  ends_at: { flags: 'ends_at', about: '', field: 'endsAt', read: time },
  active: { flags: 'active', about: '', field: 'active' },
  priority_class: { flags: 'priority_class', about: '', field: 'priorityClass' },
  weight: { flags: 'weight', about: '', field: 'weight' },
  client_request_id: { flags: 'client_request_id', about: '', field: 'clientRequestId' },
};

const metadataPrefix = 'metadata.';
const requestType = 'CreateVirtualKeyRequest';

/** For `instead` of `keys create`. @throws Failure if options do not go together */
export function fromFile(invocation: Invocation): (() => Promise<Done>) | undefined {
  const [file, values] = [textOf(invocation, from.flags), textOf(invocation, valuesFile.flags)];
  if (file === undefined) {
    if (values !== undefined) throw usageMistake('--values-file goes with --from');
    return undefined;
  }
  if (values === undefined)
    throw usageMistake('--from needs --values-file: values are shown once, and not on a terminal');
  if (invocation.options.file !== undefined)
    throw usageMistake('--file is for one key; --from has rows, or --template');
  const others = [...invocation.given.keys()].filter((given) => ![from, valuesFile, template].includes(given));
  if (others.length > 0)
    throw usageMistake(`${others[0]?.flags.replace(/ .*$/, '')} is for one key; --from has a column, or --template`);
  return () => importKeys(file, values, invocation);
}

interface Row {
  readonly line: number;
  readonly request: object;
}

async function importKeys(file: string, values: string, invocation: Invocation): Promise<Done> {
  const defaults = await readDefaults(invocation);
  // Every row is read before the first key is created.
  const rows = await readRows(file, defaults, invocation);
  if (invocation.options.dryRun === true)
    return invocation.io.say(`nothing was sent; ${rows.length} keys would be created`);
  const written = await openValues(values);
  try {
    await createEach(rows, { defaults, written, invocation });
  } finally {
    await written.close();
  }
}

async function readDefaults(invocation: Invocation): Promise<Template> {
  const file = textOf(invocation, template.flags);
  if (file === undefined) return { key: {}, endsIn: undefined, limits: [] };
  const read = await readTemplate(file, invocation);
  // The end would be another one in the next run, and the same key would count as another.
  if (read.endsIn !== undefined) throw usageMistake('with --from a template has endsAt, or the CSV a column ends_at');
  return read;
}

async function readRows(file: string, defaults: Template, invocation: Invocation): Promise<readonly Row[]> {
  const organizationId = await organizationInUse(invocation);
  const rows: Row[] = [];
  let header: readonly string[] | undefined;
  let line = 0;
  for await (const record of readCsv(textOfFile(file, invocation.io))) {
    line++;
    if (header === undefined) header = checkedHeader(record);
    else
      rows.push({ line, request: await requestOfRow(header, record, { line, organizationId, defaults, invocation }) });
  }
  if (rows.length === 0) throw usageMistake('the CSV has no rows');
  return rows;
}

function checkedHeader(record: readonly string[]): readonly string[] {
  const header = record.map((cell) => cell.trim());
  const unknown = header.find((name) => !Object.hasOwn(columns, name) && !name.startsWith(metadataPrefix));
  if (unknown !== undefined)
    throw usageMistake(`the CSV has an unknown column "${printable(unknown)}"; ${importNotes}`);
  if (!header.includes('name')) throw usageMistake('the CSV has no column name');
  return header;
}

interface RowContext {
  readonly line: number;
  readonly organizationId: string;
  readonly defaults: Template;
  readonly invocation: Invocation;
}

async function requestOfRow(
  header: readonly string[],
  record: readonly string[],
  { line, organizationId, defaults, invocation }: RowContext,
): Promise<object> {
  const request: Request = { organizationId };
  const metadata: Record<string, string> = {};
  try {
    for (const [index, name] of header.entries()) {
      const cell = record[index]?.trim() ?? '';
      if (cell === '') continue;
      const given = columns[name];
      if (given === undefined) metadata[name.slice(metadataPrefix.length)] = cell;
      else {
        const value = name === 'allow' ? cell.split(/\s+/) : cell;
        await writeValue(request, given, {
          value,
          requestType,
          invocation,
          organizationId: async () => organizationId,
        });
      }
    }
    if (Object.keys(metadata).length > 0) request.metadata = { entries: metadata };
    request.scope ??= { kind: 'KEY_SCOPE_KIND_ORGANIZATION', id: organizationId };
    request.clientRequestId ??= idOfRow(header, record);
    return checkRequest(requestType, withTemplate(request, defaults), Object.values(columns));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw new Failure(error.ending === 'done' ? 'usage' : error.ending, `row ${line} of the CSV: ${error.message}`);
  }
}

/** The same for the same row of every run, wherever the row is. */
function idOfRow(header: readonly string[], record: readonly string[]): string {
  const cells = header.map((name, index) => [name, record[index]?.trim() ?? '']);
  return `csv-${createHash('sha256').update(JSON.stringify(cells)).digest('hex')}`;
}

/** @throws Failure if others may read the file */
async function openValues(file: string): Promise<FileHandle> {
  let handle: FileHandle;
  try {
    handle = await open(file, 'a', 0o600);
  } catch (error) {
    throw usageMistake(`the file cannot be written: ${error instanceof Error ? error.message : file}`);
  }
  const { mode, size } = await handle.stat();
  if ((mode & 0o077) !== 0) {
    await handle.close();
    throw usageMistake(`others may read ${file}; run: chmod 600 ${file}`);
  }
  if (size === 0) await handle.appendFile(csvLine(['name', 'id', 'value']));
  return handle;
}

interface Creating {
  readonly defaults: Template;
  readonly written: FileHandle;
  readonly invocation: Invocation;
}

async function createEach(rows: readonly Row[], creating: Creating): Promise<void> {
  const { io, options } = creating.invocation;
  const results: { line: number; id?: string; state: 'created' | 'existing' | 'failed'; problem?: string }[] = [];
  for (const { line, request } of rows) results.push({ line, ...(await createRow(request, creating)) });
  if (options.json === true) await printJson({ rows: results }, creating.invocation);
  const count = (wanted: string) => results.filter(({ state }) => state === wanted).length;
  for (const { line, problem } of results) if (problem !== undefined) io.say(`row ${line}: ${problem}`);
  const existing = count('existing') === 0 ? '' : `, ${count('existing')} existed: keys rotate gives them new values`;
  const summary = `${count('created')} keys were created${existing}`;
  if (count('failed') > 0) throw new Failure('refused', `${summary}, ${count('failed')} were not; repeat the command`);
  io.say(summary);
}

async function createRow(request: object, { defaults, written, invocation }: Creating) {
  const client = await invocation.client();
  const keep = async (name: string, id: string, value: string) => {
    await written.appendFile(csvLine([name, id, value]));
    await written.sync();
  };
  try {
    const { virtualKey, value } = await createWithLimits(client, request, defaults, keep);
    return { id: virtualKey?.id ?? '', state: value === undefined ? 'existing' : 'created' } as const;
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    const { target } = await invocation.session();
    const failure = explain(error, target, Object.values(columns));
    if (failure.ending !== 'refused') throw failure;
    return { state: 'failed', problem: failure.message } as const;
  }
}
