// `gatewayctl chat`: one prompt through the gateway, with a virtual key.
import { chatStreamed, chatWhole } from '../chat.ts';
import { keyVariable } from '../clients/index.ts';
import { type Command, type Given, type Invocation, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { printJson } from '../print-response.ts';
import { timeoutMs } from '../session.ts';
import { virtualKeyAt } from '../virtual-key.ts';
import { gatewayUrl, givenUrl } from './run.ts';

const prompt: Given = { flags: '<prompt>', about: 'the text to send, - for standard input' };
const key: Given = {
  flags: '--key <where>',
  about: `where the virtual key is, never the key: a file, or env:NAME; default env:${keyVariable}`,
};
const model: Given = { flags: '--model <model>', about: 'the model, as the gateway calls it', required: true };
const system: Given = { flags: '--system-prompt <text>', about: 'instructions before the prompt' };
const maxTokens: Given = { flags: '--max-tokens <number>', about: 'how long the response may be' };

export const chat: Command = {
  about: 'send one prompt through the gateway and print the response as it arrives',
  arguments: [prompt],
  options: [model, key, gatewayUrl, system, maxTokens],
  run: send,
  notes: '-o json prints the whole response. --timeout is that of the whole request here; default 10m.',
  examples: [
    'chat "Say hello" --model gpt-provider/gpt-4o-mini',
    'chat "Say hello" --model fast --key ./checkout-key --url https://gateway.example.com',
    'chat - --model gpt-provider/gpt-4o-mini --key env:CHECKOUT_KEY -o json < question.txt',
  ],
};

async function send(invocation: Invocation): Promise<void> {
  const { io, options } = invocation;
  const where = textOf(invocation, key.flags) ?? `env:${keyVariable}`;
  const given = textOf(invocation, prompt.flags) ?? '';
  if (given === '-' && where === '-') throw usageMistake('the prompt and the key cannot both be standard input');
  const instructions = textOf(invocation, system.flags);
  const request = {
    url: givenUrl(invocation),
    key: await virtualKeyAt(where, io),
    timeoutMs: timeoutMs(options.timeout, '10m'),
    body: {
      model: textOf(invocation, model.flags),
      messages: [
        ...(instructions === undefined ? [] : [{ role: 'system', content: instructions }]),
        { role: 'user', content: given === '-' ? await io.input() : given },
      ],
      ...readMaxTokens(textOf(invocation, maxTokens.flags)),
    },
  };
  if (options.json) return await printJson(await chatWhole(request), invocation);
  await chatStreamed(request, io);
}

function readMaxTokens(text: string | undefined): { readonly max_completion_tokens?: number } {
  if (text === undefined) return {};
  if (!/^[1-9]\d{0,6}$/.test(text)) throw usageMistake('--max-tokens must be a whole number from 1');
  return { max_completion_tokens: Number(text) };
}
