// Sends requests with a long text over some connections, one after another on each, until it is ended; prints the
// outcome of each. Arguments: port, virtual key, connections, characters, the repeated text, the text at the end.
import { openConnection } from '../raw-http.ts';

const [port = '', key = '', connections = '', characters = '', unit = '', end = ''] = process.argv.slice(2);
const text = unit.repeat(Math.ceil(Number(characters) / unit.length)).slice(0, Number(characters) - end.length) + end;
const body = JSON.stringify({
  model: 'gpt-provider/gpt-4o-mini',
  messages: [{ role: 'user', content: text }],
});
const head = [
  'POST /v1/chat/completions HTTP/1.1',
  'host: gateway',
  `authorization: Bearer ${key}`,
  'content-type: application/json',
  `content-length: ${Buffer.byteLength(body)}`,
];
const request = Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);

async function flood(): Promise<never> {
  for (;;) {
    const connection = await openConnection(Number(port));
    connection.send(request);
    const response = await connection.respond(30_000);
    const { error } = JSON.parse(response.body) as { error?: { code: string } };
    console.log(response.status, error?.code);
    connection.socket.destroy();
  }
}

await Promise.all(Array.from({ length: Number(connections) }, flood));
