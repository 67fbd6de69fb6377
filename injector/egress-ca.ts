// The authorities of the egress gateway as text for sidecars: certificates and nothing else of the file, so that a key that
// stands beside them never gets into a pod. What cannot be read later on is logged, and the last good text kept.
import { X509Certificate } from 'node:crypto';
import type { Logger } from '../common/logger.ts';
import type { TlsSource } from '../common/tls.ts';

export interface EgressCa {
  /** PEM. */
  readonly current: string | undefined;
}

/** It is an environment variable of every sidecar. */
const lengthMax = 64 * 1024;

/** @throws Error where the file holds no certificate */
export function watchEgressCa(tls: TlsSource, log: Logger): EgressCa {
  let current = certificatesOf(tls.current.ca);
  tls.onChange(({ ca }) => {
    try {
      current = certificatesOf(ca);
    } catch (err) {
      log.error(
        { err },
        'the new authorities of the egress gateway cannot be used; the last good ones are kept',
      );
    }
  });
  return {
    get current() {
      return current;
    },
  };
}

function certificatesOf(pem: Buffer | undefined): string | undefined {
  if (pem === undefined) return undefined;
  const found =
    pem.toString('latin1').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  // Parsed, and written anew: nothing of the file but certificates gets out.
  const text = found.map((certificate) => parsed(certificate).toString()).join('');
  if (text === '') throw new Error('the file in GATEWAY_INJECTOR_EGRESS_CA_FILE holds no certificate in PEM');
  if (text.length > lengthMax) {
    throw new Error(
      `the certificates in GATEWAY_INJECTOR_EGRESS_CA_FILE are longer than ${lengthMax} characters`,
    );
  }
  return text;
}

function parsed(certificate: string): X509Certificate {
  try {
    return new X509Certificate(certificate);
  } catch (cause) {
    throw new Error('the file in GATEWAY_INJECTOR_EGRESS_CA_FILE holds a certificate that cannot be read', {
      cause,
    });
  }
}
