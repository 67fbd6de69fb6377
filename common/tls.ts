// Certificate, key and authorities from files, read again while the program runs: certificates are renewed under it. What
// does not fit together (a pair caught between two writes) is logged and the last good one kept.
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import type { Logger } from './logger.ts';
import { systemTimers, type Timers } from './timers.ts';

export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Authorities that sign the other side's certificates. */
  readonly caFile?: string | undefined;
}

/** PEM. */
export interface TlsMaterial {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly ca: Buffer | undefined;
}

export interface TlsSource {
  readonly current: TlsMaterial;
  /** Called with each new material. @returns what ends it */
  onChange(listener: (material: TlsMaterial) => void): () => void;
  close(): void;
}

export interface TlsOptions {
  readonly log: Logger;
  /** How often the files are read. */
  readonly everyMs?: number;
  readonly timers?: Timers;
}

/** Small files of the kernel's cache. */
const defaultEveryMs = 2000;

/** @throws Error that names the file at fault */
export async function watchTlsFiles(files: TlsFiles, options: TlsOptions): Promise<TlsSource> {
  const timers = options.timers ?? systemTimers;
  const everyMs = options.everyMs ?? defaultEveryMs;
  const listeners = new Set<(material: TlsMaterial) => void>();
  let current = await readMaterial(files);
  let complained = false;
  let closed = false;

  const look = async () => {
    try {
      const next = await readMaterial(files);
      complained = false;
      if (closed || isSame(current, next)) return;
      current = next;
      options.log.info({ file: files.certFile }, 'the certificate was read anew');
      for (const listener of listeners) listener(next);
    } catch (err) {
      if (!complained)
        options.log.error({ err }, 'the new certificate cannot be used; the last good one is kept');
      complained = true;
    }
  };
  let cancel = timers.after(everyMs, again);
  function again() {
    void look().then(() => {
      if (!closed) cancel = timers.after(everyMs, again);
    });
  }

  return {
    get current() {
      return current;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => {
      closed = true;
      cancel();
    },
  };
}

async function readMaterial(files: TlsFiles): Promise<TlsMaterial> {
  const [cert, key, ca] = await Promise.all([
    readPem(files.certFile),
    readPem(files.keyFile),
    files.caFile === undefined ? undefined : readPem(files.caFile),
  ]);
  try {
    createSecureContext({ cert, key, ca });
  } catch (cause) {
    throw new Error(`${files.certFile} and ${files.keyFile} are not a certificate and its key in PEM`, {
      cause,
    });
  }
  return { cert, key, ca };
}

async function readPem(file: string): Promise<Buffer> {
  try {
    return await readFile(file);
  } catch (cause) {
    throw new Error(`the file ${file} cannot be read`, { cause });
  }
}

function isSame(a: TlsMaterial, b: TlsMaterial): boolean {
  const sameCa = a.ca === undefined || b.ca === undefined ? a.ca === b.ca : a.ca.equals(b.ca);
  return a.cert.equals(b.cert) && a.key.equals(b.key) && sameCa;
}
