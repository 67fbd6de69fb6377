// An application like app.mjs, with the SDKs of two other vendors. By hand: node test/integration/sidecar/other-sdks.mjs
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';

const model = 'gpt-provider/gpt-4o-mini';
const message = await new Anthropic().messages.create({
  model,
  max_tokens: 100,
  messages: [{ role: 'user', content: 'Hello' }],
});
const generated = await new GoogleGenAI({}).models.generateContent({ model, contents: 'Hello' });

console.log(JSON.stringify({ messages: message.content[0].text, generateContent: generated.text }));
