// The vendors' SDKs. They read address and key from the environment, so a program needs no change but the model's name.
// Variables and the paths that SDKs append are those of the published packages.
import type { Block, ClientRow, Wish } from './client.ts';
import { exportLines } from './shell.ts';

export const sdks = {
  'openai-python': {
    title: 'OpenAI SDK for Python',
    format: 'Responses',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: (wish) => [
      openAiEnvironment(wish),
      python(
        `from openai import OpenAI

client = OpenAI()
response = client.responses.create(model=${quoted(wish.model)}, input="Hello")
print(response.output_text)
completion = client.chat.completions.create(
    model=${quoted(wish.model)}, messages=[{"role": "user", "content": "Hello"}]
)
print(completion.choices[0].message.content)
`,
      ),
    ],
  },
  'openai-js': {
    title: 'OpenAI SDK for JavaScript',
    format: 'Responses',
    evidence: 'npm test',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: (wish) => [
      openAiEnvironment(wish),
      js(
        `import OpenAI from 'openai';

const client = new OpenAI();
const response = await client.responses.create({ model: ${single(wish.model)}, input: 'Hello' });
console.log(response.output_text);
`,
      ),
    ],
  },
  'azure-openai-python': {
    title: 'AzureOpenAI of the OpenAI SDK for Python',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'studio-ai/gpt-4o',
    note: '`OPENAI_BASE_URL` must not be set: it overrides the endpoint.',
    blocks: ({ url, model, keyName }) => [
      sh(
        exportLines(
          { AZURE_OPENAI_ENDPOINT: url, OPENAI_API_VERSION: '2024-10-21' },
          { AZURE_OPENAI_API_KEY: keyName },
        ),
      ),
      python(
        `from openai import AzureOpenAI

client = AzureOpenAI()
completion = client.chat.completions.create(
    model=${quoted(model)}, messages=[{"role": "user", "content": "Hello"}]
)
print(completion.choices[0].message.content)
`,
      ),
    ],
  },
  'anthropic-python': {
    title: 'Anthropic SDK for Python',
    format: 'Messages',
    evidence: 'npm run agents',
    model: 'gpt-provider/gpt-4o-mini',
    blocks: (wish) => [
      anthropicEnvironment(wish),
      python(
        `from anthropic import Anthropic

client = Anthropic()
message = client.messages.create(
    model=${quoted(wish.model)}, max_tokens=1000, messages=[{"role": "user", "content": "Hello"}]
)
print(message.content[0].text)
`,
      ),
    ],
  },
  'anthropic-js': {
    title: 'Anthropic SDK for JavaScript',
    format: 'Messages',
    evidence: 'npm test',
    model: 'gpt-provider/gpt-4o-mini',
    blocks: (wish) => [
      anthropicEnvironment(wish),
      js(
        `import Anthropic from '@anthropic-ai/sdk';

const client = new Anthropic();
const message = await client.messages.create({
  model: ${single(wish.model)},
  max_tokens: 1000,
  messages: [{ role: 'user', content: 'Hello' }],
});
console.log(message.content);
`,
      ),
    ],
  },
  'google-genai-python': {
    title: 'Google Gen AI SDK for Python',
    format: 'generateContent',
    evidence: 'npm run agents',
    model: 'gpt-provider/gpt-4o-mini',
    blocks: (wish) => [
      googleEnvironment(wish),
      python(
        `from google import genai

client = genai.Client()
response = client.models.generate_content(model=${quoted(wish.model)}, contents="Hello")
print(response.text)
`,
      ),
    ],
  },
  'google-genai-js': {
    title: 'Google Gen AI SDK for JavaScript',
    format: 'generateContent',
    evidence: 'npm test',
    model: 'gpt-provider/gpt-4o-mini',
    blocks: (wish) => [
      googleEnvironment(wish),
      js(
        `import { GoogleGenAI } from '@google/genai';

const client = new GoogleGenAI({});
const response = await client.models.generateContent({ model: ${single(wish.model)}, contents: 'Hello' });
console.log(response.text);
`,
      ),
    ],
  },
  'aws-python': {
    title: 'AWS SDK for Python (boto3), Converse',
    format: 'Converse',
    evidence: 'npm run agents',
    model: 'gpt-provider/gpt-4o-mini',
    note: 'It sends an API key over https only; without TLS the key goes into a header of the gateway. The region is needed, and has no effect.',
    blocks: (wish) => (wish.url.startsWith('https:') ? botoWithKey(wish) : botoWithHeader(wish)),
  },
  'aws-js': {
    title: 'AWS SDK for JavaScript, Converse',
    format: 'Converse',
    evidence: 'npm test',
    model: 'gpt-provider/gpt-4o-mini',
    note: 'Without the handler this SDK speaks HTTP/2 to every Bedrock endpoint; the gateway speaks HTTP/1.1.',
    blocks: (wish) => [
      awsEnvironment(wish),
      js(
        `import { BedrockRuntimeClient, ConverseCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from ${single('@smithy/node-http-handler')};

const client = new BedrockRuntimeClient({ requestHandler: new NodeHttpHandler() });
const command = new ConverseCommand({
  modelId: ${single(wish.model)},
  messages: [{ role: 'user', content: [{ text: 'Hello' }] }],
});
const { output } = await client.send(command);
console.log(output.message.content);
`,
      ),
    ],
  },
} as const satisfies Record<string, ClientRow>;

