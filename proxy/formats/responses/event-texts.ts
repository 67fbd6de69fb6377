// The texts of an event of a stream (SDK type `ResponseStreamEvent`): its deltas, and the names of calls. Events that
// repeat what deltas have brought are left out.
import { isObject, type JsonObject } from '../../../common/json.ts';
import { pieceOf, type StreamedText } from '../streamed-texts.ts';

export function textsOfResponseEvent(event: JsonObject): readonly StreamedText[] {
  const { type, item, delta: text, output_index: output, content_index: content } = event;
  if (type === 'response.output_item.added' && isObject(item))
    return pieceOf('call', output, { text: '', name: item.name });
  switch (type) {
    case 'response.output_text.delta':
      return pieceOf('text', `${output}.${content}`, { text });
    case 'response.refusal.delta':
      return pieceOf('refusal', `${output}.${content}`, { text });
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      return pieceOf('reasoning', output, { text });
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
    case 'response.mcp_call_arguments.delta':
    case 'response.code_interpreter_call_code.delta':
      return pieceOf('call', output, { text });
    default:
      return [];
  }
}
