import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createProfileStore } from '../src/profile-store.ts'
import { runCli } from './cli-test-context.ts'

const ENV_TOKEN = 'lp_of_the_environment'
const PROFILE_TOKEN = 'lp_of_the_profile'
const GIVEN_TOKEN = 'lp_given'

/** A server that records which token a request has, and answers as whoami wants. */
async function startServer(tokens: (string | undefined)[], redirectTo?: () => string) {
  const server = createServer((request, response) => {
    tokens.push(request.headers.authorization?.replace('Bearer ', ''))
    if (redirectTo !== undefined) {
      response.writeHead(307, { location: `${redirectTo()}${request.url}` }).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"email":"owner@localhost"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

describe('The token of a command', () => {
  const servers: Server[] = []
  const received: Record<'service' | 'other', (string | undefined)[]> = { service: [], other: [] }
  let folder: string
  let service: string
  let other: string
  let redirecting: string
  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'token-'))
    writeFileSync(path.join(folder, 'token'), `${GIVEN_TOKEN}\n`)
    for (const started of [
      await startServer(received.service),
      await startServer(received.other),
      await startServer([], () => other),
    ])
      servers.push(started.server)
    const urls = servers.map((one) => `http://127.0.0.1:${(one.address() as AddressInfo).port}`)
    ;[service = '', other = '', redirecting = ''] = urls
    const profiles = createProfileStore({ HOME: folder })
    await profiles.set('stored', { url: service, token: PROFILE_TOKEN })
  })
  after(() => {
    for (const server of servers) server.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    received.service.length = 0
    received.other.length = 0
  })

  const run = (args: readonly string[], env: Record<string, string> = {}, stdin = '') =>
    runCli(args, { env: { HOME: folder, NO_COLOR: '1', ...env }, stdin })

  const profile = ['--profile', 'stored']
  const withToken = { LINCHPIN_TOKEN: ENV_TOKEN }

  it('of the environment is sent to LINCHPIN_URL, however --url spells it', async () => {
    const env = { ...withToken, LINCHPIN_URL: service }
    for (const url of [service, `${service}/`, service.replace('http:', 'HTTP:')]) {
      const { exitCode, stderr } = await run(['whoami', '--url', url], env)
      assert.equal(exitCode, 0, stderr)
    }
    assert.equal((await run(['whoami'], env)).exitCode, 0)
    assert.deepEqual(received, { service: Array(4).fill(ENV_TOKEN), other: [] })
  })

  it('of the environment is sent to the address of the profile without LINCHPIN_URL', async () => {
    assert.equal((await run(['whoami', ...profile], withToken)).exitCode, 0)
    assert.deepEqual(received, { service: [ENV_TOKEN], other: [] })
  })

  it('is never sent to another service that --url names: the error says what to pass', async () => {
    const { host } = new URL(service)
    for (const [title, args, env] of [
      ['LINCHPIN_URL', [], { ...withToken, LINCHPIN_URL: service }],
      ['LINCHPIN_URL with a path', [], { ...withToken, LINCHPIN_URL: `${other}/linchpin` }],
      [
        'LINCHPIN_URL with https',
        [],
        { ...withToken, LINCHPIN_URL: other.replace('http', 'https') },
      ],
      ['LINCHPIN_URL on another port', [], { ...withToken, LINCHPIN_URL: `http://${host}` }],
      ['no LINCHPIN_URL and no profile', [], withToken],
      ['the profile, with LINCHPIN_TOKEN', profile, withToken],
      ['the profile', profile, {}],
    ] as const)
      for (const command of [
        ['whoami'],
        ['login'],
        ['accounts', 'list'],
        ['events', 'tail'],
        ['events', 'listen', '--forward-to', other],
        ['webhooks', 'update', 'whe_1', '--endpoint-url', 'https://app.example.com/'],
        ['webhooks', 'create', '--show-token', '--endpoint-url', 'https://app.example.com/'],
      ]) {
        if (command[0] === 'login' && !('LINCHPIN_TOKEN' in env)) continue
        const { exitCode, stderr } = await run([...command, ...args, '--url', other], env)
        assert.equal(exitCode, 2, `${title}: ${command.join(' ')}: ${stderr}`)
        assert.match(stderr, /not sent.*--token @FILE/, title)
        assert.doesNotMatch(stderr, /lp_/)
      }
    assert.deepEqual(received, { service: [], other: [] })
  })

  it('is not sent to a URL that was meant for a webhook endpoint', async () => {
    const env = { ...withToken, LINCHPIN_URL: service }
    const args = ['webhooks', 'create', '--url', other, '--show-token']
    const { exitCode, stderr } = await run(args, env)
    assert.equal(exitCode, 2)
    assert.match(stderr, /--endpoint-url is missing/)
    assert.equal((await run(['webhooks', 'update', 'whe_1', '--url', other], env)).exitCode, 2)
    assert.deepEqual(received, { service: [], other: [] })
  })

  it('of --token is sent where --url says, and comes from a file or standard input only', async () => {
    const env = { ...withToken, LINCHPIN_URL: service }
    const file = `@${path.join(folder, 'token')}`
    assert.equal((await run(['whoami', '--url', other, '--token', file], env)).exitCode, 0)
    const piped = await run(['whoami', ...profile, '--token', '-'], {}, `${GIVEN_TOKEN}\n`)
    assert.equal(piped.exitCode, 0, piped.stderr)
    assert.deepEqual(received, { service: [GIVEN_TOKEN], other: [GIVEN_TOKEN] })
    const argument = await run(['whoami', '--url', other, '--token', GIVEN_TOKEN], env)
    assert.deepEqual([argument.exitCode, argument.stderr.includes(GIVEN_TOKEN)], [2, false])
    const twice = ['links', 'create', '--token', '-', '--data', '-']
    assert.match((await run(twice, {}, '{}')).stderr, /Only one option can read standard input/)
  })

  it('is stored by login with the address that it was given for', async () => {
    const file = `@${path.join(folder, 'token')}`
    const login = ['login', '--profile', 'new', '--url', other]
    const { exitCode, stderr } = await run([...login, '--token', file], withToken)
    assert.equal(exitCode, 0, stderr)
    assert.equal((await run(['whoami', '--profile', 'new'])).exitCode, 0)
    assert.deepEqual(received, { service: [], other: [GIVEN_TOKEN, GIVEN_TOKEN] })
  })

  it('does not follow a redirect of the service', async () => {
    const env = { ...withToken, LINCHPIN_URL: redirecting }
    for (const command of [['whoami'], ['accounts', 'list'], ['accounts', 'fetch', 'acc_1', '/x']])
      assert.notEqual((await run(command, env)).exitCode, 0, command.join(' '))
    assert.deepEqual(received, { service: [], other: [] })
  })
})
