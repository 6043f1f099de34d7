import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { QUESTIONS } from './answers.ts'

/** Prompts for every missing answer until it is valid. An empty line selects the default. */
export async function promptMissing(
  provided: Readonly<Record<string, string>>,
  input: Readable,
  output: Writable,
): Promise<Record<string, string>> {
  const answers = { ...provided }
  const readline = createInterface({ input, output })
  const lines = readline[Symbol.asyncIterator]()
  try {
    for (const { flag, prompt, defaultAnswer, validate } of QUESTIONS) {
      while (answers[flag] === undefined) {
        const proposal = defaultAnswer(answers)
        output.write(`${prompt}${proposal === undefined ? '' : ` [${proposal}]`}: `)
        const { value, done } = await lines.next()
        if (done) throw new Error('The input ended before all questions were answered.')
        const answer = value.trim() || (proposal ?? '')
        const error = validate(answer)
        if (error === undefined) answers[flag] = answer
        else output.write(`It ${error}.\n`)
      }
    }
    return answers
  } finally {
    readline.close()
  }
}
