import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { buildExampleBundles } from './build.ts'

const SERVE = fileURLToPath(new URL('./serve.ts', import.meta.url))

describe('npm run examples', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`serves the bundles and the provider until ${signal}, then exits 0`, async () => {
      await buildExampleBundles()
      const child = spawn(process.execPath, [SERVE, '--port', '0'])
      try {
        const [greeting] = await once(child.stdout.setEncoding('utf8'), 'data')
        const url = /listen on (http:\S+)/.exec(greeting)?.[1]
        const response = await fetch(`${url}/bundles/acme-desk/index.js`)
        assert.match(response.headers.get('content-type') ?? '', /^text\/javascript/)
        assert.equal(await response.text(), (await buildExampleBundles()).desk.code)
        assert.equal((await fetch(`${url}/bundles/acme-books/index.js`)).status, 200)
        const headers = { 'X-Api-Key': 'desk_live_1' }
        assert.equal((await fetch(`${url}/api/me`, { headers })).status, 200)
      } finally {
        child.kill(signal)
      }
      const [code] = await once(child, 'exit')
      assert.equal(code, 0)
    })
  }

  it('reports a port in use and exits 1', async () => {
    const portHolder = createServer().listen(0, '127.0.0.1')
    await once(portHolder, 'listening')
    const { port } = portHolder.address() as AddressInfo
    const child = spawn(process.execPath, [SERVE, '--port', String(port)])
    const errorOutput = child.stderr.setEncoding('utf8').toArray()
    const [code] = await once(child, 'exit')
    portHolder.close()
    assert.equal(code, 1)
    assert.match(
      (await errorOutput).join(''),
      new RegExp(`^Port ${port} is in use\\. .*npm run examples -- --port ${port + 1}\n$`),
    )
  })
})
