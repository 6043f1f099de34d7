import assert from 'node:assert/strict'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type CliTestContext, startCliTestContext } from './cli-test-context.ts'

describe('linchpin', () => {
  let c: CliTestContext
  before(async () => {
    c = await startCliTestContext()
  })
  after(() => c.close())

  it('logs in with a token from standard input, which only the file of the profiles has, and logs out', async () => {
    const env = { HOME: c.folder, LINCHPIN_URL: c.baseUrl }
    const login = await c.run(['login'], { env, stdin: `${c.t.token}\n` })
    assert.equal(login.exitCode, 0, login.stderr)
    assert.match(login.stderr, /^Logged in to http.* as /)
    const file = path.join(c.folder, '.config/linchpin/config.json')
    assert.equal(statSync(file).mode & 0o777, 0o600)
    const whoami = await c.run(['whoami'], { env: { HOME: c.folder } })
    assert.equal(JSON.parse(whoami.stdout).url, c.baseUrl)
    const elsewhere = await c.run(['whoami', '--url', 'http://127.0.0.1:1'], { env })
    assert.match(elsewhere.stderr, /The token of the profile default is for/)
    assert.equal(elsewhere.exitCode, 2)
    const logout = await c.run(['logout'], { env })
    assert.deepEqual([logout.exitCode, readFileSync(file, 'utf8').includes('lp_')], [0, false])
    const printed = JSON.stringify([login, whoami, elsewhere, logout])
    assert.ok(!printed.includes(c.t.token))
    assert.match(
      (await c.run(['whoami'], { env })).stderr,
      /There is no token\. Run linchpin login/,
    )
  })

  it('lists in tables on a terminal, and in JSON lines in a pipe or with --json', async () => {
    const piped = await c.run(['workspaces', 'list'])
    const [workspace] = piped.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const shown = await c.run(['workspaces', 'list'], { columns: 60 })
    assert.equal(shown.exitCode, 0)
    assert.match(shown.stdout, /^\S+ {2,}\S/)
    assert.ok(shown.stdout.includes(workspace.slug))
    assert.ok(shown.stdout.split('\n').every((line) => line.length <= 60))
    assert.deepEqual(await c.run(['workspaces', 'list', '--json'], { columns: 60 }), piped)
    for (const linkName of ['a', 'b', 'c'])
      await c.t.call('POST', '/v1/link', { body: { linkName } })
    const limited = await c.run(['links', 'list', '--limit', '2'])
    assert.equal(limited.stdout.trim().split('\n').length, 2)
  })

  it('creates a token only where its secret can go: to a file of the person, or printed on demand', async () => {
    const refused = await c.run(['tokens', 'create', '--name', 'a'])
    assert.deepEqual([refused.exitCode, refused.stdout], [2, ''])
    const out = path.join(c.folder, 'token.json')
    const written = await c.run([
      'tokens',
      'create',
      '--name',
      'a',
      '--scopes',
      'read',
      '--out',
      out,
    ])
    const { token } = JSON.parse(readFileSync(out, 'utf8'))
    assert.match(token, /^lp_/)
    assert.equal(statSync(out).mode & 0o777, 0o600)
    assert.ok(!JSON.stringify(written).includes(token))
    assert.deepEqual(JSON.parse(written.stdout).scopes, ['read'])
    const shown = await c.run(['tokens', 'create', '--name', 'b', '--show-token'])
    assert.match(JSON.parse(shown.stdout).token, /^lp_/)
    const listed = await c.run(['tokens', 'list'])
    assert.equal(listed.stdout.split('"name":"a"').length, 2, 'a refused command creates no token')
  })

  it('takes secrets from files and standard input, and refuses them as arguments without repeating them', async () => {
    const args = ['oauth-apps', 'update', c.t.appId]
    for (const option of ['--client-secret=planted-secret', '--data={"a":"planted-secret"}']) {
      const refused = await c.run([...args, option])
      assert.deepEqual([refused.exitCode, refused.stdout], [2, ''])
      assert.match(refused.stderr, /@FILE/)
      assert.ok(!refused.stderr.includes('planted'))
    }
    const file = path.join(c.folder, 'secret.txt')
    writeFileSync(file, 'planted-secret\n')
    for (const [value, stdin] of [
      [`@${file}`, ''],
      ['-', 'planted-secret\n'],
    ] as const) {
      const created = await c.run([...args, '--client-secret', value], { stdin })
      assert.equal(created.exitCode, 0, created.stderr)
      assert.ok(!JSON.stringify(created).includes('planted'))
    }
    const invalid = await c.run(['accounts', 'update', 'acc_1', '--config', '-'], {
      stdin: '{"planted-secret"',
    })
    assert.deepEqual([invalid.exitCode, /planted/.test(invalid.stderr)], [2, false])
  })

  it('exits with 1 when refused, with code, message, fields and request, and with 3 when unreachable', async () => {
    const missing = await c.run(['links', 'get', 'lnk_none'])
    assert.equal(missing.exitCode, 1)
    assert.match(missing.stderr, /^linchpin: link_not_found: .+\n {2}request \S+\n$/)
    const invalid = await c.run(['links', 'create', '--data', '-'], {
      stdin: '{"linkName":"a","maxAccounts":0}',
    })
    assert.equal(invalid.exitCode, 1)
    assert.match(invalid.stderr, /validation_failed|invalid/)
    assert.match(invalid.stderr, /\n {2}\S*maxAccounts\S*: /)
    const env = { LINCHPIN_URL: 'http://127.0.0.1:1', LINCHPIN_TOKEN: c.t.token }
    const fetchNothing = () => Promise.reject(new TypeError('fetch failed'))
    const timers = { env, fetch: fetchNothing }
    const unreachable = await c.run(['links', 'list'], timers)
    assert.equal(unreachable.exitCode, 3)
    assert.match(unreachable.stderr, /cannot be reached/)
  })

  it('hands the commands of operators to the program of the service, and says where it is otherwise', async () => {
    const calls: string[][] = []
    const runProgram = async (_program: string, args: readonly string[]) => {
      calls.push([...args])
      return 64
    }
    const delegated = await c.run(['keys', 'rotate', '--x'], { runProgram })
    assert.equal(delegated.exitCode, 64)
    assert.match(calls[0]?.[0] ?? '', /packages\/server\/generated\/cli\.mjs$/)
    assert.deepEqual(calls[0]?.slice(1), ['keys', 'rotate', '--x'])
    for (const args of [['keys'], ['keys', 'frob'], ['db'], ['audit', 'verify', '--x']])
      assert.equal((await c.run(args, { runProgram })).exitCode, 64, args.join(' '))
    for (const args of [['links'], ['links', 'frob'], ['frob']])
      assert.equal((await c.run(args, { runProgram })).exitCode, 2, args.join(' '))
    const env = { LINCHPIN_HOME: c.folder }
    const refused = await c.run(['token', '--owner'], { env, runProgram })
    assert.deepEqual([refused.exitCode, calls.length], [2, 1])
    assert.match(refused.stderr, /LINCHPIN_HOME/)
  })
})
