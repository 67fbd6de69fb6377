// TLS of the connection to the control plane, with certificates that are read again when their files change.
import { getCACertificates } from 'node:tls';
import { type ChannelCredentials, credentials, experimental } from '@grpc/grpc-js';
import { readNamed } from '../../common/file-watcher.ts';
import type { Logger } from '../../common/logger.ts';
import { type TlsMaterial, type TlsSource, watchTlsFiles } from '../../common/tls.ts';

export interface ControlPlaneTlsFiles {
  /** Authorities that sign the control plane's certificate; absent: those of the system. */
  readonly caFile: string | undefined;
  /** This proxy's certificate and its key, if they are its identity. They are read again when they change. */
  readonly certFile: string | undefined;
  readonly keyFile: string | undefined;
}

export interface ControlPlaneTls {
  readonly credentials: ChannelCredentials;
  /** The current certificate, as PEM. */
  certificate(): Buffer | undefined;
  authorities(): Buffer | undefined;
  onRenewal(renewed: () => void): void;
  close(): void;
}

/** @throws Error that names the file that cannot be used */
export async function openControlPlaneTls(files: ControlPlaneTlsFiles, log: Logger): Promise<ControlPlaneTls> {
  const { caFile, certFile, keyFile } = files;
  if (certFile === undefined || keyFile === undefined) {
    const ca = caFile === undefined ? null : await readNamed(caFile);
    const fixed = { certificate: () => undefined, authorities: () => ca ?? undefined };
    return { credentials: credentials.createSsl(ca), ...fixed, onRenewal: () => {}, close: () => {} };
  }
  const source = await watchTlsFiles({ certFile, keyFile, caFile }, { log });
  const provider = new CertificateProvider(source);
  return {
    credentials: experimental.createCertificateProviderChannelCredentials(provider, provider),
    certificate: () => source.current.cert,
    authorities: () => source.current.ca,
    onRenewal: (renewed) => void source.onChange(renewed),
    close: () => source.close(),
  };
}

/** The certificates in the interface of grpc-js: each new connection uses the newest. */
class CertificateProvider implements experimental.CertificateProvider {
  readonly #source: TlsSource;
  readonly #stops = new Map<unknown, () => void>();

  constructor(source: TlsSource) {
    this.#source = source;
  }

  addCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#follow(listener, ({ ca }) => listener({ caCertificate: ca ?? systemAuthorities() }));
  }

  removeCaCertificateListener(listener: experimental.CaCertificateUpdateListener): void {
    this.#leave(listener);
  }

  addIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#follow(listener, ({ cert, key }) => listener({ certificate: cert, privateKey: key }));
  }

  removeIdentityCertificateListener(listener: experimental.IdentityCertificateUpdateListener): void {
    this.#leave(listener);
  }

  #follow(listener: unknown, apply: (material: TlsMaterial) => void): void {
    this.#stops.set(listener, this.#source.onChange(apply));
    apply(this.#source.current);
  }

  #leave(listener: unknown): void {
    this.#stops.get(listener)?.();
    this.#stops.delete(listener);
  }
}

function systemAuthorities(): Buffer {
  return Buffer.from(getCACertificates('default').join('\n'));
}
