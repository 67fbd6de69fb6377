// What follows when a stream breaks off: how often, with which request, and what the client gets of it. The first vendor's
// events are written here; a simulator that is as strict as the vendor gets the requests that follow.
import { describe, expect, it } from 'vitest';
import { type JsonObject, objectsOf, parseJson } from '../../../../common/json.ts';
import { GatewayError } from '../../../../proxy/errors.ts';
import { recoveryOf } from '../../../../proxy/routing/recovery.ts';
import type { OutgoingRequest } from '../../../../proxy/upstream/transport.ts';
import { type Model, type Play, played, routedCallOf, simulated } from '../../../support/broken-streams.ts';

const chat = { format: 'chat_completions', framing: undefined } as const;
const messages = { format: 'messages', framing: undefined } as const;
const responses = { format: 'responses', framing: undefined } as const;
const claude: Model = { vendor: 'assistant-provider', model: 'claude-haiku-4-5' };
const sonnet: Model = { vendor: 'assistant-provider', model: 'claude-sonnet-4-5' };
const newer: Model = { vendor: 'assistant-provider', model: 'claude-sonnet-4-6' };
const cloud: Model = { vendor: 'managed-cloud-models', model: 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0' };
const gpt: Model = { vendor: 'gpt-provider', model: 'gpt-4o-mini' };
const models = [claude, sonnet] as const;
const type = { 'content-type': 'text/event-stream' };

function event(fields: JsonObject): Buffer {
  return Buffer.from(`event: ${String(fields.type)}\ndata: ${JSON.stringify(fields)}\n\n`);
}

const head = event({
  type: 'message_start',
  message: {
    ...{ id: 'msg_first', type: 'message', role: 'assistant', model: 'claude-haiku-4-5-20251001', content: [] },
    usage: { input_tokens: 9, output_tokens: 1 },
  },
});

function deltas(kind: 'text' | 'thinking', texts: readonly string[]): readonly Buffer[] {
  const begin = { type: 'content_block_start', index: 0, content_block: { type: kind, [kind]: '' } };
  const delta = (text: string) => ({
    type: 'content_block_delta',
    index: 0,
    delta: { type: `${kind}_delta`, [kind]: text },
  });
  return [event(begin), ...texts.map((text) => event(delta(text)))];
}

const end = [
  event({ type: 'content_block_stop', index: 0 }),
  event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 20 } }),
  event({ type: 'message_stop' }),
];

/** A stream of the assistant vendor that has these texts, and breaks off. */
function cut(...texts: readonly string[]): () => Play {
  return () => ({ head: type, pieces: [head, ...(texts.length > 0 ? deltas('text', texts) : [])], ends: 'reset' });
}

function whole(...texts: readonly string[]): () => Play {
  return () => ({ head: type, pieces: [head, ...deltas('text', texts), ...end], ends: 'end' });
}

function refusing(status: number): () => Play {
  return () => ({ status, pieces: [Buffer.from('{}')], ends: 'end' });
}

const vendors = [
  ['gpt-provider', 'chat/completions'],
  ['managed-cloud-models', '/model/'],
] as const;

/** The response of a vendor that checks the request. */
function strict(text: string): (request: OutgoingRequest) => Play {
  return (request) => {
    const [vendor] = vendors.find(([, path]) => request.path.includes(path)) ?? [claude.vendor];
    const play = simulated(vendor, request, { text });
    if (play.status !== 200) throw new Error(Buffer.concat(play.pieces).toString());
    return play;
  };
}

function plays(...each: readonly ((request: OutgoingRequest) => Play)[]) {
  return (request: OutgoingRequest, attempt: number): Play => {
    const play = each[attempt];
    if (play === undefined) throw new Error('one attempt too many');
    return play(request);
  };
}

function chunksOf(pieces: readonly Buffer[]): readonly JsonObject[] {
  const events = Buffer.concat(pieces).toString().split('\n\n');
  return events.flatMap((one) => (one.startsWith('data: {') ? [parseJson(one.slice(6)) as JsonObject] : []));
}

function deltasOf(pieces: readonly Buffer[]): readonly JsonObject[] {
  return chunksOf(pieces).flatMap(({ choices }) => objectsOf(choices).map(({ delta }) => delta as JsonObject));
}

