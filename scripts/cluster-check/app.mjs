// An application that was not written for this gateway: it always listens on 8080, and calls the base URL of its SDK.
// To run it by hand: node scripts/cluster-check/app.mjs
import { createServer } from 'node:http';
import OpenAI from 'openai';

const client = new OpenAI();

createServer(async (_request, response) => {
  try {
    const completion = await client.chat.completions.create({
      model: 'gpt-provider/gpt-4o-mini',
      messages: [{ role: 'user', content: 'Hello' }],
    });
    response.end(completion.choices[0].message.content);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
}).listen(8080, '0.0.0.0', () => console.log('"msg":"app listens"'));
