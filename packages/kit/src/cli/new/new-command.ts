import { access, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { lintFile } from '../../lint/lint-file.ts'
import type { CliCommand } from '../cli-command.ts'
import { UsageError } from '../usage-error.ts'
import { parseAnswers, QUESTIONS, validateAnswers } from './answers.ts'
import { promptMissing } from './prompt-missing.ts'
import { writeFixtures, writeIntegration } from './write-integration.ts'
import { writeProject } from './write-project.ts'

/** `new`: writes an integration and its fixtures. Prompts for missing flags if there is a terminal. */
export const newCommand: CliCommand = {
  usage: 'new [<folder>] [--name <name>] …',
  description: 'asks a few questions and writes an integration whose test passes',
  flags: Object.fromEntries(QUESTIONS.map(({ flag, prompt }) => [flag, prompt])),
  async run(args, output) {
    const flags = Object.fromEntries(
      QUESTIONS.map(({ flag }) => [flag, { type: 'string' }] as const),
    )
    const { positionals, values } = parseArgs({
      args: [...args],
      options: flags as Record<string, { type: 'string' }>,
      allowPositionals: true,
    })
    const [folder = '.', ...extra] = positionals
    if (extra.length > 0) throw new UsageError('Pass one folder.')
    const provided = values as Record<string, string>
    validateAnswers(provided)
    const answers = parseAnswers(
      process.stdin.isTTY ? await promptMissing(provided, process.stdin, process.stdout) : provided,
    )
    const path = join(folder, `${answers.key}.ts`)
    const fixtures = join(folder, `${answers.key}.fixtures.ts`)
    for (const each of [path, fixtures]) await assertNotExists(each)
    await mkdir(folder, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'EEXIST' ? new Error(`${folder} is not a folder.`) : error
    })
    await writeFile(path, writeIntegration(answers))
    await writeFile(fixtures, writeFixtures(answers))
    const written = [path, fixtures, ...(await writeProject(folder, answers.key))]
    const names = `${written.slice(0, -1).join(', ')} and ${written.at(-1)}`
    output.print(`Wrote ${names}.`)
    const { placeholders } = await lintFile(path)
    if (placeholders.length > 0) output.print(`Replace in ${path} before you publish it:`)
    for (const placeholder of placeholders) output.print(`  ${placeholder}`)
    output.print(`Next: npx linchpin-kit test ${path}`)
    return 0
  },
}

async function assertNotExists(path: string): Promise<void> {
  const exists = await access(path).then(
    () => true,
    () => false,
  )
  if (exists) throw new Error(`${path} already exists.`)
}
