// additionalModelRequestFields: the fields that each model family accepts beside the common ones. The service passes
// them to the model unchanged, so the model refuses them, with the family's own text.
import {
  anyObject,
  arrayOf,
  boolean,
  type Check,
  decimal,
  FieldFault,
  integer,
  object,
  oneOf,
  string,
  tagged,
} from '../checks.ts';
import type { Family } from './models.ts';
import { malformedForModel, modelRefuses, type Refusal } from './refusal.ts';
import { type ConverseRequest, extraFieldsOf } from './request.ts';

export function extraFieldsFit(request: ConverseRequest): void {
  const { family } = request.model;
  try {
    (checks[family] ?? object({}))(extraFieldsOf(request), '');
  } catch (error) {
    if (!(error instanceof FieldFault)) throw error;
    throw family === 'claude' ? claudeRefusal(error) : schemaRefusal(error);
  }
}

const type = string();
/** Newer models hide their thinking by default and have this field; older ones accept it too. */
const display = oneOf('summarized', 'omitted');

const checks: Readonly<Partial<Record<Family, Check>>> = {
  claude: object(
    {},
    {
      thinking: tagged('type', {
        enabled: object({ type, budget_tokens: integer(1024) }, { display }),
        adaptive: object({ type }, { display }),
        disabled: object({ type }),
      }),
      output_config: object(
        {},
        {
          effort: oneOf('low', 'medium', 'high', 'xhigh', 'max'),
          format: object({ type: oneOf('json_schema'), schema: anyObject }),
        },
      ),
      tool_choice: tagged('type', {
        auto: object({ type }, { disable_parallel_tool_use: boolean }),
        any: object({ type }, { disable_parallel_tool_use: boolean }),
        tool: object({ type, name: string({ min: 1 }) }, { disable_parallel_tool_use: boolean }),
        none: object({ type }),
      }),
      top_k: integer(0),
      anthropic_beta: arrayOf(string({ min: 1 })),
    },
  ),
  nova: object(
    {},
    {
      inferenceConfig: object({}, { topK: integer(1, 128) }),
      reasoningConfig: tagged('type', {
        enabled: object({ type, maxReasoningEffort: oneOf('low', 'medium', 'high') }),
        disabled: object({ type }),
      }),
    },
  ),
  mistral: object({}, { top_k: integer(1) }),
  'gpt-oss': object({}, { reasoning_effort: oneOf('low', 'medium', 'high') }),
  command: object(
    {},
    {
      k: integer(0, 500),
      seed: integer(0),
      frequency_penalty: decimal(0, 1),
      presence_penalty: decimal(0, 1),
    },
  ),
  jamba: object({}, { frequency_penalty: decimal(-2, 2), presence_penalty: decimal(-2, 2) }),
};

function claudeRefusal({ path, fault, value }: FieldFault): Refusal {
  const location = path.replace(/^thinking\.budget_tokens$/, 'thinking.enabled.budget_tokens');
  const refuse = (what: string) => modelRefuses(`${location}: ${what}`);
  switch (fault.kind) {
    case 'unknown':
      return refuse('Extra inputs are not permitted');
    case 'missing':
      return refuse('Field required');
    case 'value':
      return refuse(`Input should be ${fault.values.map((one) => `'${one}'`).join(', ')}`);
    case 'below':
      return refuse(`Input should be greater than or equal to ${fault.bound}`);
    case 'type':
      return refuse(`Input should be ${fault.expected}`);
    default:
      return refuse(`Input is invalid: ${String(value)}`);
  }
}

function schemaRefusal({ path, fault, value }: FieldFault): Refusal {
  const steps = path.split('.');
  const parent = `#${steps
    .slice(0, -1)
    .map((step) => `/${step}`)
    .join('')}`;
  switch (fault.kind) {
    case 'unknown':
      return malformedForModel(`${parent}: extraneous key [${steps.at(-1)}] is not permitted`);
    case 'missing':
      return malformedForModel(`${parent}: required key [${steps.at(-1)}] not found`);
    case 'value':
      return malformedForModel(`#/${steps.join('/')}: ${String(value)} is not a valid enum value`);
    case 'below':
    case 'above':
      return malformedForModel(`#/${steps.join('/')}: ${String(value)} is not within its bounds (${fault.bound})`);
    default:
      return malformedForModel(
        `#/${steps.join('/')}: expected type: ${fault.kind === 'type' ? fault.expected : 'another'}`,
      );
  }
}
