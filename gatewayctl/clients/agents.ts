// Coding agents that have a command line of their own: how each is started so that it uses the gateway, helper models
// included. `gatewayctl run` starts them so, and the blocks of docs/clients.md are the same in the words of a shell.
import type { Block, ClientRow } from './client.ts';
import { sh } from './sdks.ts';
import { exportLines, shellWord } from './shell.ts';

/** How an agent is to be started. */
export interface Start {
  readonly url: string;
  /** Absent: the agent's own default, which the gateway must know. */
  readonly model?: string;
  /** For titles, summaries and the like; default: the model. */
  readonly smallModel?: string;
  /** The environment variable in which an agent may look for the key, if it can be chosen. */
  readonly keyName: string;
  /** A folder of gatewayctl's own, for an agent that reads a setting only from a file. */
  readonly home: string;
}

export interface Launch {
  /** Added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Variables that get the key. */
  readonly keyNames: readonly string[];
  /** Variables that would lead past the gateway, or send another key along. */
  readonly without: readonly string[];
  /** Before the user's own arguments. */
  readonly args: readonly string[];
  /** A file of gatewayctl's own that must exist. */
  readonly file?: { readonly path: string; readonly text: string };
}

export interface Agent {
  /** The name of its program. */
  readonly program: string;
  /** How to install it. */
  readonly install: string;
  /** It has no default that the gateway could serve. */
  readonly needsModel?: true;
  launch(start: Start): Launch;
}

