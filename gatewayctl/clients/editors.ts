// Agents in editors, and terminals without a vendor: each is configured by a file or a form of its own.
import type { ClientRow } from './client.ts';
import { quoted, sh } from './sdks.ts';
import { exportLines, shellWord } from './shell.ts';

export const editors = {
  aider: {
    title: 'aider',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: '`openai/` in front of the model is its word for the wire format.',
    blocks: ({ url, model, keyName }) => {
      const name = shellWord(`openai/${model}`);
      return [
        sh(
          `${exportLines({ OPENAI_API_BASE: `${url}/v1` }, { OPENAI_API_KEY: keyName })}aider --model ${name} --weak-model ${name}\n`,
        ),
      ];
    },
  },
  continue: {
    title: 'Continue',
    format: 'Chat completions',
    evidence: 'documentation',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: 'The key is a secret of Continue: put it into `~/.continue/.env`.',
    blocks: ({ url, model, keyName }) => [
      {
        language: 'yaml',
        file: '~/.continue/config.yaml',
        text: `name: Model Gateway
version: 1.0.0
schema: v1
models:
  - name: Model Gateway
    provider: openai
    model: ${quoted(model)}
    apiBase: ${quoted(`${url}/v1`)}
    apiKey: \${{ secrets.${keyName} }}
    roles: [chat, edit, apply]
`,
      },
    ],
  },
  cline: {
    title: 'Cline',
    format: 'Chat completions',
    evidence: 'documentation',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: ({ url, model, keyName }) => [
      {
        language: 'text',
        file: 'Settings, API Configuration',
        text: `API Provider:  OpenAI Compatible
Base URL:      ${url}/v1
API Key:       the value of ${keyName}
Model ID:      ${model}
`,
      },
    ],
  },
} as const satisfies Record<string, ClientRow>;
