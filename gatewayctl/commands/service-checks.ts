// Options of guardrails that call a vendor's service or a classifier model. A credential comes from a file or standard
// input, never from the command line, which other users of the machine can read.
import { isObject, parseJson } from '../../common/json.ts';
import { duration } from '../../common/settings.ts';
import { type Given, type Invocation, type Request, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';

const credentialFile: Given = {
  flags: '--credential-file <file>',
  about:
    'of a service, - for standard input: a key, the key file of a service account, or JSON such as {"accessKeyId": …, "secretAccessKey": …}',
};

export const serviceChecks: readonly Given[] = [
  {
    flags: '--service <adapter>',
    about: "a vendor's service: presidio, bedrock, azure_content_safety, model_armor, lakera, mistral_moderation",
    field: 'check.service.adapter',
  },
  { flags: '--service-url <url>', about: 'where it is', field: 'check.service.url' },
  {
    flags: '--service-option <name=value>',
    about: 'such as region=eu-west-1; repeat it for more',
    field: 'check.service.options',
  },
  {
    flags: '--label <label>',
    about: 'only this label of the service counts, such as PROMPT_ATTACK; repeat it for more',
    field: 'check.service.labels',
  },
  {
    flags: '--service-score-min <number>',
    about: 'of services that score: from this on, 0 to 1',
    field: 'check.service.scoreMin',
  },
  {
    flags: '--service-timeout <duration>',
    about: 'of one call, at most 30s; default 5s',
    field: 'check.service.timeoutMs',
    read: duration,
  },
  credentialFile,
  {
    flags: '--model <model>',
    about: 'a classifier model, as callers name it: <provider>/<model>',
    field: 'check.model.model',
  },
  {
    flags: '--form <form>',
    about: 'how it is called: llama_guard, granite_guardian, prompt_guard or judge',
    field: 'check.model.form',
  },
  {
    flags: '--criterion <text>',
    about: 'of granite_guardian a risk or a sentence; of judge prompt_injection, topics or grounding',
    field: 'check.model.criterion',
  },
  {
    flags: '--topic <text>',
    about: 'of judge with the criterion topics; repeat it for more',
    field: 'check.model.topics',
  },
  {
    flags: '--model-category <category>',
    about: 'of llama_guard, such as S1; repeat it for more',
    field: 'check.model.categories',
  },
  {
    flags: '--model-score-min <number>',
    about: 'of prompt_guard: from this on, 0 to 1; default 0.5',
    field: 'check.model.scoreMin',
  },
  {
    flags: '--model-timeout <duration>',
    about: 'of one call, at most 30s; default 10s',
    field: 'check.model.timeoutMs',
    read: duration,
  },
  {
    flags: '--window <characters>',
    about: 'of a response that are sent at a time, 200 to 100000; default 1000',
    field: 'check.window',
  },
];

/** @throws Failure if the JSON is not a credential */
export async function withCredential(request: Request, invocation: Invocation): Promise<Request> {
  const file = textOf(invocation, credentialFile.flags);
  if (file === undefined) return request;
  const text = (await readGiven(file, invocation.io)).trim();
  if (text === '') throw usageMistake(`${credentialFile.flags}: there is nothing in it`);
  return { ...request, credential: credentialOf(text) };
}

function credentialOf(text: string): object {
  if (!text.startsWith('{')) return { apiKey: text };
  const read = parseJson(text);
  if (!isObject(read)) throw usageMistake(`${credentialFile.flags}: is no JSON object`);
  return read.type === 'service_account' || read.client_email !== undefined ? { serviceAccount: text } : read;
}
