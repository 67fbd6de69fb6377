// The egress gateway's authorities as text for sidecars. Only the certificates of the file are used, so that a private
// key in the same file never gets into a pod. The file is read again when it changes.
import { X509Certificate } from 'node:crypto';
import { certificateBlocks } from '../common/certificate-ends.ts';
import { type FileWatcher, type FileWatcherOptions, readNamed, startFileWatcher } from '../common/file-watcher.ts';

/** PEM. */
export type EgressCa = Pick<FileWatcher<string>, 'current' | 'close'>;

/** Characters; the text is an environment variable of every sidecar. */
const lengthMax = 64 * 1024;

/** @throws Error where the file cannot be read or contains no certificate */
export async function watchEgressCa(file: string, options: FileWatcherOptions): Promise<EgressCa> {
  const read = async () => textOf((await readNamed(file)).toString('latin1'), file);
  return startFileWatcher(await read(), { read, file, what: 'the file of the egress gateway’s authorities' }, options);
}

function textOf(pem: string, file: string): string {
  // Parsed and serialized again, so that the text contains nothing but certificates.
  const text = certificateBlocks(pem)
    .map((block) => parsed(block, file).toString())
    .join('');
  if (text === '') throw new Error(`the file ${file} contains no certificate in PEM`);
  if (text.length > lengthMax) {
    throw new Error(`the certificates in ${file} are longer than ${lengthMax} characters`);
  }
  return text;
}

function parsed(certificate: string, file: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (cause) {
    throw new Error(`the file ${file} contains a certificate that cannot be read`, { cause });
  }
}
