import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type StartedServer, startServer } from '../../../examples/tour/start-server.ts'
import { type Running, runCli, startCli } from '../src/cli/test/run-cli.ts'
import { startLocalServer } from '../src/test/local-server.ts'
import { apiCaller } from './world/api-caller.ts'

describe('linchpin-kit dev with a Linchpin', () => {
  let folder: string
  let file: string
  let server: StartedServer
  let dev: Running | undefined
  let port: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kit-dev-in-'))
    const probe = await startLocalServer(() => {})
    ;({ port } = new URL(probe.origin))
    probe.close()
    const signal = AbortSignal.timeout(120_000)
    server = await startServer({ egressAllow: `127.0.0.1:${port}`, signal })
    const place = ['--name', 'Acme Desk', '--base-url', 'https://api.acme.test', '--auth', 'header']
    assert.equal((await runCli('new', folder, ...place)).code, 0)
    file = join(folder, 'acme_desk.ts')
  })
  after(async () => {
    await dev?.stop()
    await server?.stop()
    await rm(folder, { recursive: true })
  })

  const flags = () => ['--port', port, '--linchpin', server.url, '--token']

  it('shows the form that was built last, for whoever opens it', async () => {
    const token = join(folder, 'owner-token')
    await writeFile(token, `${server.token}\n`)
    dev = startCli('dev', file, ...flags(), token)
    const [, page = ''] = await dev.said(/Its form: (\S+),/)
    const form = async () => (await fetch(`http://127.0.0.1:${port}/`)).text()
    assert.match(page, /\/link\/lnk_[0-9A-Z]+$/i)
    assert.match(await form(), /Acme Desk \(dev/)
    const source = await readFile(file, 'utf8')
    await writeFile(file, source.replace("secret('API key'", "secret('Desk key'"))
    await dev.said(/(?:Its form:[\s\S]*){2}/)
    const call = apiCaller(server)
    const all = (await call('GET', 'integration_definition')) as unknown as { name: string }[]
    const ours = all.filter(({ name }) => name.startsWith('Acme Desk (dev'))
    assert.equal(ours.length, 1, 'no definition of an earlier build is left')
    const { integrationDefinitionId: id } = ours[0] as unknown as Record<string, string>
    const spec = await call('GET', `integration_definition/${id}/spec`)
    assert.match(JSON.stringify(spec), /"title":"Desk key"/)
    assert.match(await form(), /Acme Desk \(dev/)
    await dev.stop()
    dev = undefined
  })

  it('says in Linchpin’s words why a bundle is not taken, and goes on', async () => {
    dev = startCli('dev', file, ...flags(), `lp_${'x'.repeat(36)}`)
    await dev.said(/Linchpin answered 401: /)
    assert.equal((await fetch(`http://127.0.0.1:${port}/index.js`)).status, 200)
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 404)
    assert.equal(await dev.stop(), 0)
    dev = startCli('dev', file, '--port', '0', ...flags().slice(2), server.token)
    await dev.said(/Linchpin answered 400: .*Start it with LINCHPIN_EGRESS_ALLOW/)
    await dev.stop()
    dev = undefined
  })

  it('says when nobody is there, and what the flags must be', async () => {
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
    await dev.said(/Nobody answers at http:\/\/127\.0\.0\.1:9/)
    await dev.stop()
    dev = undefined
    for (const [args, words] of [
      [['--linchpin', server.url], /go together/],
      [['--linchpin', 'localhost', '--token', 'lp_x'], /--linchpin is the URL/],
    ] as const) {
      const { code, err } = await runCli('dev', file, ...args)
      assert.equal(code, 2)
      assert.match(err, words)
    }
  })
})