export const agents = {
  claude: {
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
    launch: ({ url, model, smallModel }) => ({
      env: { ANTHROPIC_BASE_URL: url, ...(model !== undefined && claudeModels(model, smallModel ?? model)) },
      keyNames: ['ANTHROPIC_AUTH_TOKEN'],
      without: [
        ...['ANTHROPIC_API_KEY', 'CLAUDE_CODE_OAUTH_TOKEN', 'CLAUDE_CODE_USE_BEDROCK'],
        ...['CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'],
      ],
      args: [],
    }),
  },
  codex: {
    program: 'codex',
    install: 'npm install -g @openai/codex',
    launch: ({ url, model, keyName }) => ({
      env: {},
      keyNames: [keyName],
      without: [],
      args: [
        ...['-c', 'model_provider=gateway', '-c', `model_providers.gateway=${codexProvider(url, keyName)}`],
        // The reviewer of `/review` has a model of its own otherwise.
        ...(model === undefined ? [] : ['-c', `model=${toml(model)}`, '-c', `review_model=${toml(model)}`]),
      ],
    }),
  },
  gemini: {
    program: 'gemini',
    install: 'npm install -g @google/gemini-cli',
    launch: ({ url, model, home }) => ({
      // With a base URL it wants the type of its credential from a settings file, and reads one for the whole system
      // only if root owns it. A home of its own leaves the user's file alone.
      env: { GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_HOME: `${home}/gemini` },
      keyNames: ['GEMINI_API_KEY'],
      without: [
        ...['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_VERTEXAI', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_VERTEX_BASE_URL'],
        ...['GEMINI_CLI_USE_COMPUTE_ADC', 'GOOGLE_GENAI_API_VERSION'],
      ],
      args: model === undefined ? [] : ['-m', model],
      file: { path: `${home}/gemini/.gemini/settings.json`, text: geminiSettings },
    }),
  },
  opencode: {
    program: 'opencode',
    install: 'npm install -g opencode-ai',
    needsModel: true,
    launch: ({ url, model = '', smallModel = model, keyName }) => ({
      env: { OPENCODE_CONFIG_CONTENT: openCodeConfig({ url, model, smallModel, keyName }) },
      keyNames: [keyName],
      without: [],
      args: [],
    }),
  },
} as const satisfies Record<string, Agent>;

export type AgentName = keyof typeof agents;

/** The default of each size is what a sub-agent, a title or a summary uses. */
function claudeModels(model: string, small: string): Readonly<Record<string, string>> {
  return {
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_FABLE_MODEL: model,
    ANTHROPIC_DEFAULT_OPUS_MODEL: model,
    ANTHROPIC_DEFAULT_SONNET_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: small,
    CLAUDE_CODE_SUBAGENT_MODEL: model,
  };
}

/** A provider of the user's own speaks HTTP at once; the built-in one tries a WebSocket first. */
function codexProvider(url: string, keyName: string): string {
  return `{name="Model Gateway",base_url=${toml(`${url}/v1`)},env_key=${toml(keyName)},wire_api="responses"}`;
}

/** A basic string of TOML; its escapes include those of JSON. */
function toml(text: string): string {
  return JSON.stringify(text);
}

const geminiSettings = `${JSON.stringify({ security: { auth: { selectedType: 'gemini-api-key' } } })}\n`;

interface OpenCodeWish {
  readonly url: string;
  readonly model: string;
  readonly smallModel: string;
  readonly keyName: string;
}

/** `opencode.json`; a provider of its own, because built-in ones refuse names that their list of models lacks. */
function openCodeConfig({ url, model, smallModel, keyName }: OpenCodeWish): string {
  return JSON.stringify({
    $schema: 'https://opencode.ai/config.json',
    provider: {
      gateway: {
        name: 'Model Gateway',
        npm: '@ai-sdk/openai-compatible',
        options: { baseURL: `${url}/v1`, apiKey: `{env:${keyName}}` },
        models: Object.fromEntries([model, smallModel].map((name) => [name, { name }])),
      },
    },
    model: `gateway/${model}`,
    small_model: `gateway/${smallModel}`,
  });
}

const programs = { 'claude-code': 'claude', codex: 'codex', 'gemini-cli': 'gemini', opencode: 'opencode' } as const;

export const codingAgents = {
  'claude-code': {
    title: 'Claude Code',
    format: 'Messages',
    evidence: 'npm run agents',
    model: 'gpt-provider/gpt-4.1-mini',
    note: 'Each size of model is set, because sub-agents and titles use them.',
    blocks: blocksOf('claude-code'),
  },
  codex: {
    title: 'Codex CLI',
    format: 'Responses',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    note: 'It ignores `OPENAI_BASE_URL`.',
    blocks: blocksOf('codex'),
  },
  'gemini-cli': {
    title: 'Gemini CLI',
    format: 'generateContent',
    evidence: 'npm run agents',
    model: 'gpt-provider/gpt-4.1-mini',
    note: 'With a base URL it reads the type of the credential from a settings file alone, so it gets a home of its own. Without a terminal it wants `GEMINI_CLI_TRUST_WORKSPACE=true`, or a folder that you trust.',
    blocks: blocksOf('gemini-cli'),
  },
  opencode: {
    title: 'opencode',
    format: 'Chat completions',
    evidence: 'npm run agents',
    model: 'assistant-provider/claude-sonnet-4-5',
    blocks: blocksOf('opencode'),
  },
} as const satisfies Record<keyof typeof programs, ClientRow>;

function blocksOf(name: keyof typeof programs): ClientRow['blocks'] {
  return (wish) => [inShell(agents[programs[name]], { ...wish, home: '$HOME/.config/gatewayctl' })];
}

/** The same launch as lines of a shell. */
function inShell(agent: Agent, start: Start): Block {
  const { env, keyNames, without, args, file } = agent.launch(start);
  const copied = keyNames.filter((name) => name !== start.keyName);
  return sh(
    [
      exportLines(env, Object.fromEntries(copied.map((name) => [name, start.keyName]))),
      ...(without.length === 0 ? [] : [`unset ${without.join(' ')}\n`]),
      ...(file === undefined ? [] : fileLines(file)),
      `${[agent.program, ...args.map(shellWord)].join(' ')}\n`,
    ].join(''),
  );
}

function fileLines({ path, text }: { readonly path: string; readonly text: string }): readonly string[] {
  const folder = path.slice(0, path.lastIndexOf('/'));
  return [`mkdir -p ${shellWord(folder)}\n`, `echo ${shellWord(text.trimEnd())} > ${shellWord(path)}\n`];
}
