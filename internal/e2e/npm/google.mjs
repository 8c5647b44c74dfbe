// generateContent in @google/genai.
import { ApiError, GoogleGenAI } from '@google/genai'

import { session, sum, turns } from './question.mjs'

export const gemini = {
  async ask(q) {
    const { models } = open(q)
    if (!q.stream) return add({ text: '' }, await models.generateContent(params(q)))
    let out = { text: '' }
    for await (const chunk of await models.generateContentStream(params(q))) out = add(out, chunk)
    return out
  },

  // The SDK leaves the reading of the body to the program.
  refusal(e) {
    if (!(e instanceof ApiError)) return null
    const { error } = JSON.parse(e.message)
    return { status: e.status, kind: error.status, message: error.message }
  },
}

// open makes a client that retries like the others', without their waits: left
// alone, this SDK retries nothing, and would not show what a client does that does.
function open(q) {
  const retryOptions = { attempts: 3, initialDelay: 0, jitter: 0 }
  return new GoogleGenAI({ apiKey: 'dummy', httpOptions: { baseUrl: q.url, headers: session(q), retryOptions } })
}

function params(q) {
  const said = (role) => (text) => ({ role, parts: [{ text }] })
  const image = { inlineData: { mimeType: 'image/png', data: q.picture } }
  return {
    model: q.model,
    contents: turns(q, () => ({ role: 'user', parts: [{ text: q.lookAt }, image] }), said('model'), said('user')),
    config: {
      ...(q.tool && { tools: [{ functionDeclarations: [{ name: 'read' }] }] }),
      ...(q.json && { responseMimeType: 'application/json' }),
    },
  }
}

// add puts an answer, or the next chunk of one, to what was read before: the SDK
// leaves that to the program.
function add(out, m) {
  if (m.candidates?.length !== 1) throw new Error('not one candidate: ' + JSON.stringify(m))
  const [c] = m.candidates
  const u = m.usageMetadata
  const text = out.text + (m.text ?? '')
  return {
    text,
    streamed: text,
    role: c.content.role,
    model: m.modelVersion,
    finish: c.finishReason,
    usage: !!u,
    tokens: u && sum(out.tokens, u.promptTokenCount, u.candidatesTokenCount, u.totalTokenCount),
  }
}
