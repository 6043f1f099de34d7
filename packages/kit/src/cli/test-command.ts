import { readFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { build } from '../build/build.ts'
import { lintFile } from '../build/lint-file.ts'
import { loadIntegration } from '../build/load-integration.ts'
import { fixturesPath, loadFixtures } from '../test/load-fixtures.ts'
import { runIntegrationTest, type TestResult } from '../test/run-integration-test.ts'
import { startTestSandbox, type TestSandbox } from '../test/test-sandbox.ts'
import type { CliCommand } from './cli-command.ts'
import { UsageError } from './usage-error.ts'

/** `test`: tests integrations, or third-party bundles, in the real sandbox against the fake provider of their fixtures. */
export const testCommand: CliCommand = {
  usage: 'test <file.ts | bundle.js> …',
  description: 'tests integrations in the real sandbox, against <file>.fixtures.ts or .json',
  flags: { fixtures: 'responses of the provider; default: <file>.fixtures.ts or .json' },
  async run(args, { print }) {
    const options = { fixtures: { type: 'string' } } as const
    const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true })
    if (positionals.length === 0) throw new UsageError('Pass the file of an integration.')
    if (values.fixtures && positionals.length > 1)
      throw new UsageError('--fixtures can be used with one file only.')
    const sandbox = await startTestSandbox()
    try {
      let failureCount = 0
      for (const file of positionals) {
        print(file)
        const results = await testFile(sandbox, file, values.fixtures ?? fixturesPath(file))
        for (const each of results) print(formatResult(each))
        failureCount += results.filter(({ errors }) => errors.length > 0).length
      }
      print(failureCount === 0 ? 'all tests passed' : `${failureCount} wrong`)
      return failureCount === 0 ? 0 : 1
    } finally {
      await sandbox.close()
    }
  },
}

/** The lint is for sources: bundles of other kits may follow other rules. */
async function testFile(
  sandbox: TestSandbox,
  file: string,
  fixtures: string,
): Promise<TestResult[]> {
  const loadedFixtures = await loadFixtures(fixtures)
  if (/\.c?js$/.test(file))
    return runIntegrationTest(sandbox, await readFile(file, 'utf8'), loadedFixtures)
  const { code } = await build(file)
  loadIntegration(code)
  const { errors, placeholders } = await lintFile(file)
  const results = await runIntegrationTest(sandbox, code, loadedFixtures).catch((error: Error) => [
    { title: 'can be tested', errors: [error.message] },
  ])
  const published: TestResult = {
    title: 'can be published',
    errors: [],
    skipReason: `linchpin-kit check lists ${placeholders.length} to replace`,
  }
  return [
    { title: 'passes the lint', errors },
    ...(placeholders.length === 0 ? [] : [published]),
    ...results,
  ]
}

function formatResult({ title, errors, skipReason }: TestResult): string {
  if (errors.length > 0)
    return [`  ✗ ${title}`, ...errors.map((error) => `      ${error}`)].join('\n')
  return skipReason === undefined ? `  ✓ ${title}` : `  - ${title}: ${skipReason}`
}