function textOf(pieces: readonly Buffer[]): string {
  return deltasOf(pieces)
    .map(({ content }) => content ?? '')
    .join('');
}

function bodyOf(request: OutgoingRequest | undefined): JsonObject {
  return parseJson(String(request?.body)) as JsonObject;
}

/** Text of the assistant's turn at the end of the request. */
function beginningIn(request: OutgoingRequest | undefined): unknown {
  const turn = objectsOf(bodyOf(request).messages).at(-1);
  return turn?.role === 'assistant' ? objectsOf(turn.content)[0]?.text : undefined;
}

describe('a text that is continued', () => {
  it.each([
    [' more', 'One two \n\nmore'],
    [' \n\nmore', 'One two \n\nmore'],
    [' \n\n more', 'One two \n\n more'],
    ['more', 'One two \n\nmore'],
    [' \nmore', 'One two \n\nmore'],
    ['\n\nmore', 'One two \n\n\n\nmore'],
  ])('loses nothing and repeats no blank before %j', async (rest, expected) => {
    for (const pieces of [[rest], [...rest]]) {
      const play = plays(cut('One', ' two', ' \n', '\n'), whole(...pieces));
      const run = await played(routedCallOf(chat, models, 'continue'), play);
      expect(textOf(run.pieces)).toBe(expected);
    }
  });

  it('is the end of a request that its vendor takes, to which it is sent without blanks at its end', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One', ' two \n'), strict('three.')));
    expect(beginningIn(run.requests[1])).toBe('One two');
    expect(textOf(run.pieces)).toBe('One two \nthree.');
  });

  it('may be continued by a vendor of another format', async () => {
    const play = plays(cut('One', ' two \n'), strict('three.'));
    const run = await played(routedCallOf(messages, [claude, cloud], 'continue'), play);
    expect([beginningIn(run.requests[1]), run.recovered]).toEqual(['One two', ['continued']]);
    expect(Buffer.concat(run.pieces).toString()).toContain('"text":"three.');
  });

  it('has one head, whose id and model all chunks have, and one role', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One '), strict('two.')));
    const chunks = chunksOf(run.pieces);
    expect(new Set(chunks.map(({ id, model, created }) => JSON.stringify([id, model, created])))).toEqual(
      new Set([JSON.stringify(['msg_first', 'claude-haiku-4-5-20251001', 1_795_176_000])]),
    );
    expect(deltasOf(run.pieces).filter(({ role }) => role !== undefined)).toHaveLength(1);
    expect(chunks.map(({ choices }) => objectsOf(choices)[0]?.finish_reason).filter(Boolean)).toEqual(['stop']);
  });

  it('counts against the limit of the caller, by the highest estimate', async () => {
    const call = (tokens: number) => routedCallOf(chat, models, 'continue', { max_completion_tokens: tokens });
    const run = await played(call(100), plays(cut('One two three'), strict('.')));
    const [first, second] = run.requests.map((request) => Number(bodyOf(request).max_tokens));
    expect([first, (first ?? 0) - (second ?? 0)]).toEqual([100, run.attempts[0]?.textTokens()]);
    const short = await played(call(4), plays(cut('One two three four five'), strict('.')));
    expect([short.error, short.requests.length]).toEqual([expect.any(GatewayError), 1]);
  });

  it('has the input of the attempt that ended in its usage, and the output of all', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One two'), whole(' three')));
    const usage = chunksOf(run.pieces).find((chunk) => chunk.usage !== undefined)?.usage as JsonObject;
    const estimated = run.attempts[0]?.textTokens() ?? Number.NaN;
    expect(estimated).toBeGreaterThan(0);
    expect(usage).toMatchObject({
      ...{ prompt_tokens: 9, completion_tokens: 20 + estimated, total_tokens: 29 + estimated },
    });
  });

  it('goes only to models that continue it', async () => {
    const play = plays(cut('One '), strict('two.'));
    const run = await played(routedCallOf(chat, [claude, gpt, newer, sonnet], 'continue'), play);
    expect(run.requests.map((request) => bodyOf(request).model)).toEqual([claude.model, sonnet.model]);
    for (const other of [gpt, newer]) {
      const { error, requests } = await played(routedCallOf(chat, [other], 'continue'), (request) =>
        other === gpt
          ? { ...strict('One two')(request), pieces: strict('One two')(request).pieces.slice(0, 3), ends: 'reset' }
          : cut('One')(),
      );
      expect([error, requests.length]).toEqual([expect.any(GatewayError), 1]);
    }
  });

  it.each<[string, object]>([
    ['in a form', { response_format: { type: 'json_object' } }],
    ['by a model that thinks', { reasoning_effort: 'low' }],
    [
      'after an assistant’s turn',
      {
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Well,' },
        ],
      },
    ],
    [
      'that may cite',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', citations: { enabled: true } }] }] },
    ],
  ])('is none of a response %s', async (_what, fields) => {
    const run = await played(routedCallOf(chat, models, 'continue', fields), plays(cut('{"One":')));
    expect([run.error, run.requests.length]).toEqual([expect.any(GatewayError), 1]);
  });

  it('is continued once', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One '), cut('two '), whole('three')));
    expect([textOf(run.pieces), run.recovered, run.requests.length]).toEqual(['One two ', ['continued'], 2]);
    expect(run.error).toMatchObject({ code: 'upstream_protocol_error' });
  });

  it('is no text if it has blanks alone: then the request starts again', async () => {
    const run = await played(routedCallOf(chat, models, 'restart'), plays(cut('\n', '\n'), whole('\n\nOne')));
    expect([textOf(run.pieces), run.recovered, beginningIn(run.requests[1])]).toEqual([
      '\n\nOne',
      ['restarted'],
      undefined,
    ]);
  });

  it('follows on a stream that had started again', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut(), cut('One '), strict('two')));
    expect([textOf(run.pieces), run.recovered]).toEqual(['One two', ['restarted', 'continued']]);
  });
});

