// Why an exchange on a connection failed. Errors of sockets and of TLS are passed on as they are.

/** The other end broke the rules of HTTP/1.1, or of this engine, which are stricter. Its connection is closed. */
export class ProtocolError extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'ProtocolError';
  }
}

/** The connection ended before the response was complete. */
export class ClosedError extends Error {
  constructor() {
    super('the connection ended before the response was complete');
    this.name = 'ClosedError';
  }
}

/** The connection was not open in time. */
export class ConnectTimeoutError extends Error {
  constructor() {
    super('the connection was not open in time');
    this.name = 'ConnectTimeoutError';
  }
}
