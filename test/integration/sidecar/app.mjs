// An application like any: it knows of no gateway, and has only what its environment says. By hand: node test/integration/sidecar/app.mjs
import OpenAI from 'openai';

const client = new OpenAI();
const request = {
  model: 'gpt-provider/gpt-4o-mini',
  messages: [{ role: 'user', content: 'Hello' }],
};

const whole = await client.chat.completions.create(request);

const pieces = [];
for await (const chunk of await client.chat.completions.create({ ...request, stream: true })) {
  pieces.push(chunk.choices[0]?.delta.content ?? '');
}

console.log(JSON.stringify({ whole: whole.choices[0].message.content, pieces }));
