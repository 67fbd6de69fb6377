// When the certificates that a program uses end, read at each scrape from what it holds just then: certificates are renewed under
// it, and one that nobody renews is seen before it ends. What a program uses one for comes from a fixed table.
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
  /** Since 1970. */
  readonly seconds: number;
}

/** PEM as it is now; undefined: there is none. */
export type ReadPem = () => Buffer | string | undefined;

export interface CertificateEnds {
  /** A certificate with what leads to its authority: ends when the first of them does. */
  chain(use: CertificateUse, read: ReadPem): void;
  /** Authorities: end when the last of them does, since one that is on its way out stays beside the next. */
  authorities(use: CertificateUse, read: ReadPem): void;
  /** Without those that are not there, or cannot be read. */
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
  const ends = certificatesIn(pem?.toString('latin1') ?? '').map(
    ({ validToDate }) => validToDate.getTime() / 1000,
  );
  return ends.length === 0 ? undefined : pick(...ends);
}

/** PEM of each certificate, whatever else stands around them. */
export function certificateBlocks(pem: string): readonly string[] {
  return pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
}

/** Those that can be read: what does not fit was complained about where it was read. */
export function certificatesIn(pem: string): readonly X509Certificate[] {
  return certificateBlocks(pem).flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

/** What prom-client takes for the gauge of them: each program has a registry of its own. */
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
