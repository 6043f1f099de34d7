import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { createDataFolder, runCli } from '../../../test/main-process.ts'
import { programEnvironment, programPath } from '../../../test/program-environment.ts'
import type { OperatorContext } from './operator-command.ts'
import { OPERATOR_USAGES } from './operator-usages.ts'
import { runOperatorCommand } from './run-operator-command.ts'

describe('npm run linchpin', () => {
  it('prints every command with its arguments, and exits with 0 without arguments or with --help', async () => {
    for (const args of [[], ['--help']]) {
      const { code, errors } = await run({}, ...args)
      assert.equal(code, 0)
      for (const [name, usage] of Object.entries(OPERATOR_USAGES)) {
        assert.ok(errors.includes(`  linchpin ${name} ${usage.arguments}`.trimEnd()), name)
        assert.ok(errors.includes(usage.summary), name)
      }
    }
  })

  it('prints the commands as npm runs them, when npm runs it in a clone', async () => {
    const { errors } = await run({ npm_package_name: 'linchpin' }, 'keys', 'rotate', 'x')
    assert.match(errors, /^ {2}npm run linchpin -- keys rotate$/m)
    const { errors: ofAnother } = await run({ npm_package_name: 'product' }, 'keys', 'rotate', 'x')
    assert.match(ofAnother, /^ {2}linchpin keys rotate$/m)
  })

  for (const args of [
    'keys',
    'keys rotat',
    'audit',
    'nothing',
    'token --newest',
    'keys rotate x',
    'keys verify x',
    'keys forget',
    'keys forget k1',
    'keys rekey x',
    'audit key x',
    'audit verify',
    'audit verify a b',
    'audit verify --x',
    'backup',
    'backup --x',
    'backup a b',
    'restore',
    'restore a b',
    'restore --x a',
    'doctor x',
    'migrate x',
    'db',
    'db export',
    'db export --x',
    'db import a b',
    'registry key x',
    'registry sign',
    'registry sign --days',
    'registry sign a --days 0',
    'import poozle x',
    'import poozle --x',
  ])
    it(`exits with 64 and the usage for ${args}, and opens nothing`, async () => {
      const { code, errors } = await run({}, ...args.split(' '))
      assert.equal(code, 64)
      assert.match(errors, /Usage:/)
    })

  it('exits with 64 for an empty argument, as of a variable that is not set', async () => {
    for (const name of ['backup', 'restore', 'db export', 'audit verify'])
      assert.equal((await run({}, ...name.split(' '), '')).code, 64, name)
  })

  it('finds no file with 66, and creates none in a missing folder with 73', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    const missing = `${env.LINCHPIN_DATA_DIR}/missing/x`
    assert.equal((await runCli(['migrate'], env)).code, 0)
    for (const [command, code] of [
      ['db import', 66],
      ['registry sign', 66],
      ['db export', 73],
      ['backup', 73],
    ] as const) {
      const result = await runCli([...command.split(' '), missing], env)
      assert.deepEqual([result.code, result.stdout.includes('ENOENT')], [code, false], command)
      assert.match(result.stderr, new RegExp(`^${command}: .*\\.\\n$`))
    }
  })

  it('keys verify: 78 in a folder without database, which stays empty', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    const { code, stderr } = await runCli(['keys', 'verify'], env)
    assert.deepEqual([code, readdirSync(env.LINCHPIN_DATA_DIR)], [78, []])
    assert.match(stderr, /LINCHPIN_DATA_DIR: there is no database at /)
  })

  it('ends its work when the reader of its output has gone', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    assert.equal((await runCli(['migrate'], env)).code, 0)
    const file = `${env.LINCHPIN_DATA_DIR}/export`
    const child = spawn(process.execPath, [programPath('cli'), 'db', 'export', file], {
      env: { ...programEnvironment(), ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    child.stdout.destroy()
    assert.deepEqual(await once(child, 'close'), [0, null])
    assert.equal(existsSync(file), true)
  })
})

async function run(env: OperatorContext['env'], ...args: string[]) {
  const errors: string[] = []
  const fail = () => assert.fail('opened')
  const code = await runOperatorCommand(args, {
    env,
    output: { log: fail, error: (text) => errors.push(text) },
    now: Date.now,
    openOptions: { onNotice: fail, onFatal: fail, now: Date.now },
    loadConfig: fail,
    open: fail,
  })
  return { code, errors: errors.join('\n') }
}
