// A certificate authority for tests, made with openssl in a temporary directory.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface TestAuthority {
  /** PEM file with the authority's certificate. */
  readonly caFile: string;
  /** Signs a certificate for servers and clients; each call writes new files. */
  issue(request: CertificateRequest): Promise<CertificateFiles>;
  remove(): void;
}

export interface CertificateRequest {
  readonly commonName: string;
  /** Subject alternative names as openssl writes them; default DNS:localhost and IP:127.0.0.1. */
  readonly names?: readonly string[];
  /** Default 1; 0 for one that has expired a second later. */
  readonly days?: number;
}

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

export async function createAuthority(commonName = 'test authority'): Promise<TestAuthority> {
  const directory = mkdtempSync(join(tmpdir(), 'gateway-tls-'));
  const file = (name: string) => join(directory, name);
  const [caFile, caKey] = [file('ca.crt'), file('ca.key')];
  const subject = ['-subj', `/CN=${commonName}`, '-days', '1'];
  await run('openssl', ['req', '-x509', ...newKey, ...subject, '-keyout', caKey, '-out', caFile]);
  let issued = 0;
  const issue = async (request: CertificateRequest): Promise<CertificateFiles> => {
    const base = file(`leaf-${++issued}`);
    const names = request.names ?? ['DNS:localhost', 'IP:127.0.0.1'];
    const extensions = [
      `subjectAltName=${names.join(',')}`,
      'basicConstraints=CA:FALSE',
      'extendedKeyUsage=serverAuth,clientAuth',
    ];
    writeFileSync(`${base}.ext`, `${extensions.join('\n')}\n`);
    const [certFile, keyFile, csr] = [`${base}.crt`, `${base}.key`, `${base}.csr`];
    await run('openssl', ['req', ...newKey, '-subj', `/CN=${request.commonName}`, '-keyout', keyFile, '-out', csr]);
    const signer = ['-CA', caFile, '-CAkey', caKey, '-CAcreateserial', '-days', String(request.days ?? 1)];
    await run('openssl', ['x509', '-req', '-in', csr, ...signer, '-extfile', `${base}.ext`, '-out', certFile]);
    return { certFile, keyFile };
  };
  return { caFile, issue, remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Puts a certificate where a program reads it, as a renewal does. */
export function install(from: CertificateFiles, to: CertificateFiles): void {
  copyFileSync(from.certFile, to.certFile);
  copyFileSync(from.keyFile, to.keyFile);
}
