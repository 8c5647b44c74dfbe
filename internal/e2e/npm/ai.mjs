// The ai package with the providers' own packages, which have one face for all
// APIs.
import { APICallError, generateText, jsonSchema, Output, RetryError, streamText, tool } from 'ai'
import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'

import { anObject, dataURL, session, sum, turns } from './question.mjs'

const at = (q, path) => ({ baseURL: q.url + path, apiKey: 'dummy' })

const models = {
  'ai anthropic': (q) => createAnthropic(at(q, '/v1'))(q.model),
  'ai openai_chat': (q) => createOpenAI(at(q, '/v1')).chat(q.model),
  'ai openai_responses': (q) => createOpenAI(at(q, '/v1')).responses(q.model),
  'ai gemini': (q) => createGoogleGenerativeAI(at(q, '/v1beta'))(q.model),
  'ai_compatible openai_chat': (q) =>
    createOpenAICompatible({ ...at(q, '/v1'), name: 'compatible', includeUsage: q.usage })(q.model),
}

// ai is the client of one of the packages, by its name and the API's.
export function ai(sdk, api) {
  const model = models[`${sdk} ${api}`]
  return { refusal, ask: (q) => (q.stream ? stream : whole)(params(q, model(q))) }
}

// providerOptions has what the package does by itself with the models of which it
// knows that they take a format. Others it makes call a tool.
const providerOptions = { anthropic: { structuredOutputMode: 'outputFormat' } }

function params(q, model) {
  return {
    model,
    headers: session(q),
    messages: turns(
      q,
      () => ({ role: 'user', content: [{ type: 'text', text: q.lookAt }, { type: 'file', mediaType: 'image/png', data: dataURL(q) }] }),
      (text) => ({ role: 'assistant', content: text }),
      (text) => ({ role: 'user', content: text }),
    ),
    ...(q.tool && { tools: { read: tool({ inputSchema: jsonSchema(anObject) }) } }),
    ...(q.json && { output: Output.object({ schema: jsonSchema(anObject) }), providerOptions }),
  }
}

async function whole(p) {
  const m = await generateText(p)
  return reply(m.text, m.text, m.finishReason, m.response, m.usage)
}

// stream reads the parts, since what the result's promises say of an error is
// only that there was one.
async function stream(p) {
  let streamed = ''
  const result = streamText({ ...p, onError() {} })
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error
    if (part.type === 'text-delta') streamed += part.text
  }
  const [text, finish, response, usage] = await Promise.all([result.text, result.finishReason, result.response, result.usage])
  return reply(text, streamed, finish, response, usage)
}

// reply has no role: the package makes up its own.
function reply(text, streamed, finish, response, usage) {
  const { inputTokens, outputTokens } = usage
  return { text, streamed, finish, model: response.modelId, usage: inputTokens !== undefined, tokens: sum(inputTokens, outputTokens) }
}

function refusal(e) {
  if (RetryError.isInstance(e)) e = e.lastError
  if (!APICallError.isInstance(e)) return null
  const error = e.data?.error // as the package's own schema has read it
  const code = typeof error?.code === 'string' ? error.code : undefined // Gemini's is the HTTP status
  return { status: e.statusCode, kind: error?.type ?? error?.status, code, message: e.message }
}
