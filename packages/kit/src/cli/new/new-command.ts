import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { CliCommand } from '../cli-command.ts'
import { Misuse } from '../misuse.ts'
import { judgeGiven, QUESTIONS, readAnswers } from './answers.ts'
import { askMissing } from './ask-missing.ts'
import { writeFixtures, writeIntegration } from './write-integration.ts'

/** `new`: writes an integration and its fixtures. Asks for what no flag says, when somebody is there to answer. */
export const newCommand: CliCommand = {
  usage: 'new [<folder>] [--name <name>] …',
  says: 'asks a few questions and writes an integration whose test passes',
  flags: Object.fromEntries(QUESTIONS.map(({ flag, asks }) => [flag, asks])),
  async run(args, output) {
    const flags = Object.fromEntries(
      QUESTIONS.map(({ flag }) => [flag, { type: 'string' }] as const),
    )
    const { positionals, values } = parseArgs({
      args: [...args],
      options: flags as Record<string, { type: 'string' }>,
      allowPositionals: true,
    })
    const [folder = '.', ...more] = positionals
    if (more.length > 0) throw new Misuse('Name one folder.')
    const said = values as Record<string, string>
    judgeGiven(said)
    const answers = readAnswers(
      process.stdin.isTTY ? await askMissing(said, process.stdin, process.stdout) : said,
    )
    const path = join(folder, `${answers.key}.ts`)
    const fixtures = join(folder, `${answers.key}.fixtures.ts`)
    for (const each of [path, fixtures]) await refuseToOverwrite(each)
    await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${folder} is no folder.`) : error
    })
    await writeFile(path, writeIntegration(answers))
    await writeFile(fixtures, writeFixtures(answers))
    output.out(`Wrote ${path} and ${fixtures}. Next: linchpin-kit test ${path}`)
    return 0
  },
}

async function refuseToOverwrite(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) throw new Error(`${path} is there already.`)
}
