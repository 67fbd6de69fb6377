// The certificates of a chaos run, in files that programs watch. Each can expire and be renewed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Forwarder } from '../support/black-hole.ts';
import { until } from '../support/process.ts';
import { type CertificateFiles, createAuthority, install } from '../support/tls.ts';
import type { Program } from './ledger.programs.ts';
import type { Seat } from './seats.ts';

export interface Certificate extends CertificateFiles {
  expire(): void;
  renew(): void;
}

export interface Authority {
  readonly caFile: string;
  /** Issues a certificate for clients and servers at loopback. @param name of DNS, and its common name */
  issue(name: string): Promise<Certificate>;
}

export async function openAuthority(commonName: string, closers: (() => unknown)[]): Promise<Authority> {
  const authority = await createAuthority(commonName);
  const directory = mkdtempSync(join(tmpdir(), 'gateway-chaos-certificates-'));
  closers.push(
    () => authority.remove(),
    () => rmSync(directory, { recursive: true, force: true }),
  );
  let issued = 0;
  return {
    caFile: authority.caFile,
    issue: async (name) => {
      const request = { commonName: name, names: [`DNS:${name}`, 'IP:127.0.0.1'] };
      const valid = await authority.issue(request);
      const expired = await authority.issue({ ...request, days: 0 });
      const base = join(directory, `${++issued}`);
      const files = { certFile: `${base}.crt`, keyFile: `${base}.key` };
      install(valid, files);
      return { ...files, expire: () => install(expired, files), renew: () => install(valid, files) };
    },
  };
}

export interface CertificateOf {
  readonly program: Program;
  readonly certificate: Certificate;
  /** Between the program and those who check its certificate. */
  readonly links: readonly Forwarder[];
  /** How many parts of the program watch the files. Default 1. */
  readonly readers?: number;
}

/** Programs look at their files every two seconds. One that was killed meanwhile reads them when it starts. */
const noticeMs = 5_000;

/** The certificate has expired for every new connection. Open connections would stay, so they are reset. */
export function certificateSeat({ program, certificate, links, readers = 1 }: CertificateOf): Seat {
  const noticed = async (change: () => void) => {
    const before = program.timesLogged(readAnew);
    // A pair that is read between two writes is read again.
    change();
    const isRead = () => program.timesLogged(readAnew) >= before + readers;
    await Promise.race([until(isRead, { timeoutMs: 2 * noticeMs }).catch(() => undefined), sleep(noticeMs)]);
  };
  return {
    expire: async () => {
      await noticed(() => certificate.expire());
      for (const link of links) link.reset();
      return () => noticed(() => certificate.renew());
    },
  };
}

const readAnew = 'the certificate was read anew';
