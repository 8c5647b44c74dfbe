// Chat Completions and Responses in openai.
import OpenAI from 'openai'

import { anObject, dataURL, session, sum, turns } from './question.mjs'

const open = (q) => new OpenAI({ baseURL: q.url + '/v1', apiKey: 'dummy', defaultHeaders: session(q) })

function refusal(e) {
  if (!(e instanceof OpenAI.APIError) || !e.status) return null
  return { status: e.status, kind: e.type, code: e.code, message: e.error?.message }
}

export const chat = {
  refusal,

  async ask(q) {
    if (!q.stream) {
      const m = chatReply(await open(q).chat.completions.create(chatParams(q)))
      return { ...m, streamed: m.text }
    }
    let streamed = ''
    const usage = q.usage && { stream_options: { include_usage: true } }
    const stream = open(q)
      .chat.completions.stream({ ...chatParams(q), ...usage })
      .on('content', (delta) => (streamed += delta))
    return { ...chatReply(await stream.finalChatCompletion()), streamed }
  },
}

function chatParams(q) {
  const image = { type: 'image_url', image_url: { url: dataURL(q) } }
  return {
    model: q.model,
    messages: turns(
      q,
      () => ({ role: 'user', content: [{ type: 'text', text: q.lookAt }, image] }),
      (text) => ({ role: 'assistant', content: text }),
      (text) => ({ role: 'user', content: text }),
    ),
    ...(q.tool && { tools: [{ type: 'function', function: { name: 'read', parameters: anObject } }] }),
    ...(q.json && { response_format: { type: 'json_object' } }),
  }
}

function chatReply(m) {
  if (m.choices.length !== 1) throw new Error('not one choice: ' + JSON.stringify(m))
  const [c] = m.choices
  const u = m.usage
  return {
    text: c.message.content,
    role: c.message.role,
    model: m.model,
    finish: c.finish_reason,
    usage: !!u,
    tokens: u && sum(u.prompt_tokens, u.completion_tokens, u.total_tokens),
  }
}

export const responses = {
  refusal,

  async ask(q) {
    if (!q.stream) {
      const m = responsesReply(await open(q).responses.create(responsesParams(q)))
      return { ...m, streamed: m.text }
    }
    let streamed = ''
    const stream = open(q)
      .responses.stream(responsesParams(q))
      .on('response.output_text.delta', (e) => (streamed += e.delta))
    return { ...responsesReply(await stream.finalResponse()), streamed }
  },
}

function responsesParams(q) {
  const image = { type: 'input_image', detail: 'auto', image_url: dataURL(q) }
  return {
    model: q.model,
    input: turns(
      q,
      () => ({ role: 'user', content: [{ type: 'input_text', text: q.lookAt }, image] }),
      (text) => ({ role: 'assistant', content: text }),
      (text) => ({ role: 'user', content: text }),
    ),
    ...(q.tool && { tools: [{ type: 'function', name: 'read', parameters: anObject, strict: false }] }),
    ...(q.json && { text: { format: { type: 'json_schema', name: 'object', schema: anObject } } }),
  }
}

function responsesReply(m) {
  const u = m.usage
  return {
    text: m.output_text,
    role: m.output.at(-1)?.role,
    model: m.model,
    finish: m.status,
    usage: !!u,
    tokens: u && sum(u.input_tokens, u.output_tokens, u.total_tokens),
  }
}
