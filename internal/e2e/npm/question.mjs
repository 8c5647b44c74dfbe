// What the clients share.

// anObject is the least JSON schema that APIs take.
export const anObject = { type: 'object', properties: {}, additionalProperties: false }

export const session = (q) => (q.session ? { 'X-Session-Id': q.session } : {})

export const dataURL = (q) => 'data:image/png;base64,' + q.picture

// turns is the conversation, each turn made by its own function: the picture's
// (the first), the model's and the user's next, if there was an answer.
export const turns = (q, look, model, user) => (q.answer ? [look(), model(q.answer), user(q.goOn)] : [look()])

export const sum = (...numbers) => numbers.reduce((a, n) => a + (n ?? 0), 0)
