// The request of the playground as code. The key is never in it: programs read it from the environment.
import { useState } from 'react';
import { CodeBlock } from '../../ui/code.tsx';
import { Picker } from '../../ui/fields.tsx';
import { Panel } from '../../ui/layout.tsx';
import type { CallFormat, Prompt } from './formats.ts';

export interface CodeProps {
  readonly url: string;
  readonly format: CallFormat;
  readonly prompt: Prompt;
}

type Write = (props: CodeProps) => string;

const python = (value: unknown) => JSON.stringify(value);

function curl({ url, format, prompt }: CodeProps): string {
  const headers = Object.entries({ ...format.headers('$MODEL_GATEWAY_KEY'), 'content-type': 'application/json' });
  const lines = headers.map(([name, value]) => `  -H "${name}: ${value}" \\`);
  const body = JSON.stringify(format.body(prompt), null, 2).replaceAll("'", `'\\''`);
  return [`curl "${url}${format.path(prompt)}" \\`, ...lines, `  -d '${body}'`].join('\n');
}

/** The arguments of a call in Python: the fields of the body. */
function argumentsOf({ format, prompt }: CodeProps): string {
  return Object.entries(format.body(prompt))
    .map(([name, value]) => `    ${name}=${value === true ? 'True' : python(value)},`)
    .join('\n');
}

const bodyText = ({ format, prompt }: CodeProps) => JSON.stringify(format.body(prompt), null, 2);

/** Two ways for each format: its SDKs. */
const sdks: Readonly<Record<string, { readonly python: Write; readonly javascript: Write }>> = {
  chat: {
    python: (props) =>
      `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${props.url}/v1", api_key=os.environ["MODEL_GATEWAY_KEY"])\nresult = client.chat.completions.create(\n${argumentsOf(props)}\n)`,
    javascript: (props) =>
      `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${props.url}/v1', apiKey: process.env.MODEL_GATEWAY_KEY });\nconst result = await client.chat.completions.create(${bodyText(props)});`,
  },
  messages: {
    python: (props) =>
      `import os\nfrom anthropic import Anthropic\n\nclient = Anthropic(base_url="${props.url}", api_key=os.environ["MODEL_GATEWAY_KEY"])\nmessage = client.messages.create(\n${argumentsOf(props)}\n)`,
    javascript: (props) =>
      `import Anthropic from '@anthropic-ai/sdk';\n\nconst client = new Anthropic({ baseURL: '${props.url}', apiKey: process.env.MODEL_GATEWAY_KEY });\nconst message = await client.messages.create(${bodyText(props)});`,
  },
  responses: {
    python: (props) =>
      `import os\nfrom openai import OpenAI\n\nclient = OpenAI(base_url="${props.url}/v1", api_key=os.environ["MODEL_GATEWAY_KEY"])\nresponse = client.responses.create(\n${argumentsOf(props)}\n)`,
    javascript: (props) =>
      `import OpenAI from 'openai';\n\nconst client = new OpenAI({ baseURL: '${props.url}/v1', apiKey: process.env.MODEL_GATEWAY_KEY });\nconst response = await client.responses.create(${bodyText(props)});`,
  },
  'generate-content': {
    python: ({ url, prompt }) =>
      `import os\nfrom google import genai\nfrom google.genai import types\n\nclient = genai.Client(\n    api_key=os.environ["MODEL_GATEWAY_KEY"], http_options=types.HttpOptions(base_url="${url}")\n)\nresponse = client.models.${prompt.isStreamed ? 'generate_content_stream' : 'generate_content'}(\n    model=${python(prompt.model)},\n    contents=${python(prompt.text)},\n    config=types.GenerateContentConfig(\n        max_output_tokens=${prompt.tokensMax},${prompt.system === '' ? '' : `\n        system_instruction=${python(prompt.system)},`}\n    ),\n)`,
    javascript: ({ url, prompt }) =>
      `import { GoogleGenAI } from '@google/genai';\n\nconst client = new GoogleGenAI({ apiKey: process.env.MODEL_GATEWAY_KEY, httpOptions: { baseUrl: '${url}' } });\nconst response = await client.models.${prompt.isStreamed ? 'generateContentStream' : 'generateContent'}(${JSON.stringify(
        {
          model: prompt.model,
          contents: prompt.text,
          config: {
            maxOutputTokens: prompt.tokensMax,
            ...(prompt.system === '' ? {} : { systemInstruction: prompt.system }),
          },
        },
        null,
        2,
      )});`,
  },
  converse: {
    python: (props) =>
      `# AWS_BEARER_TOKEN_BEDROCK is the virtual key.\nimport boto3\n\nclient = boto3.client("bedrock-runtime", endpoint_url="${props.url}", region_name="us-east-1")\nresponse = client.converse(\n    modelId=${python(props.prompt.model)},\n${argumentsOf(props)}\n)`,
    javascript: (props) =>
      `// AWS_BEARER_TOKEN_BEDROCK is the virtual key.\nimport { BedrockRuntime } from '@aws-sdk/client-bedrock-runtime';\n\nconst client = new BedrockRuntime({ endpoint: '${props.url}', region: 'us-east-1' });\nconst response = await client.converse(${JSON.stringify({ modelId: props.prompt.model, ...props.format.body(props.prompt) }, null, 2)});`,
  },
};

const languages = [
  { id: 'curl', name: 'curl' },
  { id: 'python', name: 'SDK, Python' },
  { id: 'javascript', name: 'SDK, JavaScript' },
] as const;

export function Code(props: CodeProps) {
  const [chosen, setChosen] = useState('curl');
  const language = languages.find(({ id }) => id === chosen)?.id ?? 'curl';
  const write = language === 'curl' ? curl : sdks[props.format.id]?.[language];
  return (
    <Panel
      title="As code"
      actions={<Picker label="Program" isCompact options={languages} value={language} onChange={setChosen} />}
    >
      <CodeBlock label="request as code" text={write?.(props) ?? ''} />
    </Panel>
  );
}
