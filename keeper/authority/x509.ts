// Signs certificates, which Node cannot (the only use of @peculiar/x509 in this program). Keys are ECDSA over P-256;
// all input and output is PEM.
import 'reflect-metadata';
import { createPrivateKey, randomBytes, type webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';

export interface KeyPair {
  /** PEM of the certificate. */
  readonly cert: string;
  /** PEM of its private key, PKCS#8. */
  readonly key: string;
}

export interface Span {
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  readonly notAfter: number;
}

export interface CertificateRequest extends Span {
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly addresses: readonly string[];
  readonly usage: 'server' | 'client';
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;

/** A self-signed authority that signs only end certificates. */
export async function issueAuthority(commonName: string, span: Span): Promise<KeyPair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    ...dated(span),
    name: [{ CN: [commonName] }],
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { cert: pem(certificate), key: await privatePem(keys) };
}

/** @throws Error if the authority's key is not on P-256 */
export async function issueCertificate(authority: KeyPair, request: CertificateRequest): Promise<KeyPair> {
  const signer = new X509Certificate(authority.cert);
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.create({
    ...dated(request),
    subject: [{ CN: [request.commonName] }],
    issuer: signer.subjectName,
    publicKey: keys.publicKey,
    signingKey: signingKey(authority.key),
    signingAlgorithm: algorithm,
    extensions: await leafExtensions(request, keys, signer),
  });
  return { cert: pem(certificate), key: await privatePem(keys) };
}

async function leafExtensions(
  { dnsNames, addresses, usage }: CertificateRequest,
  keys: webcrypto.CryptoKeyPair,
  signer: X509Certificate,
): Promise<Extension[]> {
  const purpose = usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
    new ExtendedKeyUsageExtension([purpose]),
    new SubjectAlternativeNameExtension([
      ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
      ...addresses.map((value) => ({ type: 'ip' as const, value })),
    ]),
    await AuthorityKeyIdentifierExtension.create(signer.publicKey),
    await SubjectKeyIdentifierExtension.create(keys.publicKey),
  ];
}

function dated({ notBefore, notAfter }: Span) {
  // 127 bits, because the first bit of a DER integer is its sign.
  const serial = randomBytes(16);
  serial.writeUInt8(serial.readUInt8(0) & 0x7f, 0);
  return {
    serialNumber: serial.toString('hex'),
    notBefore: new Date(notBefore),
    notAfter: new Date(notAfter),
  };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function signingKey(key: string): CryptoKey {
  return createPrivateKey(key).toCryptoKey(algorithm, false, ['sign']);
}

function pem(certificate: X509Certificate): string {
  return `${certificate.toString('pem').trim()}\n`;
}

async function privatePem({ privateKey }: webcrypto.CryptoKeyPair): Promise<string> {
  const der = Buffer.from(await crypto.subtle.exportKey('pkcs8', privateKey));
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();
}
