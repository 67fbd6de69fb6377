// What the families of models behind the one API differ in, beyond the capabilities that models elsewhere have too: the fields that
// the API leaves to them, and their habits of conversation. A model of no known family gets what all of them take.
import type { ModelCapabilities } from '../catalog/capabilities.ts';

export interface Family {
  /** Takes the assistant-model vendor's own fields: `thinking`, `output_config`, `tool_choice`. */
  readonly hasClaudeFields: boolean;
  /** Place of top_k in additionalModelRequestFields; empty where there is none. */
  readonly topK: readonly string[];
  readonly stops: boolean;
  /** Words may be in one turn with tool calls and their results. */
  readonly mixesTools: boolean;
  /** Whether a call of one tool by name can be forced, or only one of any. */
  readonly forcesNamed: boolean;
  /** Ids of tool calls are nine letters and digits. */
  readonly nineLetterIds: boolean;
  /** Lets tools end what is to be cached. */
  readonly cachesTools: boolean;
  /** What schemas of tools may hold. `plain`: no references; `bare`: and at the root type, properties and required alone. */
  readonly schemas: 'any' | 'plain' | 'bare';
}

export function familyOf({ family }: ModelCapabilities): Family {
  return families[family];
}

const other: Family = {
  hasClaudeFields: false,
  topK: [],
  stops: true,
  mixesTools: false,
  forcesNamed: true,
  nineLetterIds: false,
  cachesTools: false,
  schemas: 'bare',
};

const families: Readonly<Record<ModelCapabilities['family'], Family>> = {
  other,
  claude: {
    ...other,
    hasClaudeFields: true,
    topK: ['top_k'],
    mixesTools: true,
    cachesTools: true,
    schemas: 'any',
  },
  nova: { ...other, topK: ['inferenceConfig', 'topK'] },
  mistral: { ...other, topK: ['top_k'], forcesNamed: false, nineLetterIds: true, schemas: 'plain' },
  command: { ...other, topK: ['k'], schemas: 'plain' },
  gpt: { ...other, stops: false, schemas: 'plain' },
};
