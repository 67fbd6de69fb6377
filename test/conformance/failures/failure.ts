// A row of the table of failures: what a vendor sends with the first provider key, and what the caller's SDK then reads
// without a second key, and with one.
import type { Behaviour } from '../../../simulator/index.ts';

export type Form = 'whole' | 'streamed';

export interface Failure {
  readonly name: string;
  /** Where the vendor's response is from. */
  readonly source: string;
  readonly sends: Behaviour;
  /** Default: both. */
  readonly form?: Form;
  /** Without a second key, and with one that does not get the request. Undefined: a response. */
  readonly shown: Shown | undefined;
  /** Whether the second key gets the request. */
  readonly next: boolean;
  /** The first key gets the request once more if there is no second one, and then responds. */
  readonly again?: true;
}

export interface Shown {
  /** The name of the SDK's error. */
  readonly error: string;
  /** Undefined: an error inside of a stream. */
  readonly status: number | undefined;
  /** A part of the vendor's message. */
  readonly message?: string;
  /** Seconds. */
  readonly retryAfter?: string;
  /** If the vendor did not see them all. */
  readonly attempts?: string;
  /** What the vendor's message contains, and callers must not read. */
  readonly hides?: string;
}

export const byNext = { next: true } as const;
export const byNobody = { next: false } as const;

/** A response of this status with a JSON body. */
export function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return { status, body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } };
}

/** A stream of these events and no more, whatever the vendor would send. */
export function events(...blocks: readonly string[]): Behaviour {
  return { body: blocks.map((block) => `${block}\n\n`).join(''), headers: { 'content-type': 'text/event-stream' } };
}

/** A page of the network in front of a vendor (nginx's own page of status 502). */
export const badGatewayPage: Behaviour = {
  rawBase64: Buffer.from(
    'HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n',
  ).toString('base64'),
};
