// How the families of models behind the one API differ, beyond the capabilities that models elsewhere have too: the
// fields that the API leaves to them, and their rules for conversations. A model of an unknown family gets what all of
// them accept.
import type { ModelCapabilities } from '../catalog/capabilities.ts';

export interface Family {
  /** Accepts the assistant-model vendor's own fields: `thinking`, `output_config`, `tool_choice`. */
  readonly hasClaudeFields: boolean;
  /** Path of top_k in additionalModelRequestFields; empty if there is none. */
  readonly topK: readonly string[];
  readonly stops: boolean;
  /** Whether one turn may contain text together with tool calls or their results. */
  readonly mixesTools: boolean;
  /** Whether a call of one tool by name can be forced, or only one of any. */
  readonly forcesNamed: boolean;
  /** Ids of tool calls are nine letters and digits. */
  readonly nineLetterIds: boolean;
  /** Whether a tool definition may end the cached prefix. */
  readonly cachesTools: boolean;
  /**
   * What schemas of tools may contain. `plain`: no references; `bare`: also only type, properties and required at the
   * root.
   */
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
