// The authorities of the egress gateway as text for sidecars: certificates and nothing else of the file, so that a key that
// stands beside them never gets into a pod. Read again when the file changes.
import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '../common/certificate-ends.ts';
import { type Reread, type RereadOptions, readNamed, reread } from '../common/file-watcher.ts';

/** PEM. */
export type EgressCa = Pick<Reread<string>, 'current' | 'close'>;

/** It is an environment variable of every sidecar. */
const lengthMax = 64 * 1024;

/** @throws Error where the file cannot be read, or holds no certificate */
export async function watchEgressCa(file: string, options: RereadOptions): Promise<EgressCa> {
  const read = async () => textOf((await readNamed(file)).toString('latin1'), file);
  return reread(await read(), { read, file, what: 'the file of the egress gateway’s authorities' }, options);
}

function textOf(pem: string, file: string): string {
  // Parsed, and written anew: nothing of the file but certificates gets out.
  const text = certificateBlocks(pem)
    .map((block) => parsed(block, file).toString())
    .join('');
  if (text === '') throw new Error(`the file ${file} holds no certificate in PEM`);
  if (text.length > lengthMax) {
    throw new Error(`the certificates in ${file} are longer than ${lengthMax} characters`);
  }
  return text;
}

function parsed(certificate: string, file: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`the file ${file} holds a certificate that cannot be read`, { cause });
  }
}
