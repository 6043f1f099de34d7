import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { CliCommand, Output } from '../cli-command.ts'
import { QUESTIONS, readAnswers } from './answers.ts'
import { writeFixtures, writeIntegration } from './write-integration.ts'

/** `new`: writes an integration and its fixtures. Asks for what no flag says, when somebody is there to answer. */
export const newCommand: CliCommand = {
  usage: 'new [<folder>] [--name <name>] …',
  says: 'asks a few questions and writes an integration whose test passes',
  async run(args, output) {
    const flags = Object.fromEntries(
      QUESTIONS.map(({ flag }) => [flag, { type: 'string' }] as const),
    )
    const { positionals, values } = parseArgs({
      args: [...args],
      options: flags as Record<string, { type: 'string' }>,
      allowPositionals: true,
    })
    const folder = positionals[0] ?? '.'
    const said = values as Record<string, string>
    const answers = readAnswers(process.stdin.isTTY ? await askMissing(said, output) : said)
    const path = join(folder, `${answers.key}.ts`)
    const fixtures = join(folder, `${answers.key}.fixtures.ts`)
    for (const each of [path, fixtures]) await refuseToOverwrite(each)
    await mkdir(folder, { recursive: true })
    await writeFile(path, writeIntegration(answers))
    await writeFile(fixtures, writeFixtures(answers))
    output.out(`Wrote ${path} and ${fixtures}. Next: linchpin-kit test ${path}`)
    return 0
  },
}

async function askMissing(
  given: Readonly<Record<string, string>>,
  output: Output,
): Promise<Record<string, string>> {
  const answers = { ...given }
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    for (const { flag, asks, usual, fault } of QUESTIONS) {
      while (answers[flag] === undefined) {
        const proposal = usual(answers)
        const shown = proposal === undefined ? '' : ` [${proposal}]`
        const answer = (await terminal.question(`${asks}${shown}: `)).trim() || (proposal ?? '')
        const wrong = fault(answer)
        if (wrong === undefined) answers[flag] = answer
        else output.err(`It ${wrong}.`)
      }
    }
    return answers
  } finally {
    terminal.close()
  }
}

async function refuseToOverwrite(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Error(`${path} is there already.`)
}
