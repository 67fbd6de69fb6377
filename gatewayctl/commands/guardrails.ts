// Guardrails: inspections of an organization's requests and responses. Each guardrail has one kind of check, given by
// its option.
import { duration } from '../../common/settings.ts';
import { type Given, type Invocation, type Request, type Resource, textOf } from '../command.ts';
import { usageMistake } from '../failure.ts';
import { readGiven } from '../io.ts';
import { pairOf } from '../pair.ts';
import { serviceChecks, withCredential } from './service-checks.ts';
import { ifRevision, newName, rename, thing } from './shared.ts';

const effect: readonly Given[] = [
  { flags: '--stage <stage>', about: 'which texts are inspected', field: 'stage' },
  { flags: '--action <action>', about: 'what happens to matches', field: 'action' },
  {
    flags: '--on-failure <rule>',
    about: 'what happens when the check itself fails; default block',
    field: 'onFailure',
  },
  { flags: '--message <text>', about: 'message for blocked callers', field: 'message' },
  {
    flags: '--position <number>',
    about: 'they are applied in this order, 0 to 1000; default 100',
    field: 'position',
  },
  { flags: '--enabled <true|false>', about: 'false: it is not applied', field: 'enabled' },
];

const checks: readonly Given[] = [
  { flags: '--words <phrase>', about: 'phrases; repeat it for more', field: 'check.words.phrases' },
  {
    flags: '--within-words',
    about: 'with --words: also within longer words',
    field: 'check.words.withinWords',
  },
  {
    flags: '--pattern <expression>',
    about: 'expressions in RE2; repeat it for more',
    field: 'check.pattern.patterns',
  },
  {
    flags: '--personal-data',
    about: 'personal data of all types, or of those given by --type',
    field: 'check.personalData',
  },
  { flags: '--type <type>', about: 'of personal data', field: 'check.personalData.types' },
  {
    flags: '--country <code>',
    about: 'with personal data: such as DE, repeat it for more',
    field: 'check.personalData.countries',
  },
  {
    flags: '--restore',
    about: 'with --action redact: placeholders in responses are replaced by the original text',
    field: 'check.personalData.restore',
  },
  {
    flags: '--also <field>',
    about:
      'inspected as well, though the model does not see it: user, metadata, safety-identifier, prompt-cache-key; repeat it for more',
    field: 'check.also',
  },
  { flags: '--secrets', about: 'keys, tokens and private keys', field: 'check.secrets' },
  {
    flags: '--secret-form <label=form>',
    about: 'keys of your own besides, such as ACME_KEY=acme_{alnum:32}; repeat it for more',
    field: 'check.secrets.forms',
    read: secretForm,
  },
  {
    flags: '--tokens-max <number>',
    about: 'size of a prompt, by estimate',
    field: 'check.promptSize.tokensMax',
  },
  { flags: '--messages-max <number>', about: 'messages of a prompt', field: 'check.promptSize.messagesMax' },
  { flags: '--images-max <number>', about: 'images of a prompt', field: 'check.promptSize.imagesMax' },
  { flags: '--webhook <url>', about: 'a service that is called', field: 'check.webhook.url' },
  {
    flags: '--webhook-timeout <duration>',
    about: 'of one call, at most 30s; default 2s',
    field: 'check.webhook.timeoutMs',
    read: duration,
  },
  { flags: '--moderation', about: "the vendor's moderation endpoint", field: 'check.moderation' },
  { flags: '--moderation-model <model>', about: 'its model', field: 'check.moderation.model' },
  {
    flags: '--category <name>',
    about: 'of moderation, such as violence; repeat it for more',
    field: 'check.moderation.categories',
  },
  {
    flags: '--score-min <number>',
    about: 'a category counts from this score on, 0 to 1',
    field: 'check.moderation.scoreMin',
  },
];

function secretForm(text: string): object {
  const pair = pairOf(text);
  if (pair === undefined) throw new Error('must be a label and a form, such as ACME_KEY=acme_{alnum:32}');
  const [label, form] = pair;
  return { label, form };
}

const created: Given = {
  flags: '--system <system>',
  about: 'only for keys of this AI system; repeat it for more',
  field: 'aiSystemIds',
  noun: 'system',
};

const createdKeys: Given = {
  flags: '--key <key>',
  about: 'only for this virtual key; repeat it for more',
  field: 'keyIds',
  noun: 'key',
};

