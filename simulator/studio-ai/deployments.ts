// The deployments of the simulated resource. A deployment has its own name, a model and a content filter. Requests name
// the deployment, responses name the model.
import { findModel, type SimulatedModel } from '../gpt-provider/models.ts';
import { type Make, makes } from './makes.ts';

export interface Deployment extends SimulatedModel {
  readonly publisher: string;
  /** Undefined: a GPT model, with the behaviour of its vendor. */
  readonly make: Make | undefined;
  readonly filter: Filter;
}

/**
 * `asynchronous` sends its results after the text that they describe; `failing` reports that it could not check the
 * text.
 */
export type Filter = 'default' | 'asynchronous' | 'failing';

export function findDeployment(name: string): Deployment | undefined {
  return deployments.get(name);
}

/** The deployment on the host of a single model. */
export function hostedDeployment(): Deployment {
  return existing('Llama-3.3-70B-Instruct');
}

/** The models of the deployments, each once, as the service lists them. */
export function listBaseModels(): readonly Deployment[] {
  const bySnapshot = new Map([...deployments.values()].map((one) => [one.snapshot, one]));
  return [...bySnapshot.values()];
}

function existing(name: string): Deployment {
  const deployment = deployments.get(name);
  if (deployment === undefined) throw new Error(`no deployment ${name}`);
  return deployment;
}

// Deployment · model · filter. Most deployments have their model's name, as in most real resources.
const gpt: readonly (readonly [string, string, Filter?])[] = [
  ['gpt-4o', 'gpt-4o-2024-11-20'],
  ['gpt-4o-mini', 'gpt-4o-mini-2024-07-18'],
  ['gpt-4.1', 'gpt-4.1-2025-04-14'],
  ['gpt-4.1-mini', 'gpt-4.1-mini-2025-04-14'],
  ['gpt-35-turbo', 'gpt-3.5-turbo-0125'],
  ['gpt-4o-audio-preview', 'gpt-4o-audio-preview-2024-12-17'],
  ['o1', 'o1-2024-12-17'],
  ['o3', 'o3-2025-04-16'],
  ['o3-mini', 'o3-mini-2025-01-31'],
  ['o4-mini', 'o4-mini-2025-04-16'],
  ['gpt-5', 'gpt-5-2025-08-07'],
  ['gpt-5-mini', 'gpt-5-mini-2025-08-07'],
  ['gpt-5-nano', 'gpt-5-nano-2025-08-07'],
  ['gpt-5.1', 'gpt-5.1-2025-11-13'],
  ['gpt-5.2', 'gpt-5.2-2025-12-11'],
  ['gpt-5.4', 'gpt-5.4-2026-03-05'],
  ['text-embedding-3-small', 'text-embedding-3-small'],
  ['team-chat', 'gpt-4.1-mini-2025-04-14'],
  ['gpt-4o-async-filter', 'gpt-4o-2024-11-20', 'asynchronous'],
  ['gpt-4o-failing-filter', 'gpt-4o-2024-11-20', 'failing'],
];

// Deployment · make · publisher · context tokens · output tokens.
const others: readonly (readonly [string, Make, string, number, number])[] = [
  ['DeepSeek-R1', makes.deepseekInline, 'DeepSeek', 128_000, 8_192],
  ['DeepSeek-R1-0528', makes.deepseekField, 'DeepSeek', 128_000, 8_192],
  ['DeepSeek-V3.2', makes.deepseek, 'DeepSeek', 163_840, 163_840],
  ['Mistral-Large-3', makes.mistral, 'Mistral AI', 256_000, 8_191],
  ['mistral-small-2503', makes.mistral, 'Mistral AI', 128_000, 8_191],
  ['Llama-3.3-70B-Instruct', makes.llama, 'Meta', 128_000, 2_048],
  ['Llama-4-Maverick-17B-128E-Instruct-FP8', makes.llamaVision, 'Meta', 1_000_000, 16_384],
  ['Phi-4', makes.phi, 'Microsoft', 16_384, 16_384],
  ['grok-4', makes.grok, 'xAI', 131_072, 131_072],
];

const deployments = new Map<string, Deployment>(
  [...gpt.map(gptDeployment), ...others.map(otherDeployment)].map((one) => [one.name, one]),
);

function gptDeployment([name, modelName, filter = 'default']: (typeof gpt)[number]): Deployment {
  const model = findModel(modelName);
  if (model === undefined) throw new Error(`no model ${modelName}`);
  return { ...model, name, publisher: 'OpenAI', make: undefined, filter };
}

function otherDeployment(row: (typeof others)[number]): Deployment {
  const [name, make, publisher, contextTokens, outputTokensMax] = row;
  return {
    name,
    snapshot: name,
    created: 1_735_689_600,
    chat: true,
    contextTokens,
    outputTokensMax,
    efforts: [],
    toolsWithoutEffort: false,
    verbosity: false,
    audio: false,
    webSearch: false,
    publisher,
    make,
    filter: 'default',
  };
}
