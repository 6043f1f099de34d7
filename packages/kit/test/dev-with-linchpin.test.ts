import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type StartedServer, startServer } from '../../../examples/tour/start-server.ts'
import { type RunningCli, runCli, startCli } from '../src/cli/test/run-cli.ts'
import { type LocalServer, startLocalServer } from '../src/test/local-server.ts'
import { createApiClient } from './support/api-client.ts'

describe('linchpin-kit dev with a Linchpin', () => {
  let folder: string
  let file: string
  let server: StartedServer
  let dev: RunningCli | undefined
  let port: string
  let provider: LocalServer
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-dev-in-'))
    const probe = await startLocalServer(() => {})
    ;({ port } = new URL(probe.origin))
    probe.close()
    const signal = AbortSignal.timeout(120_000)
    provider = await startLocalServer((_request, response) => response.end('{"id":7}'))
    const egressAllow = `127.0.0.1:${port},${new URL(provider.origin).host}`
    server = await startServer({ egressAllow, signal })
    const newFlags = ['--name', 'Acme Desk', '--base-url', '${base_url}/api', '--auth', 'header']
    assert.equal((await runCli('new', folder, ...newFlags)).code, 0)
    file = join(folder, 'acme_desk.ts')
  })
  after(async () => {
    await dev?.stop()
    await server?.stop()
    provider?.close()
    await rm(folder, { recursive: true })
  })

  const call = (...args: Parameters<ReturnType<typeof createApiClient>>) =>
    createApiClient(server)(...args)
  async function listDevDefinitionIds(): Promise<string[]> {
    const all = (await call('GET', 'integration_definition')) as unknown as Record<string, string>[]
    const definitions = all.filter(({ name }) => name?.startsWith('Acme Desk (dev)'))
    return definitions.map(({ integrationDefinitionId }) => String(integrationDefinitionId))
  }
  async function stop(): Promise<void> {
    assert.equal(await dev?.stop(), 0)
    dev = undefined
  }
  const fetchForm = async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
  const createFlags = () => ['--port', port, '--linchpin', server.url, '--token']

  it('shows the form of the latest build', async () => {
    const token = join(folder, 'owner-token')
    await writeFile(token, `${server.token}\n`)
    dev = startCli('dev', file, ...createFlags(), token)
    const [, page = ''] = await dev.waitForOutput(/Its form: (\S+),/)
    assert.match(page, /\/link\/lnk_[0-9A-Z]+$/i)
    assert.match(await fetchForm(), /Acme Desk \(dev\)/)
    const source = await readFile(file, 'utf8')
    await writeFile(file, source.replace("secret('API key'", "secret('Desk key'"))
    await dev.waitForOutput(/(?:Its form:[\s\S]*){2}/)
    const [id = ''] = await listDevDefinitionIds()
    const spec = await call('GET', `integration_definition/${id}/spec`)
    assert.match(JSON.stringify(spec), /"title":"Desk key"/)
    assert.match(await fetchForm(), /Desk key/)
    await stop()
  })

  it('reuses the definition of the previous run, and shows the new form despite existing accounts', async () => {
    dev = startCli('dev', file, ...createFlags(), server.token)
    await dev.waitForOutput(/Its form:/)
    const [id, ...others] = await listDevDefinitionIds()
    assert.deepEqual(others, [], 'the definition of an earlier build was deleted')
    await call('POST', 'integration_account', {
      integrationDefinitionId: id,
      integrationAccountName: 'Ours',
      authType: 'Api Key',
      config: { api_key: 'k', base_url: provider.origin },
    })
    const source = await readFile(file, 'utf8')
    await writeFile(file, source.replace("secret('Desk key'", "secret('Third key'"))
    await dev.waitForOutput(/(?:Its form:[\s\S]*){2}/)
    assert.match(await fetchForm(), /Third key/)
    await stop()
  })

  it('prints Linchpin’s message when a bundle is rejected, and continues', async () => {
    dev = startCli('dev', file, ...createFlags(), `lp_${'x'.repeat(36)}`)
    await dev.waitForOutput(/Linchpin returned 401: /)
    assert.equal((await fetch(`http://127.0.0.1:${port}/index.js`)).status, 200)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404)
    await stop()
    dev = startCli('dev', file, '--port', '0', ...createFlags().slice(2), server.token)
    await dev.waitForOutput(
      /Linchpin returned 400: .*Start it with the host of this bundle in LINCHPIN_EGRESS_ALLOW/,
    )
    await stop()
  })

  it('reports an unreachable Linchpin and invalid flags', async () => {
    dev = startCli(
      'dev',
      file,
      '--port',
      '0',
      '--linchpin',
      'http://127.0.0.1:9',
      '--token',
      'lp_x',
    )
    await dev.waitForOutput(/http:\/\/127\.0\.0\.1:9\S* does not respond/)
    await stop()
    for (const [args, message] of [
      [['--linchpin', server.url], /must be used together/],
      [['--linchpin', 'localhost', '--token', 'lp_x'], /--linchpin must be a URL/],
    ] as const) {
      const { code, err } = await runCli('dev', file, ...args)
      assert.equal(code, 2)
      assert.match(err, message)
    }
  })
})