export const guardrails: Resource = {
  name: 'guardrails',
  about: 'rules that inspect requests and responses',
  commands: {
    create: {
      method: 'Guardrails.Create',
      about: 'add a guardrail of one kind; of a webhook its secret is printed',
      arguments: [newName],
      options: [...effect, ...checks, ...serviceChecks, created, createdKeys],
      secret: 'secret',
      file: true,
      complete: withCredential,
      examples: [
        'guardrails create no-secrets --stage both --action block --secrets',
        'guardrails create keys --stage both --action redact --secret-form ACME_KEY=acme_live_{alnum:32}',
        'guardrails create privacy --stage input --action redact --personal-data --type email,phone --country DE --restore',
        'guardrails create names --stage output --action observe --words "Project Heron" --words Kestrel',
        'guardrails create small --stage input --action block --tokens-max 8000',
        'guardrails create attacks --stage input --action block --service lakera --credential-file ./key',
        'guardrails create off-topic --stage input --action block --model gpt-provider/gpt-4o-mini --form judge --criterion topics --topic "medical advice"',
      ],
    },
    get: {
      method: 'Guardrails.Get',
      about: 'show a guardrail',
      arguments: [thing('guardrail')],
      examples: ['guardrails get privacy'],
    },
    list: {
      method: 'Guardrails.List',
      about: 'list guardrails in their order',
      columns: {
        POSITION: 'position',
        NAME: 'name',
        ID: 'id',
        ENABLED: 'enabled',
        STAGE: 'stage',
        ACTION: 'action',
        'ON FAILURE': 'onFailure',
      },
      examples: ['guardrails list'],
    },
    update: {
      method: 'Guardrails.Update',
      about: 'change a guardrail; its check is replaced as a whole, by one of the same kind',
      arguments: [thing('guardrail')],
      options: [
        ...[rename, ...effect, ...checks, ...serviceChecks, { ...created, field: 'aiSystems.ids' }],
        ...[{ ...createdKeys, field: 'keys.ids' }, ifRevision],
      ],
      file: true,
      complete: withCredential,
      examples: ['guardrails update privacy --enabled false', 'guardrails update small --tokens-max 4000'],
    },
    'rotate-secret': {
      method: 'Guardrails.RotateSecret',
      about: "make a new secret of a webhook's and print it; the present one is not used any more",
      arguments: [thing('guardrail')],
      prompt: 'Make a new secret for {guardrail}? Calls are signed with the new one alone from now on.',
      secret: 'secret',
      examples: ['guardrails rotate-secret judge --yes > secret'],
    },
    delete: {
      method: 'Guardrails.Delete',
      about: 'delete a guardrail',
      arguments: [thing('guardrail')],
      prompt: 'Delete the guardrail {guardrail}? Texts that it blocks pass at once.',
      done: 'deleted',
      examples: ['guardrails delete privacy --yes'],
    },
    test: {
      method: 'Guardrails.Test',
      about:
        'run a text, or a whole request or response, through the guardrails and show what they would do, and where; nothing is stored',
      options: [
        {
          flags: '--stage <stage>',
          about: 'input or output; default input',
          field: 'stage',
          choices: ['input', 'output'],
        },
        { flags: '--text <text>', about: 'the text', field: 'text' },
        { flags: '--text-file <file>', about: 'the text, - for standard input, which is the default' },
        { flags: '--request-file <file>', about: 'the JSON body of a whole request, - for standard input' },
        { flags: '--response-file <file>', about: 'the JSON body of a whole response, - for standard input' },
        {
          flags: '--key <key>',
          about: 'as this virtual key, its AI system included',
          field: 'keyId',
          noun: 'key',
        },
        {
          flags: '--system <system>',
          about: 'as a key of this AI system',
          field: 'aiSystemId',
          noun: 'system',
        },
      ],
      complete: withText,
      examples: [
        'guardrails test --text "call +49 30 123456"',
        'guardrails test --stage output --text-file response.txt',
        'guardrails test --request-file request.json --json',
      ],
    },
  },
};

async function withText(request: Request, invocation: Invocation): Promise<Request> {
  const body = textOf(invocation, '--request-file <file>');
  const response = textOf(invocation, '--response-file <file>');
  const whole = body ?? response;
  if (whole !== undefined) {
    const given = [body, response, request.text, textOf(invocation, '--text-file <file>')];
    if (given.filter((one) => one !== undefined).length > 1)
      throw usageMistake('a text, a request and a response exclude each other; keep one of them');
    const stage = body === undefined ? 'GUARDRAIL_STAGE_OUTPUT' : 'GUARDRAIL_STAGE_INPUT';
    if (request.stage !== undefined && request.stage !== stage)
      throw usageMistake('--stage is that of the request or response; leave it out');
    return { ...request, stage, body: await readGiven(whole, invocation.io) };
  }
  const stage = request.stage ?? 'GUARDRAIL_STAGE_INPUT';
  if (request.text !== undefined) return { ...request, stage };
  const file = textOf(invocation, '--text-file <file>') ?? '-';
  return { ...request, stage, text: await readGiven(file, invocation.io) };
}
