import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, existsSync, openSync, readdirSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { createDataFolder, runCli } from '../../test/main-process.ts'
import { programEnvironment, programPath } from '../../test/program-environment.ts'
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

  it('leaves no file on a full disk, and exits with 73', async () => {
    const env = { LINCHPIN_DATA_DIR: await createDataFolder() }
    assert.equal((await runCli(['migrate'], env)).code, 0)
    const folder = await createDataFolder()
    for (const command of ['backup', 'db export']) {
      const result = await runOnSmallDisk(folder, [...command.split(' '), `${folder}/file`], env)
      assert.deepEqual([result.code, result.files], [73, ''], result.errors)
      assert.match(result.errors, new RegExp(`^${command}: there is no space left for [^\\n]*\\n$`))
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

  it('exits with 73 and a sentence when its output cannot be written, and goes on without standard error', async () => {
    const full = openSync('/dev/full', 'w')
    const runWith = async (stdout: 'pipe' | number, stderr: 'pipe' | number) => {
      const child = spawn(process.execPath, [programPath('cli'), 'token', '--new'], {
        env: programEnvironment(),
        stdio: ['ignore', stdout, stderr],
      })
      const [[code], errors] = await Promise.all([
        once(child, 'close'),
        child.stderr === null ? '' : text(child.stderr),
      ])
      return { code, errors }
    }
    const lost = await runWith(full, 'pipe')
    assert.equal(lost.code, 73)
    assert.match(lost.errors, /^cannot write to standard output: ENOSPC[^\n]*\n$/)
    assert.equal((await runWith('pipe', full)).code, 0)
    closeSync(full)
  })
})

/** Runs a command with 4 kB in the folder, and lists its files afterwards. */
async function runOnSmallDisk(
  folder: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
) {
  const script = '"$@" >/dev/null; code=$?; ls "$0"; exit $code'
  const program = ['sh', '-c', script, folder, process.execPath, programPath('cli'), ...args]
  const mounts = ['--dev-bind', '/', '/', '--size', '4096', '--tmpfs', folder]
  const child = spawn('bwrap', [...mounts, '--', ...program], {
    env: { ...programEnvironment(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [[code], files, errors] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  return { code, files, errors }
}

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