describe('a stream of which the caller has its head alone', () => {
  it('starts again, with the same request, at most twice', async () => {
    const call = routedCallOf(messages, models, 'restart');
    const run = await played(call, plays(cut(), cut(), strict('One')));
    expect(run.recovered).toEqual(['restarted', 'restarted']);
    const heads = Buffer.concat(run.pieces).toString().split('event: message_start\n');
    expect(heads).toHaveLength(2);
    expect(heads[1]).toContain('"id":"msg_first"');
    const [first, second] = run.requests.map((request) => bodyOf(request));
    expect({ ...second, model: claude.model }).toEqual(first);
    const failed = await played(call, plays(cut(), cut(), cut()));
    expect([failed.error, failed.requests.length]).toEqual([expect.any(GatewayError), 3]);
  });

  it('starts again at the target that it had, on a new connection, if there is no other one', async () => {
    const run = await played(routedCallOf(chat, [claude], 'restart'), plays(cut(), whole('One')));
    expect([textOf(run.pieces), run.requests.map(({ fresh }) => fresh === true)]).toEqual(['One', [false, true]]);
  });

  it('ends with the error of the cut if the next attempt fails too', async () => {
    const run = await played(routedCallOf(chat, models, 'restart'), plays(cut(), refusing(401), refusing(500)));
    expect([run.error, run.requests.length]).toEqual([expect.objectContaining({ code: 'upstream_protocol_error' }), 2]);
  });

  it('ends with the error of the cut if there is no money for another attempt', async () => {
    const call = routedCallOf(chat, models, 'restart');
    const run = await played(
      call,
      plays(() => ({ head: type, pieces: [head, ...deltas('text', [''])], ends: 'reset' })),
      {
        hasMoney: false,
      },
    );
    expect([run.error, run.requests.length]).toEqual([expect.any(GatewayError), 1]);
  });

  it('is charged before another attempt is made', async () => {
    const run = await played(routedCallOf(chat, models, 'restart'), plays(cut(), whole('One')));
    expect(run.charged.map(({ ending }) => ending)).toEqual(['reset']);
  });
});

