import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { OPERATOR_USAGES } from './operator-usages.ts'
import { runOperatorCommand } from './run-operator-command.ts'

describe('npm run linchpin', () => {
  it('prints every command with its arguments, and exits with 0 without arguments or with --help', async () => {
    for (const args of [[], ['--help']]) {
      const { code, errors } = await run(...args)
      assert.equal(code, 0)
      for (const [name, usage] of Object.entries(OPERATOR_USAGES)) {
        assert.ok(errors.includes(`-- ${name} ${usage.arguments}`.trimEnd()), name)
        assert.ok(errors.includes(usage.summary), name)
      }
    }
  })

  for (const args of ['keys', 'keys rotat', 'audit', 'nothing', 'token --newest', 'keys rotate x'])
    it(`exits with 64 and the usage for ${args}, and opens nothing`, async () => {
      const { code, errors } = await run(...args.split(' '))
      assert.equal(code, 64)
      assert.match(errors, /Usage:/)
    })
})

async function run(...args: string[]) {
  const errors: string[] = []
  const fail = () => assert.fail('opened')
  const code = await runOperatorCommand(args, {
    env: {},
    output: { log: fail, error: (text) => errors.push(text) },
    now: Date.now,
    openOptions: { onNotice: fail, onFatal: fail, now: Date.now },
    loadConfig: fail,
    open: fail,
  })
  return { code, errors: errors.join('\n') }
}
