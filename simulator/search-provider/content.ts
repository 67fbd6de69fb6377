// Content, Part and their members, as in the vendor's messages, and the checks of a part that do not depend on its
// neighbours.
import {
  anyValue,
  bytes,
  enumeration,
  flag,
  float,
  int32,
  listOf,
  message,
  type Reader,
  struct,
  text,
} from './proto.ts';
import { invalidArgument, invalidField, Refusal } from './refusal.ts';

const mediaProcessing = enumeration('MediaProcessing', ['MEDIA_PROCESSING_UNSPECIFIED', 'STATIC', 'AGENTIC']);

// The SDK's types also have a displayName here, but users report that the vendor refuses it outside function responses.
const blob = message('Blob', { mimeType: text, data: bytes });
const fileData = message('FileData', { mimeType: text, fileUri: text });

const toolType = enumeration('ToolType', [
  'TOOL_TYPE_UNSPECIFIED',
  'GOOGLE_SEARCH_WEB',
  'GOOGLE_SEARCH_IMAGE',
  'URL_CONTEXT',
  'GOOGLE_MAPS',
  'FILE_SEARCH',
  'MEDIA_PROCESSING',
]);

const functionCall = message('FunctionCall', { id: text, name: text, args: struct });
const functionResponse = message('FunctionResponse', {
  id: text,
  name: text,
  response: struct,
  parts: listOf(
    message('FunctionResponsePart', {
      inlineData: message('FunctionResponseBlob', { mimeType: text, data: bytes, displayName: text }),
      fileData: message('FunctionResponseFileData', { mimeType: text, fileUri: text, displayName: text }),
      mediaProcessing,
    }),
  ),
  scheduling: enumeration('FunctionResponse.Scheduling', [
    'SCHEDULING_UNSPECIFIED',
    'SILENT',
    'WHEN_IDLE',
    'INTERRUPT',
  ]),
  willContinue: flag,
});

const data = {
  text,
  inlineData: blob,
  fileData,
  functionCall,
  functionResponse,
  executableCode: message('ExecutableCode', {
    id: text,
    language: enumeration('ExecutableCode.Language', ['LANGUAGE_UNSPECIFIED', 'PYTHON']),
    code: text,
  }),
  codeExecutionResult: message('CodeExecutionResult', {
    id: text,
    outcome: enumeration('CodeExecutionResult.Outcome', [
      'OUTCOME_UNSPECIFIED',
      'OUTCOME_OK',
      'OUTCOME_FAILED',
      'OUTCOME_DEADLINE_EXCEEDED',
    ]),
    output: text,
  }),
  toolCall: message('ToolCall', { id: text, toolType, args: struct }),
  toolResponse: message('ToolResponse', { id: text, toolType, response: struct }),
};

/** A part has exactly one of these. */
const dataNames = Object.keys(data) as (keyof typeof data)[];

const part = message(
  'Part',
  {
    ...data,
    thought: flag,
    thoughtSignature: bytes,
    videoMetadata: message('VideoMetadata', { startOffset: text, endOffset: text, fps: float }),
    partMetadata: struct,
    mediaResolution: message('Part.MediaResolution', {
      level: enumeration('Part.MediaResolution.Level', [
        'MEDIA_RESOLUTION_UNSPECIFIED',
        'MEDIA_RESOLUTION_LOW',
        'MEDIA_RESOLUTION_MEDIUM',
        'MEDIA_RESOLUTION_HIGH',
        'MEDIA_RESOLUTION_ULTRA_HIGH',
      ]),
      numTokens: int32,
    }),
    mediaProcessing,
    speechMetadata: message('SpeechMetadata', { speaker: text, style: text }),
    audioTranscription: anyValue,
  },
  { name: 'data', of: dataNames },
);

export const content = message('Content', { role: text, parts: listOf(part) });

export type Content = Read<typeof content>;
export type Part = Read<typeof part>;
export type FunctionCall = Read<typeof functionCall>;
export type FunctionResponse = Read<typeof functionResponse>;
type Read<R> = R extends Reader<infer T> ? T : never;

export function textOf({ parts = [] }: Content): string {
  return parts.map((one) => one.text ?? '').join('');
}

export function isModel({ role }: Content): boolean {
  return role === 'model';
}

/** @throws Refusal */
export function checkContents(contents: readonly Content[]): void {
  if (contents.length === 0) throw invalidField('contents', 'contents is not specified');
  contents.forEach((one, index) => {
    const path = `contents[${index}]`;
    // A content without a role is the user's.
    if (!['user', 'model', undefined].includes(one.role)) {
      throw invalidArgument('Please use a valid role: user, model.');
    }
    checkParts(one, path);
  });
}

