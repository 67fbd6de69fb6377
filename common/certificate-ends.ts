// Reports when the certificates of a program end. The values are read at each scrape from the certificates in use,
// because certificates are renewed while the program runs; one that is not renewed shows up before it ends. The uses of
// certificates are a fixed table.
import { X509Certificate } from 'node:crypto';

export const certificateUses = {
  server: 'shown to those who connect',
  client_authorities: 'by which callers’ certificates are checked',
  control_plane: 'shown to the control plane',
  control_plane_authorities: 'by which the control plane’s certificate is checked',
  egress: 'shown to the egress gateway',
  egress_authorities: 'by which the egress gateway’s certificate is checked',
  webhook_authorities: 'by which API servers check the injector’s certificate',
} as const;

export type CertificateUse = keyof typeof certificateUses;

export interface CertificateEnd {
  readonly use: string;
  /** Seconds since 1970. */
  readonly seconds: number;
}

/** Returns the current PEM; undefined if there is none. */
export type ReadPem = () => Buffer | string | undefined;

export interface CertificateEnds {
  /** A certificate with its chain of authorities: it ends when the first of them ends. */
  chain(use: CertificateUse, read: ReadPem): void;
  /**
   * Authorities: they end when the last of them ends, because an old authority stays in the file beside its successor.
   */
  authorities(use: CertificateUse, read: ReadPem): void;
  /** Omits certificates that are missing or cannot be read. */
  read(): readonly CertificateEnd[];
}

export function createCertificateEnds(): CertificateEnds {
  const rows: { readonly use: CertificateUse; readonly end: () => number | undefined }[] = [];
  return {
    chain: (use, read) => void rows.push({ use, end: remembered(read, Math.min) }),
    authorities: (use, read) => void rows.push({ use, end: remembered(read, Math.max) }),
    read: () =>
      rows.flatMap(({ use, end }) => {
        const seconds = end();
        return seconds === undefined ? [] : [{ use, seconds }];
      }),
  };
}

function remembered(read: ReadPem, pick: (...ends: number[]) => number): () => number | undefined {
  let last: { readonly pem: Buffer | string | undefined; readonly end: number | undefined } | undefined;
  return () => {
    const pem = read();
    if (last === undefined || last.pem !== pem) last = { pem, end: endOf(pem, pick) };
    return last.end;
  };
}

function endOf(pem: Buffer | string | undefined, pick: (...ends: number[]) => number): number | undefined {
  const ends = certificatesIn(pem?.toString('latin1') ?? '').map(({ validToDate }) => validToDate.getTime() / 1000);
  return ends.length === 0 ? undefined : pick(...ends);
}

/** The PEM of each certificate; other text around them is ignored. */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** The certificates that can be parsed. An unreadable one was already reported where it was loaded. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return certificateBlocks(pem).flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

/** Options for the prom-client gauge. It takes the registry, because each program has its own. */
export function certificateGauge<Registry>(read: CertificateEnds['read'], registers: Registry[]) {
  return {
    name: 'gateway_certificate_not_after_seconds',
    help: `When certificates end, in seconds since 1970, by use: ${Object.entries(certificateUses)
      .map(([use, about]) => `${use} (${about})`)
      .join(', ')}`,
    labelNames: ['use'],
    registers,
    collect(this: Series) {
      this.reset();
      for (const { use, seconds } of read()) this.set({ use }, seconds);
    },
  };
}

interface Series {
  reset(): void;
  set(labels: { readonly use: string }, value: number): void;
}