/** The SDK appends `/chat/completions` and `/responses`. */
export function openAiEnvironment({ url, keyName }: Wish): Block {
  return sh(exportLines({ OPENAI_BASE_URL: `${url}/v1` }, { OPENAI_API_KEY: keyName }));
}

/** The SDK appends `/v1/messages`. */
function anthropicEnvironment({ url, keyName }: Wish): Block {
  return sh(exportLines({ ANTHROPIC_BASE_URL: url }, { ANTHROPIC_API_KEY: keyName }));
}

/** The SDK appends `/v1beta/…` or `/v1/…`. `GOOGLE_API_KEY` is read before `GEMINI_API_KEY`. */
function googleEnvironment({ url, keyName }: Wish): Block {
  return sh(exportLines({ GOOGLE_GEMINI_BASE_URL: url }, { GOOGLE_API_KEY: keyName }));
}

/** The SDK appends `/model/{id}/…`. */
function awsEnvironment({ url, keyName }: Wish): Block {
  const values = { AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, AWS_REGION: 'us-east-1' };
  return sh(exportLines({ ...values, AWS_DEFAULT_REGION: 'us-east-1' }, { AWS_BEARER_TOKEN_BEDROCK: keyName }));
}

function botoWithKey(wish: Wish): readonly Block[] {
  return [awsEnvironment(wish), python(`import boto3\n\nclient = boto3.client("bedrock-runtime")\n${botoCall(wish)}`)];
}

/** botocore: InvalidEndpointConfigurationError, "Bearer authorization requires an HTTPS endpoint". */
function botoWithHeader(wish: Wish): readonly Block[] {
  const { url, keyName } = wish;
  return [
    sh(exportLines({ AWS_ENDPOINT_URL_BEDROCK_RUNTIME: url, AWS_DEFAULT_REGION: 'us-east-1' }, {})),
    python(
      `import os

import boto3
from botocore import UNSIGNED
from botocore.config import Config


def add_key(request, **_):
    request.headers["x-svc-vk"] = os.environ[${quoted(keyName)}]


client = boto3.client("bedrock-runtime", config=Config(signature_version=UNSIGNED))
client.meta.events.register("before-sign.bedrock-runtime", add_key)
${botoCall(wish)}`,
    ),
  ];
}

function botoCall({ model }: Wish): string {
  return `response = client.converse(
    modelId=${quoted(model)}, messages=[{"role": "user", "content": [{"text": "Hello"}]}]
)
print(response["output"]["message"]["content"][0]["text"])
`;
}

export function sh(text: string): Block {
  return { language: 'sh', text };
}

export function python(text: string): Block {
  return { language: 'python', text };
}

export function js(text: string): Block {
  return { language: 'js', text };
}

/** A string of Python, JSON or YAML. */
export function quoted(text: string): string {
  return JSON.stringify(text);
}

/** A string of JavaScript. */
export function single(text: string): string {
  return /['\\\n]/.test(text) ? JSON.stringify(text) : `'${text}'`;
}