export function checkInstruction(instruction: Content): void {
  checkParts(instruction, 'system_instruction');
  const other = instruction.parts?.findIndex((one) => one.text === undefined) ?? -1;
  if (other < 0) return;
  throw invalidField(`system_instruction.parts[${other}]`, 'only text is supported in system_instruction');
}

function checkParts({ parts = [], role }: Content, path: string): void {
  if (parts.length === 0) throw invalidField(`${path}.parts`, 'contents.parts must not be empty.');
  parts.forEach((one, index) => void checkPart(one, `${path}.parts[${index}]`, role === 'model'));
}

function checkPart(one: Part, path: string, isModels: boolean): void {
  // An empty text is valid only with a signature: a stream ends with such a part.
  const empty = one.text === '' && one.thoughtSignature === undefined;
  if (empty || !dataNames.some((name) => one[name] !== undefined)) {
    throw invalidField(`${path}.data`, "required oneof field 'data' must have one initialized field");
  }
  if (one.inlineData) checkBlob(one.inlineData, `${path}.inline_data`);
  if (one.fileData) checkFile(one.fileData, `${path}.file_data`);
  if (one.functionCall) checkCall(one.functionCall, `${path}.function_call`, isModels);
  if (one.functionResponse) checkResponse(one.functionResponse, `${path}.function_response`, isModels);
}

function checkBlob({ mimeType = '', data: base64 = '' }: Read<typeof blob>, path: string): void {
  if (mimeType === '') throw invalidField(`${path}.mime_type`, 'must be specified');
  if (!mimeTypes.has(mimeType)) throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
  if (base64 === '') throw invalidField(`${path}.data`, 'must not be empty');
}

function checkFile({ fileUri = '', mimeType }: Read<typeof fileData>, path: string): void {
  if (fileUri === '') throw invalidField(`${path}.file_uri`, 'must be specified');
  if (mimeType !== undefined && !mimeTypes.has(mimeType)) {
    throw invalidArgument(`Unsupported MIME type: ${mimeType}`);
  }
  if (/^https:\/\/(www\.youtube\.com\/watch\?v=|youtu\.be\/)[\w-]+/.test(fileUri)) return;
  const file = /^(?:https:\/\/generativelanguage\.googleapis\.com\/v1(?:beta)?\/)?files\/([\w-]+)$/.exec(fileUri);
  if (file === null) throw invalidArgument(`Invalid or unsupported file uri: ${fileUri}`);
  // The simulator stores no files: a file exists if its name begins with `sim`.
  if (file[1]?.startsWith('sim')) return;
  const message = `You do not have permission to access the File ${file[1]} or it may not exist.`;
  throw new Refusal(403, message);
}

function checkCall({ name = '' }: FunctionCall, path: string, isModels: boolean): void {
  if (!isModels) throw invalidField(path, 'function calls are only allowed in model turns');
  if (name === '') throw invalidField(`${path}.name`, 'Name cannot be empty.');
}

function checkResponse(given: FunctionResponse, path: string, isModels: boolean): void {
  const { name = '', response, parts = [] } = given;
  if (isModels) throw invalidField(path, 'function responses are only allowed in user turns');
  if (name === '') throw invalidField(`${path}.name`, 'Name cannot be empty.');
  if (response === undefined) throw invalidField(`${path}.response`, 'must be specified');
  parts.forEach(({ inlineData, fileData: file }, index) => {
    if (inlineData) checkBlob(inlineData, `${path}.parts[${index}].inline_data`);
    if (file) checkFile(file, `${path}.parts[${index}].file_data`);
  });
}

// From the vendor's pages on each kind of media. GIF is not among them.
const mimeTypes: ReadonlySet<string> = new Set(
  [
    ['image', ['png', 'jpeg', 'webp', 'heic', 'heif', 'avif']],
    ['audio', ['wav', 'mp3', 'mpeg', 'aiff', 'aac', 'ogg', 'flac', 'mp4', 'm4a', 'webm', 'pcm', 'x-wav']],
    ['video', ['mp4', 'mpeg', 'mov', 'quicktime', 'avi', 'x-flv', 'mpg', 'webm', 'wmv', '3gpp']],
    ['text', ['plain', 'html', 'css', 'md', 'markdown', 'csv', 'xml', 'rtf', 'javascript', 'x-python']],
    ['application', ['pdf', 'json', 'x-javascript', 'x-python', 'rtf', 'xml']],
  ].flatMap(([kind, names]) => [names].flat().map((name) => `${String(kind)}/${name}`)),
);
