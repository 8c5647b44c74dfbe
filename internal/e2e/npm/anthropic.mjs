// The Messages API in @anthropic-ai/sdk.
import Anthropic from '@anthropic-ai/sdk'

import { anObject, session, sum, turns } from './question.mjs'

export const anthropic = {
  async ask(q) {
    const client = new Anthropic({ baseURL: q.url, apiKey: 'dummy', defaultHeaders: session(q) })
    if (!q.stream) {
      const m = reply(await client.messages.create(params(q)))
      return { ...m, streamed: m.text }
    }
    let streamed = ''
    const stream = client.messages.stream(params(q)).on('text', (delta) => (streamed += delta))
    return { ...reply(await stream.finalMessage()), streamed }
  },

  refusal(e) {
    if (!(e instanceof Anthropic.APIError) || !e.status) return null
    return { status: e.status, kind: e.error?.error?.type, message: e.error?.error?.message }
  },
}

function params(q) {
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: q.picture } }
  return {
    model: q.model,
    max_tokens: 64,
    messages: turns(
      q,
      () => ({ role: 'user', content: [{ type: 'text', text: q.lookAt }, image] }),
      (text) => ({ role: 'assistant', content: text }),
      (text) => ({ role: 'user', content: text }),
    ),
    ...(q.tool && { tools: [{ name: 'read', input_schema: anObject }] }),
    ...(q.json && { output_config: { format: { type: 'json_schema', schema: anObject } } }),
  }
}

function reply(m) {
  const u = m.usage
  return {
    text: m.content.map((block) => block.text).join(''),
    role: m.role,
    model: m.model,
    finish: m.stop_reason,
    usage: !!u,
    tokens: u && sum(u.input_tokens, u.output_tokens, u.cache_creation_input_tokens, u.cache_read_input_tokens),
  }
}
