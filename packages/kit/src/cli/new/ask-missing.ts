import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { QUESTIONS } from './answers.ts'

/** Asks a person for every answer that is not given, until it is one. An empty line takes the proposal. */
export async function askMissing(
  given: Readonly<Record<string, string>>,
  input: Readable,
  output: Writable,
): Promise<Record<string, string>> {
  const answers = { ...given }
  const terminal = createInterface({ input, output })
  const lines = terminal[Symbol.asyncIterator]()
  try {
    for (const { flag, asks, usual, fault } of QUESTIONS) {
      while (answers[flag] === undefined) {
        const proposal = usual(answers)
        output.write(`${asks}${proposal === undefined ? '' : ` [${proposal}]`}: `)
        const { value, done } = await lines.next()
        if (done) throw new Error('Nobody answers.')
        const answer = value.trim() || (proposal ?? '')
        const wrong = fault(answer)
        if (wrong === undefined) answers[flag] = answer
        else output.write(`It ${wrong}.\n`)
      }
    }
    return answers
  } finally {
    terminal.close()
  }
}
