// A stream of bytes as lines of text, for watches: one event a line.

/** @throws Error for a line above the bound; where the stream is cut, that of the stream. A last line without its end is dropped. */
export async function* linesOf(chunks: AsyncIterable<Buffer>, lineBytesMax: number): AsyncIterable<string> {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline, from); end !== -1; end = chunk.indexOf(newline, from)) {
      const line = Buffer.concat([...pending, chunk.subarray(from, end)]).toString('utf8');
      pending = [];
      pendingBytes = 0;
      from = end + 1;
      if (line !== '') yield line;
    }
    pending.push(chunk.subarray(from));
    pendingBytes += chunk.length - from;
    if (pendingBytes > lineBytesMax) throw new Error(`a line is longer than ${lineBytesMax} bytes`);
  }
}

const newline = 0x0a;
