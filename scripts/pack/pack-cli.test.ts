import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { buildSync } from 'esbuild'
import { listCommands } from '../../packages/cli/src/commands.ts'
import {
  type CliTestContext,
  startCliTestContext,
} from '../../packages/cli/test/cli-test-context.ts'
import { listNodes } from './old-node.ts'
import { packCli } from './pack-cli.ts'
import { ROOT } from './pack-package.ts'

/** What a program that was built for a newer Node prints. */
const CRASH =
  /is not a (?:function|constructor)|is not (?:defined|iterable)|Cannot read|does not provide an export|SyntaxError|\n {4}at /

/** Runs many commands in one process: each evaluates the program again. */
const DRIVER = `
import { pathToFileURL } from 'node:url'
process.setMaxListeners(0)
process.stdout.setMaxListeners(0)
process.stderr.setMaxListeners(0)
const [, , program, ...commands] = process.argv
const print = process.stdout.write.bind(process.stdout)
const results = []
for (const [index, command] of commands.entries()) {
  const result = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (text) => ((result[name] += text), true)
  process.argv = [process.execPath, program, ...JSON.parse(command)]
  process.exitCode = undefined
  await import(pathToFileURL(program) + '?' + index).catch((error) => (result.stderr += error.stack))
  results.push({ ...result, exitCode: process.exitCode })
}
process.exitCode = 0
print(JSON.stringify(results), () => process.exit())
`

