import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from '../build/build.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { lint } from '../lint/lint.ts'
import { type Jail, startJail } from '../test/jail.ts'
import { fixturesPath, loadFixtures } from '../test/load-fixtures.ts'
import { type Tried, tryIntegration } from '../test/try-integration.ts'
import type { CliCommand } from './cli-command.ts'
import { Misuse } from './misuse.ts'

/** `test`: integrations, or bundles of any kit, in the real jail against the fake provider of their fixtures. */
export const testCommand: CliCommand = {
  usage: 'test <file.ts | bundle.js> …',
  says: 'in the real jail, against <file>.fixtures.ts',
  flags: { fixtures: 'what the provider answers; else <file>.fixtures.ts' },
  async run(args, { out }) {
    const options = { fixtures: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length === 0) throw new Misuse('Name the file of an integration.')
    if (values.fixtures && positionals.length > 1) throw new Misuse('--fixtures is for one file.')
    const jail = await startJail()
    try {
      let wrong = 0
      for (const file of positionals) {
        out(file)
        const tried = await tryFile(jail, file, values.fixtures ?? fixturesPath(file))
        for (const each of tried) out(lines(each))
        wrong += tried.filter(({ faults }) => faults.length > 0).length
      }
      out(wrong === 0 ? 'all well' : `${wrong} wrong`)
      return wrong === 0 ? 0 : 1
    } finally {
      await jail.close()
    }
  },
}

/** The lint is for sources: a bundle of another kit may have other ideas of help. */
async function tryFile(jail: Jail, file: string, fixtures: string): Promise<Tried[]> {
  const told = await loadFixtures(fixtures)
  if (/\.c?js$/.test(file)) return tryIntegration(jail, await readFile(file, 'utf8'), told)
  const { code } = await build(file)
  const faults = lint(loadIntegration(code).definition)
  const tried = await tryIntegration(jail, code, told).catch((error: Error) => [
    { title: 'can be tried', faults: [error.message] },
  ])
  return [{ title: 'passes the lint', faults }, ...tried]
}

function lines({ title, faults, never }: Tried): string {
  if (faults.length > 0)
    return [`  ✗ ${title}`, ...faults.map((fault) => `      ${fault}`)].join('\n')
  return never === undefined ? `  ✓ ${title}` : `  - ${title}: ${never}`
}
