import { parseArgs } from 'node:util'
import { build } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lint } from '../lint/lint.ts'
import type { CliCommand } from './cli-command.ts'
import { Misuse } from './misuse.ts'

/** `check`: the lint of integrations. */
export const checkCommand: CliCommand = {
  usage: 'check <file.ts> …',
  says: 'hosts, scopes, unmarked secrets, missing help',
  async run(args, { out, err }) {
    const { positionals: files } = parseArgs({ args: [...args], allowPositionals: true })
    if (files.length === 0) throw new Misuse('Name the file of an integration.')
    let isFine = true
    for (const file of files) {
      const faults = lint(loadIntegration((await build(file)).code).definition)
      for (const fault of faults) err(`${file}: ${fault}`)
      if (faults.length === 0) out(`${file}: nothing to find fault with`)
      isFine &&= faults.length === 0
    }
    return isFine ? 0 : 1
  },
}
