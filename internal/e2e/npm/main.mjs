// Asks questions with the SDKs. Each line of standard input is one as JSON, each
// line of standard output what became of it, under the question's id; several
// can be under way. It ends with its input.
import { createInterface } from 'node:readline'

import { anthropic } from './anthropic.mjs'
import { chat, responses } from './openai.mjs'
import { gemini } from './google.mjs'
import { ai } from './ai.mjs'

const own = { anthropic, openai_chat: chat, openai_responses: responses, gemini }

// Standard output is for the results alone, whatever the SDKs have to say.
const print = (o) => process.stdout.write(JSON.stringify(o) + '\n')
console.log = console.info = console.debug = console.error
globalThis.AI_SDK_LOG_WARNINGS = false

// answer is {reply}, {refusal} for the SDK's own error with a status, or {fault}
// for whatever else was thrown.
async function answer(q) {
  const client = q.sdk === 'npm' ? own[q.api] : ai(q.sdk, q.api)
  try {
    return { reply: await client.ask(q) }
  } catch (e) {
    const refusal = client.refusal(e)
    return refusal ? { refusal } : { fault: String(e?.stack ?? e) }
  }
}

createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const q = JSON.parse(line)
    print({ id: q.id, ...(await answer(q)) })
  })
  .on('close', () => process.exit(0))

print({ ready: process.version })
