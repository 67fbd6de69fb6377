// A catalog file of an operator's, in the form of catalog/models.json. It takes the place of the shipped catalog whole, is read anew
// when it changes, and is signed where a public key is set. What cannot be used is refused, and the last good one stays.
import { type KeyObject, verify } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { errorCode } from '../common/error-code.ts';
import { type RereadOptions, reread } from '../common/file-watcher.ts';
import { parseJson } from '../common/json.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { catalogInForce, putInForce } from './in-force.ts';
import { parseCatalog } from './parse.ts';
import { shippedCatalog } from './shipped.ts';

export interface CatalogSource {
  /** Undefined: the shipped catalog stays in force. */
  readonly file: string | undefined;
  /** Ed25519. The file's signature stands beside it, in `<file>.sig`. */
  readonly publicKey?: KeyObject | undefined;
}

export interface CatalogWatch {
  /** What stands in the file now cannot be used: the last good one is in force. */
  readonly isRejected: boolean;
  /** Puts the shipped catalog in force again. */
  close(): void;
}

/** Larger than any catalog by a factor of twenty. */
export const catalogBytesMax = 8 * 1024 * 1024;

/** The catalog that a program's settings name, for as long as it runs. @throws Error that says what to do */
export async function openCatalog(
  { catalogFile: file, catalogPublicKey: publicKey }: CatalogSettings,
  log: Logger,
  lifecycle: Lifecycle,
): Promise<CatalogWatch> {
  const catalog = await watchCatalog({ file, publicKey }, { log });
  lifecycle.onClose('catalog', () => catalog.close());
  return catalog;
}

export interface CatalogSettings {
  readonly catalogFile: string | undefined;
  readonly catalogPublicKey: KeyObject | undefined;
}

/** Puts the file's catalog in force, and what it becomes. @throws Error that says what to do */
export async function watchCatalog(source: CatalogSource, options: RereadOptions): Promise<CatalogWatch> {
  const { file, publicKey } = source;
  if (file === undefined) return { isRejected: false, close: () => undefined };
  const read = catalogReader(file, publicKey);
  const first = await read();
  putInForce(first);
  const isSame = (one: Catalog, other: Catalog) => one === other || one.digest === other.digest;
  const watched = reread(first, { read, isSame, file, what: 'the catalog of models' }, options);
  watched.onChange(putInForce);
  return {
    get isRejected() {
      return watched.isFailing;
    },
    close: () => {
      watched.close();
      if (catalogInForce() === watched.current) putInForce(shippedCatalog);
    },
  };
}

/** Parses only what has changed. */
function catalogReader(file: string, publicKey: KeyObject | undefined): () => Promise<Catalog> {
  let last: { readonly bytes: Buffer; readonly catalog: Catalog } | undefined;
  return async () => {
    const bytes = await readCatalogBytes(file);
    if (publicKey !== undefined) await checkSignature(file, bytes, publicKey);
    if (last === undefined || !last.bytes.equals(bytes)) last = { bytes, catalog: catalogOf(bytes, file) };
    return last.catalog;
  };
}

/** @throws Error that names the file */
export async function readCatalogBytes(file: string): Promise<Buffer> {
  const handle = await open(file, 'r').catch((error: unknown) => {
    throw new Error(`${file} cannot be read (${errorCode(error)})`, { cause: error });
  });
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error(`${file} is no file`);
    if (stats.size > catalogBytesMax) throw new Error(`${file} is larger than 8 MiB, as no catalog is`);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

/** What a file must be to be put in force, apart from its signature. @throws Error that names the file and what is wrong with it */
export function catalogOf(bytes: Buffer, file: string): Catalog {
  const content = parseCatalog(parsedJson(bytes, file), file);
  const priced = content.models.filter(({ chat, prices }) => chat && prices !== undefined);
  // An empty list is a slip: under a budget every request would be refused.
  if (priced.length === 0) throw new Error(`${file} has no chat model with a price`);
  return createCatalog(content, file);
}

/** @throws Error that names the file, never what stands in it */
export function parsedJson(bytes: Buffer, file: string): unknown {
  const value = parseJson(bytes.toString());
  if (value === undefined) throw new Error(`${file} is no JSON`);
  return value;
}

/** @throws Error that says what to do */
export async function checkSignature(file: string, bytes: Buffer, publicKey: KeyObject): Promise<void> {
  const signatureFile = `${file}.sig`;
  const written = await readFile(signatureFile).catch((error: unknown) => {
    throw new Error(
      `${file} has no signature: ${signatureFile} cannot be read (${errorCode(error)}); sign it with \`gatewayctl catalog sign\``,
    );
  });
  if (!verify(null, bytes, publicKey, signatureBytes(written)))
    throw new Error(`${signatureFile} is no signature of ${file} by the key that is set; sign it again`);
}

const signatureLength = 64;

/** As openssl writes it, or in base64. */
function signatureBytes(written: Buffer): Buffer {
  return written.length === signatureLength ? written : Buffer.from(written.toString().trim(), 'base64');
}