interface Result {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

describe('The packed command line', { timeout: 240_000 }, () => {
  let c: CliTestContext
  let folder: string
  let program: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'pack-cli-'))
    const tarball = packCli(path.join(folder, 'packed'))
    const { status, stderr } = spawnSync('tar', ['-xzf', tarball, '-C', folder])
    assert.equal(status, 0, String(stderr))
    program = path.join(folder, 'package/bin/linchpin.mjs')
    writeFileSync(path.join(folder, 'driver.mjs'), DRIVER)
    c = await startCliTestContext()
  })
  after(async () => {
    await c.close()
    rmSync(folder, { recursive: true })
  })

  const start = (node: string, args: readonly string[], env: Record<string, string> = {}) =>
    spawn(node, args, {
      cwd: folder,
      env: { HOME: folder, LINCHPIN_URL: c.baseUrl, LINCHPIN_TOKEN: c.t.token, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  const runAll = async (
    node: string,
    commands: readonly (readonly string[])[],
  ): Promise<Result[]> => {
    const args = [
      path.join(folder, 'driver.mjs'),
      program,
      ...commands.map((one) => JSON.stringify(one)),
    ]
    const child = start(node, args, { NANGO_SECRET_KEY: 'key' })
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
    assert.equal(stderr, '')
    return JSON.parse(stdout)
  }

  /** Runs a command until it prints something, and interrupts it. */
  const interrupt = async (node: string, args: readonly string[], printed: RegExp) => {
    const child = start(node, [program, ...args])
    const exited = once(child, 'exit')
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        output += chunk
        if (!child.killed && printed.test(output)) child.kill('SIGINT')
      })
    const [exitCode] = await exited
    return { exitCode, output }
  }

  for (const { program: node, title } of listNodes()) {
    it(`runs without other packages on ${title}`, () => {
      const run = (...args: string[]) =>
        spawnSync(node, [program, ...args], {
          cwd: folder,
          encoding: 'utf8',
          env: { HOME: folder },
        })
      assert.match(run('--version').stdout, /^\d+\.\d+\.\d+\n$/)
      const { status, stderr } = run('accounts', 'list')
      assert.deepEqual([status, /linchpin login/.test(stderr)], [2, true], stderr)
    })

    it(`explains every command on ${title}`, async () => {
      const names = listCommands().map(({ name }) => name)
      assert.ok(names.length > 60)
      const results = await runAll(
        node,
        names.map((name) => [...name.split(' '), '--help']),
      )
      for (const [index, { exitCode, stdout, stderr }] of results.entries()) {
        assert.deepEqual([exitCode, stderr], [0, ''], names[index])
        assert.ok(stdout.startsWith(`Usage: linchpin ${names[index]}`), names[index])
      }
    })

    it(`runs every command against a service on ${title}`, async () => {
      const commands = listCommands()
        .filter(
          ({ name }) =>
            !OTHERWISE.has(name.split(' ')[0] ?? '') &&
            name !== 'events tail' &&
            name !== 'events listen',
        )
        .map((command) => [
          ...command.name.split(' '),
          ...('positionals' in command ? command.positionals.map(() => 'none_1') : []),
        ])
      const results = await runAll(node, commands)
      for (const [index, { exitCode, stderr }] of results.entries()) {
        const name = commands[index]?.join(' ')
        assert.ok([0, 1, 2, 64].includes(exitCode), `${name}: ${exitCode}`)
        assert.doesNotMatch(stderr, CRASH, name)
      }
      const succeeded = results.filter(({ exitCode }) => exitCode === 0)
      assert.ok(succeeded.length > 8, `${succeeded.length} commands succeeded`)
    })

    it(`completes, verifies an audit trail and imports on ${title}`, async () => {
      const nango = createServer((_request, response) => {
        response.setHeader('content-type', 'application/json').end('{"connections":[]}')
      }).listen(0, '127.0.0.1')
      await once(nango, 'listening')
      const from = `http://127.0.0.1:${(nango.address() as AddressInfo).port}`
      const [exported] = await runAll(node, [['audit', 'export']])
      assert.equal(exported?.exitCode, 0, exported?.stderr)
      writeFileSync(path.join(folder, 'audit.jsonl'), exported?.stdout ?? '')
      writeFileSync(path.join(folder, 'checkpoints.jsonl'), '')
      const lines = exported?.stdout.split('\n') ?? []
      writeFileSync(
        path.join(folder, 'changed.jsonl'),
        lines.filter((_, index) => index !== 2).join('\n'),
      )
      const [bash, zsh, intact, changed, missing, nothing] = await runAll(node, [
        ['completion', 'bash'],
        ['completion', 'zsh'],
        ['audit', 'verify', 'audit.jsonl', '--checkpoints', 'checkpoints.jsonl'],
        ['audit', 'verify', 'changed.jsonl'],
        ['audit', 'verify', 'missing.jsonl'],
        ['import', 'nango', '--from', from],
      ])
      nango.close()
      for (const result of [bash, zsh, intact, nothing])
        assert.equal(result?.exitCode, 0, JSON.stringify(result))
      assert.match(bash?.stdout ?? '', /complete -o default -F _linchpin linchpin/)
      assert.equal(changed?.exitCode, 1, JSON.stringify(changed))
      assert.deepEqual(
        [missing?.exitCode, /there is no file/.test(missing?.stderr ?? '')],
        [2, true],
      )
      assert.match(nothing?.stderr ?? '', /Nango has no connections/)
    })

    it(`follows events and connects until it is interrupted on ${title}`, async () => {
      for (const [args, printed] of [
        [['events', 'tail', '--after', 'oldest'], /"evt_/],
        [['events', 'listen', '--forward-to', c.baseUrl], /Forwarding/],
        [
          ['connect', (await c.t.createDefinition({})).integrationDefinitionId, '--no-open'],
          /Open this/,
        ],
      ] as const) {
        const { exitCode, output } = await interrupt(node, args, printed)
        assert.equal(exitCode, 130, output)
        assert.doesNotMatch(output, CRASH)
      }
    })
  }

  it('uses only built-ins of JavaScript that Node 20 has', () => {
    const entry = path.join(ROOT, 'packages/cli/src/main.ts')
    const { metafile } = buildSync({
      entryPoints: [entry],
      absWorkingDir: ROOT,
      platform: 'node',
      format: 'esm',
      bundle: true,
      write: false,
      metafile: true,
    })
    const inputs = new Set(Object.keys(metafile.inputs))
    assert.ok(inputs.size > 50)
    const compilerOptions = {
      lib: ['es2023'],
      target: 'es2023',
      typeRoots: [path.join(ROOT, 'node_modules/@types')],
    }
    const config = path.join(folder, 'tsconfig.json')
    const base = { extends: path.join(ROOT, 'tsconfig.json'), compilerOptions, include: [] }
    const compile = (files: readonly string[]) => {
      writeFileSync(config, JSON.stringify({ ...base, files }))
      const tsc = path.join(ROOT, 'node_modules/.bin/tsc')
      return spawnSync(tsc, ['-p', config], { cwd: ROOT, encoding: 'utf8' }).stdout.split('\n')
    }
    // Types lead to files that are not part of the program.
    const errors = compile([entry]).filter(
      (line) => line.startsWith('error') || inputs.has(line.replace(/\(.*/, '')),
    )
    assert.deepEqual(errors, [])
    const newer = path.join(folder, 'newer.ts')
    writeFileSync(newer, 'export const groups = Map.groupBy([1], (value) => value)\n')
    assert.match(compile([newer]).join('\n'), /newer\.ts.*groupBy/)
  })
})

/** Commands of those who run the service, and those that have tests of their own here. */
const OTHERWISE = new Set(['completion', 'connect', 'import', 'login', 'logout'])
