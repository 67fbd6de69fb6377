// How programs use a key: a snippet for each SDK, with the address of the proxy.
import { useState } from 'react';
import { CodeBlock } from '../../ui/code.tsx';
import { Picker, TextInput } from '../../ui/fields.tsx';
import { Stack } from '../../ui/layout.tsx';

interface Snippet {
  readonly id: string;
  readonly name: string;
  readonly text: (url: string, key: string, model: string) => string;
}

const snippets: readonly Snippet[] = [
  {
    id: 'curl',
    name: 'curl',
    text: (url, key, model) =>
      `curl ${url}/v1/chat/completions \\\n  -H "Authorization: Bearer ${key}" \\\n  -H "Content-Type: application/json" \\\n  -d '{"model": "${model}", "messages": [{"role": "user", "content": "Hello"}]}'`,
  },
  {
    id: 'openai-python',
    name: 'OpenAI SDK, Python',
    text: (url, key, model) =>
      `from openai import OpenAI\n\nclient = OpenAI(base_url="${url}/v1", api_key="${key}")\ncompletion = client.chat.completions.create(\n    model="${model}", messages=[{"role": "user", "content": "Hello"}]\n)\nprint(completion.choices[0].message.content)`,
  },
  {
    id: 'openai-js',
    name: 'OpenAI SDK, JavaScript',
    text: (url, key, model) =>
      `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${url}/v1', apiKey: '${key}' });\nconst response = await client.responses.create({ model: '${model}', input: 'Hello' });\nconsole.log(response.output_text);`,
  },
  {
    id: 'azure-python',
    name: 'AzureOpenAI, Python',
    text: (url, key, model) =>
      `from openai import AzureOpenAI\n\nclient = AzureOpenAI(\n    azure_endpoint="${url}", api_key="${key}", api_version="2024-10-21"\n)\ncompletion = client.chat.completions.create(\n    model="${model}", messages=[{"role": "user", "content": "Hello"}]\n)`,
  },
  {
    id: 'anthropic-python',
    name: 'Anthropic SDK, Python',
    text: (url, key, model) =>
      `from anthropic import Anthropic\n\nclient = Anthropic(base_url="${url}", api_key="${key}")\nmessage = client.messages.create(\n    model="${model}", max_tokens=1000, messages=[{"role": "user", "content": "Hello"}]\n)\nprint(message.content[0].text)`,
  },
  {
    id: 'anthropic-js',
    name: 'Anthropic SDK, JavaScript',
    text: (url, key, model) =>
      `import Anthropic from '@anthropic-ai/sdk';\n\nconst client = new Anthropic({ baseURL: '${url}', apiKey: '${key}' });\nconst message = await client.messages.create({\n  model: '${model}',\n  max_tokens: 1000,\n  messages: [{ role: 'user', content: 'Hello' }],\n});`,
  },
  {
    id: 'genai-python',
    name: 'Google Gen AI SDK, Python',
    text: (url, key, model) =>
      `from google import genai\nfrom google.genai import types\n\nclient = genai.Client(\n    api_key="${key}", http_options=types.HttpOptions(base_url="${url}")\n)\nresponse = client.models.generate_content(model="${model}", contents="Hello")\nprint(response.text)`,
  },
  {
    id: 'claude-code',
    name: 'Coding agents',
    text: (url, key, model) =>
      `export MODEL_GATEWAY_KEY="${key}"\nexport MODEL_GATEWAY_URL=${url}\ngatewayctl run claude --model ${model}\ngatewayctl run codex --model ${model}`,
  },
];

const storageName = 'model-gateway-proxy-address';

function storedAddress(): string {
  try {
    return localStorage.getItem(storageName) ?? 'http://127.0.0.1:8080';
  } catch {
    return 'http://127.0.0.1:8080';
  }
}

/** @param value the key; it is in this page's memory only */
export function Snippets({ value }: { readonly value: string }) {
  const [chosen, setChosen] = useState('curl');
  const [address, setAddress] = useState(storedAddress);
  const snippet = snippets.find(({ id }) => id === chosen);
  const remember = (next: string) => {
    setAddress(next);
    try {
      localStorage.setItem(storageName, next);
    } catch {
      // The browser keeps nothing.
    }
  };
  return (
    <Stack>
      <TextInput label="Address of the proxy" type="url" value={address} onChange={remember} />
      <Picker label="Program" options={snippets} value={chosen} onChange={setChosen} />
      <CodeBlock
        label="snippet"
        text={snippet?.text(address.replace(/\/$/, ''), value, 'gpt-provider/gpt-4o-mini') ?? ''}
      />
    </Stack>
  );
}
