// Sends 32 MiB bodies of a repeated pattern, one after another, until it is ended; prints the outcome of each.
// Arguments: port, virtual key, pattern.
import { openConnection } from './raw-http.ts';

const [port = '', key = '', pattern = ''] = process.argv.slice(2);
const body = Buffer.alloc(32 * 1024 * 1024, pattern);
const head = [
  'POST /v1/chat/completions HTTP/1.1',
  'host: gateway',
  `authorization: Bearer ${key}`,
  'content-type: application/json',
  `content-length: ${body.length}`,
];
for (;;) {
  const connection = await openConnection(Number(port));
  connection.send(`${head.join('\r\n')}\r\n\r\n`);
  connection.send(body);
  const response = await connection.respond(30_000);
  const { error } = JSON.parse(response.body) as { error: { code: string } };
  console.log(response.status, error.code);
  connection.socket.destroy();
}