describe('reasoning that the caller has', () => {
  const thinking = { reasoning_effort: 'low', max_completion_tokens: 9000 };
  const thoughtful = () => ({ head: type, pieces: [head, ...deltas('thinking', ['Hm.'])], ends: 'reset' }) as const;

  it('begins anew in chat completions', async () => {
    const run = await played(routedCallOf(chat, models, 'restart', thinking), plays(thoughtful, whole('One')));
    expect([textOf(run.pieces), run.recovered]).toEqual(['One', ['restarted']]);
  });

  it('is final in other formats', async () => {
    const body = { thinking: { type: 'enabled', budget_tokens: 2000 } };
    const run = await played(routedCallOf(messages, models, 'continue', body), plays(thoughtful));
    expect([run.error, run.requests.length]).toEqual([expect.any(GatewayError), 1]);
  });

  it('is final once text has followed', async () => {
    const both = () => ({ ...thoughtful(), pieces: [...thoughtful().pieces, ...deltas('text', ['One'])] });
    const run = await played(routedCallOf(chat, models, 'continue', thinking), plays(both));
    expect([run.error, run.requests.length]).toEqual([expect.any(GatewayError), 1]);
  });
});

describe('an error inside of a stream', () => {
  const inside = (kind: string) => () => ({
    ...{ head: type, ends: 'end' as const },
    pieces: [head, ...deltas('text', ['One ']), event({ type: 'error', error: { type: kind, message: 'no' } })],
  });

  it('of an overloaded vendor is followed', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(inside('overloaded_error'), strict('two')));
    expect(textOf(run.pieces)).toBe('One two');
  });

  it('about the request is final', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(inside('invalid_request_error')));
    expect([run.error, run.requests.length]).toEqual([expect.objectContaining({ status: 400 }), 1]);
  });
});

describe('a slow reader', () => {
  it('delays the attempt that follows until it reads again', async () => {
    let requests = 0;
    const run = await played(
      routedCallOf(chat, models, 'restart'),
      (request, attempt) => {
        requests = attempt + 1;
        return attempt === 0 ? cut()() : strict('One')(request);
      },
      {
        beforeFlow: (stream) => {
          stream.pause();
          setTimeout(() => {
            expect(requests).toBe(1);
            stream.resume();
          }, 5);
        },
      },
    );
    expect([textOf(run.pieces), requests]).toEqual(['One', 2]);
  });

  it('that leaves meanwhile gets no attempt', async () => {
    const run = await played(routedCallOf(chat, models, 'restart'), plays(cut()), {
      beforeFlow: (stream) => {
        stream.pause();
        setTimeout(() => stream.abort(new Error('left')), 5);
      },
    });
    expect([run.error, run.requests.length]).toEqual([new Error('left'), 1]);
  });
});

describe('a response that its client may not have', () => {
  const broken = new GatewayError('upstream_protocol_error');

  it('is not followed, whatever the error is', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One')), {
      onPiece: (_bytes, stream) => stream.abort(broken),
    });
    expect([run.error, run.requests.length]).toEqual([broken, 1]);
  });

  it('is not followed if the gateway cannot write it', async () => {
    const run = await played(routedCallOf(chat, models, 'continue'), plays(cut('One')), {
      onPiece: () => {
        throw broken;
      },
    });
    expect([run.error, run.requests.length]).toEqual([broken, 1]);
  });

  it('ends the attempt that was to follow, before the request ends', async () => {
    const silent = () => ({ head: type, pieces: [], ends: 'kept' }) as const;
    let following: Promise<void> | undefined;
    const run = await played(routedCallOf(chat, models, 'restart'), plays(cut(), silent), {
      beforeFlow: (stream, { recovering }) => {
        setTimeout(() => {
          following = recovering?.following;
          stream.abort(broken);
        }, 5);
      },
    });
    await following;
    expect(following).toBeInstanceOf(Promise);
    expect([run.error, run.requests.length, run.recovered]).toEqual([broken, 2, []]);
  });
});

describe('a request for what chat completions cannot express', () => {
  it.each<[string, Parameters<typeof routedCallOf>[0], readonly Model[], object]>([
    ['encrypted reasoning', responses, [gpt], { include: ['reasoning.encrypted_content'] }],
    ['a stored response', responses, [gpt], { previous_response_id: 'resp_1' }],
    [
      'several responses',
      { format: 'generate_content', framing: undefined },
      [{ vendor: 'search-provider', model: 'gemini-2.5-flash' }],
      { generationConfig: { candidateCount: 2 } },
    ],
  ])('is passed on unchanged: %s', (_what, kind, to, fields) => {
    const call = routedCallOf(kind, to, 'restart', fields);
    expect(recoveryOf(call)).toBeUndefined();
    expect(recoveryOf(routedCallOf(kind, to, 'restart'))).toBe('restart');
  });
});
