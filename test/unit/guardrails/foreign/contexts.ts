// Eight contexts of a value. None of them indicates that the value is secret. `§` is replaced by the value.
export const contexts: Readonly<Record<string, string>> = {
  prose: 'Here is the one for staging: § — please do not share it.',
  json: '{"user":"x","value":"§","limit":5}',
  env: 'REGION=eu-west-1\nSTAGING_VALUE=§\nDEBUG=1\n',
  url: 'https://api.example.com/v1/items?page=2&value=§&limit=5',
  header: 'GET /v1/items HTTP/1.1\r\nHost: api.example.com\r\nX-Value: §\r\nAccept: */*\r\n',
  code: "const client = new Client('§', { retries: 3 });",
  log: '2031-04-05T06:07:08Z ERROR upstream refused § (attempt 3 of 5)',
  table: '| staging | § | eu-west-1 |\n| live | (none) | us-east-1 |',
};

export interface Placed {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export function placed(context: string, value: string): Placed {
  const start = context.indexOf('§');
  return { text: context.replace('§', () => value), start, end: start + value.length };
}
