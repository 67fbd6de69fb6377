// Locations of text in a request of generateContent (SDK type `GenerateContentParameters` of @google/genai, on the wire
// `GenerateContentRequest`). A field that is not named here is inspected, and so is one with its other name
// (`inline_data`).
import { anything, exempt, fields, fixed, joined, type TextLocation, text, unseen } from './inspection-schema.ts';
import { encoded, id, name, number, opaque, word } from './message-schema.ts';
import { schema } from './request-schema.ts';

const mediaType = exempt('a media type', (value) => !/[^\w./+-]/.test(value));

/** Media types whose data is no text. SVG is text. */
const media = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$)/i;

const otherData: TextLocation = fields({ mimeType: mediaType, displayName: text });
const mediaData: TextLocation = fields({ mimeType: mediaType, data: encoded, displayName: text });
const inlineData: TextLocation = {
  ...otherData,
  of: ({ mimeType }) => (typeof mimeType === 'string' && media.test(mimeType) ? mediaData : otherData),
};

const partFields: Readonly<Record<string, TextLocation>> = {
  text: joined,
  thought: unseen('a switch'),
  thoughtSignature: opaque,
  inlineData,
  functionCall: fields({ id, name, args: anything }),
  functionResponse: fields({
    id,
    name,
    response: anything,
    get parts() {
      return part;
    },
  }),
};
const part: TextLocation = fields(partFields);

const content: TextLocation = { ...fields({ role: word, parts: part }), turn: 'by role' };

/** The vendor's own language of schemas has the keywords of JSON Schema. */
const declaration = fields({
  name,
  description: text,
  parameters: schema,
  parametersJsonSchema: schema,
  response: schema,
  responseJsonSchema: schema,
  behavior: word,
});

const generationConfig = fields({
  stopSequences: fixed('a placeholder would end the response elsewhere'),
  responseSchema: schema,
  responseJsonSchema: schema,
  responseMimeType: mediaType,
  responseModalities: word,
  mediaResolution: word,
  thinkingConfig: fields({
    thinkingBudget: number,
    thinkingLevel: word,
    includeThoughts: unseen('a switch'),
  }),
  ...Object.fromEntries(
    [
      ...['temperature', 'topP', 'topK', 'candidateCount', 'maxOutputTokens', 'seed', 'logprobs'],
      ...['presencePenalty', 'frequencyPenalty', 'responseLogprobs'],
    ].map((option) => [option, number]),
  ),
});

const requestFields: Readonly<Record<string, TextLocation>> = {
  systemInstruction: { ...content, ...joined, turn: 'own' },
  contents: content,
  tools: fields({ functionDeclarations: declaration }),
  toolConfig: fields({ functionCallingConfig: fields({ mode: word, allowedFunctionNames: name }) }),
  generationConfig,
  // Fields that the model does not see.
  model: exempt('the path names it'),
  safetySettings: fields({ category: word, threshold: word, method: word }),
  serviceTier: word,
};

export const generateContentRequestLocations = fields({
  ...requestFields,
  // A request whose tokens are counted.
  generateContentRequest: fields(requestFields),
});
