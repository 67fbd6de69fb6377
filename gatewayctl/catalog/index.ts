// `gatewayctl catalog …`: works on files only and calls no server.
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Catalog } from '../../catalog/catalog.ts';
import { catalogOf, checkSignature, readCatalogBytes } from '../../catalog/file.ts';
import { type Change, type Figures, type Update, updateCatalog } from '../../catalog/update.ts';
import { catalogText } from '../../catalog/write.ts';
import { errorCode } from '../../common/system-errors.ts';
import { Failure, usageMistake } from '../failure.ts';
import type { Io } from '../io.ts';
import { printStructured } from '../output.ts';
import type { OutputForm } from '../output-form.ts';
import { printable } from '../table.ts';
import { type ListOptions, orMistake, readCatalog, readFigures } from './figures.ts';

export interface DiffRequest extends ListOptions {
  /** The file with the new prices. */
  readonly from: string;
  /** The catalog to compare with; undefined: the shipped one. */
  readonly catalog: string | undefined;
  readonly form: OutputForm;
}

export interface UpdateRequest extends DiffRequest {
  readonly out: string;
  /** Models whose alarms are accepted, or "all". */
  readonly accept: readonly string[];
}

/** @throws Failure */
export async function diffCatalogs(request: DiffRequest, io: Io): Promise<Update> {
  const figures = await readFigures(request.from, request);
  const update = updateCatalog(await readCatalog(request.catalog), figures, fromList);
  await show(update, figures, request.form, io);
  return update;
}

/** Prices from such a list may be replaced by a newer one; all others were set by hand. */
function fromList(source: string | undefined): boolean {
  return source === undefined || source.startsWith('litellm-');
}

async function show(update: Update, { asOf, isWhole }: Figures, form: OutputForm, io: Io): Promise<void> {
  const { changes, kept, missing } = update;
  if (form !== 'table') await printStructured({ asOf, changes, kept, missing }, { io, form });
  else if (changes.length > 0) await io.out(changesText(changes));
  io.say(summary(update, isWhole));
}

/** Shows the changes, then writes all of them or none. @throws Failure */
export async function updateFile(request: UpdateRequest, io: Io): Promise<void> {
  const { accept, out } = request;
  const { content, changes } = await diffCatalogs(request, io);
  const open = changes.filter(
    ({ alarm, model }) => alarm !== undefined && !accept.includes('all') && !accept.includes(model),
  );
  if (open.length > 0) throw refusal(open);
  const text = catalogText(content);
  // Checks that the written catalog can be put in force.
  await orMistake(() => catalogOf(Buffer.from(text), out));
  writeWhole(out, text);
  io.say(`${out} is the catalog of ${content.asOf} now; where it is signed, sign it anew: gatewayctl catalog sign`);
}

function refusal(open: readonly Change[]): Failure {
  const models = [...new Set(open.map(({ model }) => model))];
  return new Failure(
    'refused',
    `nothing was written: check ${models.join(', ')}, and accept correct changes with --accept <model>, or --accept all`,
  );
}

/** A concurrent reader gets either the old file or the new one. */
function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    throw usageMistake(`${file} cannot be written (${errorCode(error)})`);
  }
}

/**
 * @param keyFile PEM of an Ed25519 private key
 * @throws Failure
 */
export async function signFile(file: string, keyFile: string, io: Io): Promise<void> {
  const key = keyOf(await readPem(keyFile), keyFile, createPrivateKey);
  // Only a valid catalog is signed, so that a mistake shows here and not when the proxies refuse the file.
  const { bytes } = await readUsable(file);
  writeWhole(`${file}.sig`, `${sign(null, bytes, key).toString('base64')}\n`);
  io.say(`${file}.sig is the signature of ${file}; the public key, for GATEWAY_CATALOG_PUBLIC_KEY:`);
  await io.out(`${createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64')}\n`);
}

/**
 * @param keyFile PEM of an Ed25519 public key; undefined: the signature is not checked
 * @throws Failure
 */
export async function verifyFile(file: string, keyFile: string | undefined, io: Io): Promise<void> {
  const { bytes, catalog } = await readUsable(file);
  const { asOf, digest, models } = catalog;
  if (keyFile !== undefined) {
    const key = keyOf(await readPem(keyFile), keyFile, createPublicKey);
    await checkSignature(file, bytes, key).catch((error: unknown) => {
      throw new Failure('refused', error instanceof Error ? error.message : String(error));
    });
  }
  const priced = models.filter(({ chat, prices }) => chat && prices !== undefined).length;
  await io.out(`as of     ${asOf}\ndigest    ${digest}\nmodels    ${models.length}\nwith prices ${priced}\n`);
}

/** Reads the file only once, so that the checked bytes cannot change meanwhile. @throws Failure */
async function readUsable(file: string): Promise<{ readonly bytes: Buffer; readonly catalog: Catalog }> {
  return await orMistake(async () => {
    const bytes = await readCatalogBytes(file);
    return { bytes, catalog: catalogOf(bytes, file) };
  });
}

async function readPem(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error: unknown) => {
    throw usageMistake(`${file} cannot be read (${errorCode(error)})`);
  });
}

function keyOf(pem: string, file: string, read: (pem: string) => KeyObject): KeyObject {
  try {
    const key = read(pem);
    if (key.asymmetricKeyType === 'ed25519') return key;
  } catch {
    // Reported below without the content of the file.
  }
  throw usageMistake(`${file} contains no Ed25519 key in PEM; openssl genpkey -algorithm ed25519 makes one`);
}

const nothing = '-';
const headers = ['MODEL', 'WHAT', 'BEFORE', 'AFTER', ''];

/** The changes of an update, for people to review before they accept it. */
function changesText(changes: readonly Change[]): string {
  const rows = [headers, ...changes.map(cells)];
  const widths = headers.map((_header, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}

function cells({ model, what, before = nothing, after = nothing, alarm }: Change): readonly string[] {
  return [model, what, before, after, alarm === undefined ? '' : `! ${alarm}`].map(printable);
}

function summary({ changes, kept, missing }: Update, isWhole: boolean): string {
  const models = new Set(changes.map(({ model }) => model)).size;
  const added = changes.filter(({ what }) => what === 'added').length;
  const alarms = changes.filter(({ alarm }) => alarm !== undefined).length;
  return [
    `${counted(changes.length, 'change')} of ${counted(models, 'model')}, ${added} of them new`,
    ...(alarms > 0 ? [`${counted(alarms, 'change')} to look at first, marked with !`] : []),
    ...(kept.length > 0 ? [`as decided by hand stay ${kept.join(', ')}`] : []),
    ...(missing.length > 0 && !isWhole
      ? [`${counted(missing.length, 'model')} of the catalog are not in it, and stay`]
      : []),
  ].join('\n');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
