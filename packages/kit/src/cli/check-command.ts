import { parseArgs } from 'node:util'
import { lintFile } from '../lint/lint-file.ts'
import type { CliCommand } from './cli-command.ts'
import { UsageError } from './usage-error.ts'

/** `check`: the lint of integrations. */
export const checkCommand: CliCommand = {
  usage: 'check <file.ts> …',
  description: 'checks keys, hosts, scopes, unmarked secrets, missing help and placeholders of new',
  async run(args, { print, printError }) {
    const { positionals: files } = parseArgs({ args: [...args], allowPositionals: true })
    if (files.length === 0) throw new UsageError('Pass the file of an integration.')
    let isOk = true
    for (const file of files) {
      const { errors, placeholders } = await lintFile(file)
      const problems = [...errors, ...placeholders]
      for (const problem of problems) printError(`${file}: ${problem}`)
      if (problems.length === 0) print(`${file}: no problems found`)
      isOk &&= problems.length === 0
    }
    return isOk ? 0 : 1
  },
}
