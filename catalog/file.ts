// An operator's catalog file, in the form of catalog/models.json. It replaces the whole shipped catalog, is read again
// when it changes, and must be signed if a public key is set. A file that cannot be used is refused; the last good
// catalog stays in force.
import { type KeyObject, verify } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { type FileWatcherOptions, startFileWatcher } from '../common/file-watcher.ts';
import { parseJson } from '../common/json.ts';
import type { Lifecycle } from '../common/lifecycle.ts';
import type { Logger } from '../common/logger.ts';
import { errorCode } from '../common/system-errors.ts';
import { type Catalog, createCatalog } from './catalog.ts';
import { catalogInForce, putInForce, shippedCatalog } from './in-force.ts';
import { parseCatalog } from './parse.ts';

export interface CatalogSource {
  /** Undefined: the shipped catalog stays in force. */
  readonly file: string | undefined;
  /** Ed25519. The signature of the file is in `<file>.sig`. */
  readonly publicKey?: KeyObject | undefined;
}

export interface CatalogWatch {
  /** The current content of the file cannot be used; the last good catalog is in force. */
  readonly isRejected: boolean;
  /** Puts the shipped catalog back in force. */
  close(): void;
}

/** Twenty times larger than any real catalog. */
export const catalogBytesMax = 8 * 1024 * 1024;

/**
 * Opens the catalog that the settings name, for the lifetime of the program.
 * @throws Error that says how to fix the problem
 */
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

/** Puts the catalog of the file in force, now and after each change. @throws Error that says how to fix the problem */
export async function watchCatalog(source: CatalogSource, options: FileWatcherOptions): Promise<CatalogWatch> {
  const { file, publicKey } = source;
  if (file === undefined) return { isRejected: false, close: () => undefined };
  const read = catalogReader(file, publicKey);
  const first = await read();
  putInForce(first);
  const isSame = (one: Catalog, other: Catalog) => one === other || one.digest === other.digest;
  const watched = startFileWatcher(first, { read, isSame, file, what: 'the catalog of models' }, options);
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

/** Parses the file only if it has changed. */
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

/** Checks everything except the signature. @throws Error that names the file and what is wrong with it */
export function catalogOf(bytes: Buffer, file: string): Catalog {
  const content = parseCatalog(parsedJson(bytes, file), file);
  const priced = content.models.filter(({ chat, prices }) => chat && prices !== undefined);
  // A catalog without prices is a mistake: every request under a budget would be refused.
  if (priced.length === 0) throw new Error(`${file} has no chat model with a price`);
  return createCatalog(content, file);
}

/** @throws Error that names the file, never its content */
export function parsedJson(bytes: Buffer, file: string): unknown {
  const value = parseJson(bytes.toString());
  if (value === undefined) throw new Error(`${file} is no JSON`);
  return value;
}

/** @throws Error that says how to fix the problem */
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

/** Accepts the raw bytes that openssl writes, or base64. */
function signatureBytes(written: Buffer): Buffer {
  return written.length === signatureLength ? written : Buffer.from(written.toString().trim(), 'base64');
}
