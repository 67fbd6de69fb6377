// Reads certificate, key and authorities from files, again and again while the program runs, because certificates are
// renewed. Files that do not match (a pair read between two writes) are logged, and the last good ones stay in use.
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { type FileWatcher, type FileWatcherOptions, readNamed, startFileWatcher } from './file-watcher.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authorities that sign the other side's certificates. */
  readonly caFile?: string | undefined;
}

/** All in PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
}

export type TlsSource = FileWatcher<TlsMaterial>;
export type TlsOptions = FileWatcherOptions;

/** The files of a client. It may have no certificate, and its authorities may be given as text. */
export interface ClientTlsFiles {
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
  readonly caFile: string | undefined;
  /** Authorities in PEM, instead of a file. */
  readonly ca: string | undefined;
}

export type ClientTlsMaterial = { readonly [Part in keyof TlsMaterial]: Buffer | undefined };

export type ClientTlsSource = FileWatcher<ClientTlsMaterial>;

/** @throws Error that names the faulty file */
export async function watchTlsFiles(files: TlsFiles, options: TlsOptions): Promise<TlsSource> {
  const read = () => readMaterial(files);
  return startFileWatcher<TlsMaterial>(
    await read(),
    { read, isSame, file: files.certFile, what: 'the certificate' },
    options,
  );
}

/** @throws Error that names the faulty file */
export async function watchClientTlsFiles(files: ClientTlsFiles, options: TlsOptions): Promise<ClientTlsSource> {
  const read = () => readClientMaterial(files);
  const file = files.certFile ?? files.caFile ?? 'none';
  return startFileWatcher(await read(), { read, isSame, file, what: 'the certificate' }, options);
}

async function readMaterial(files: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    readNamed(files.certFile),
    readNamed(files.keyFile),
    readOptionalPem(files.caFile),
  ]);
  return checked({ cert, key, ca }, `${files.certFile} and ${files.keyFile} are not a certificate and its key in PEM`);
}

async function readClientMaterial({ certFile, keyFile, caFile, ca }: ClientTlsFiles): Promise<ClientTlsMaterial> {
  const material = {
    cert: await readOptionalPem(certFile),
    key: await readOptionalPem(keyFile),
    ca: ca === undefined ? await readOptionalPem(caFile) : Buffer.from(ca),
  };
  const files = [certFile, keyFile, caFile].filter((file) => file !== undefined);
  return checked(material, `${files.join(', ')} cannot be used: not PEM, or no pair of certificate and key`);
}

function checked<Material extends ClientTlsMaterial>(material: Material, message: string): Material {
  try {
    createSecureContext(material);
    // createSecureContext silently ignores text that is not a certificate, so it is checked here.
    if (material.ca !== undefined) new X509Certificate(material.ca);
  } catch (cause) {
    throw new Error(message, { cause });
  }
  return material;
}

async function readOptionalPem(file: string | undefined): Promise<Buffer | undefined> {
  return file === undefined ? undefined : readNamed(file);
}

function isSame(one: ClientTlsMaterial, other: ClientTlsMaterial): boolean {
  return samePart(one.cert, other.cert) && samePart(one.key, other.key) && samePart(one.ca, other.ca);
}

function samePart(one: Buffer | undefined, other: Buffer | undefined): boolean {
  return one === undefined || other === undefined ? one === other : one.equals(other);
}
