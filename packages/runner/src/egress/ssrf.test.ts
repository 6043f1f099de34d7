import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { parseAllowList } from './allow-list.ts'
import type { Gate, Purpose } from './gate-types.ts'
import { corpusResolve, oddUrls, PRIVATE_HOSTS } from './ssrf-corpus.ts'
import { failure, listen, openGate, policy, serve } from './testing.ts'

const PURPOSES: readonly Purpose[] = ['source', 'bundle', 'oauth']

describe('SSRF', () => {
  const endings: (() => void | Promise<void>)[] = []
  const suite = { after: (undo: () => void | Promise<void>) => void endings.push(undo) }
  let hits = 0
  let gate: Gate
  let canary = 0
  const canaryServer = (): Server =>
    createServer((socket) => {
      hits += 1
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncanary')
    })

  before(async () => {
    canary = await listen(suite, canaryServer())
    const six = canaryServer()
    await new Promise<void>((resolve) => six.listen(canary, '::1', resolve))
    suite.after(() => void six.close())
    gate = openGate(suite, { allow: [], resolve: corpusResolve })
  })

  after(async () => {
    for (const undo of endings) await undo()
  })

  /** Refused, not merely unreachable: nothing was dialled. */
  async function isRefused(url: string, purpose: Purpose): Promise<void> {
    const error = await failure(gate.request({ method: 'GET', url }, policy({ purpose })))
    assert.equal(error.code, 'refused', `${JSON.stringify(url)}: ${error.detail}`)
    assert.equal(hits, 0, url)
  }

  it('has a corpus of more than 250 URLs and canaries that work', async () => {
    assert.ok(new Set([...PRIVATE_HOSTS, ...oddUrls(canary)]).size >= 250)
    const open = openGate(suite, { allow: parseAllowList('127.0.0.1,::1') })
    for (const host of ['127.0.0.1', '[::1]']) {
      const url = `http://${host}:${canary}/`
      assert.equal((await open.request({ method: 'GET', url }, policy())).status, 200)
    }
    assert.equal(hits, 2)
    hits = 0
  })

  it('refuses every private host on an open port, by its address alone', async () => {
    for (const host of PRIVATE_HOSTS) {
      for (const purpose of PURPOSES) await isRefused(`https://${host}/x`, purpose)
    }
  })

  it('refuses every private host on the port of a canary', async () => {
    for (const host of PRIVATE_HOSTS) {
      await isRefused(`http://${host}:${canary}/x`, 'bundle')
      await isRefused(`https://${host}:${canary}/x`, 'source')
    }
  })

  it('refuses confusing URLs, other ports and other schemes', async () => {
    for (const url of oddUrls(canary)) {
      for (const purpose of PURPOSES) await isRefused(url, purpose)
    }
  })

  it('refuses redirects to each of them', async (test) => {
    let location = ''
    let status = 302
    const port = await serve(test, (_request, response) => {
      response.writeHead(status, { Location: location }).end()
    })
    const allow = parseAllowList(`127.0.0.1:${port}`)
    const redirecting = openGate(test, { allow, resolve: corpusResolve })
    const places = PRIVATE_HOSTS.map((host) => `//${host}:${canary}/`)
    const odd = oddUrls(canary).filter((url) => /^[\x21-\x7e]+$/.test(url) && url !== '/')
    for (const [index, place] of [...places, ...odd].entries()) {
      location = encodeURI(place).replaceAll('%25', '%')
      status = [301, 302, 303, 307, 308][index % 5] ?? 302
      const asked = { method: 'GET', url: `http://127.0.0.1:${port}/` }
      const error = await failure(redirecting.request(asked, policy({ maxRedirects: 3 })))
      assert.equal(error.code, 'refused', `${location}: ${error.detail}`)
    }
    assert.equal(hits, 0)
  })
})

describe('DNS rebinding', () => {
  it('dials the judged address, however often the answer changes', async (test) => {
    let judgedHits = 0
    let canaryHits = 0
    const port = await serve(test, (_request, response) => {
      judgedHits += 1
      response.end('judged')
    })
    const canary = createServer((socket) => {
      canaryHits += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(port, '127.0.0.2', resolve))
    test.after(() => void canary.close())
    let asked = 0
    const gate = openGate(test, {
      allow: parseAllowList('127.0.0.1'),
      resolve: async () => {
        asked += 1
        return [{ address: asked % 2 === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
      },
    })
    for (let index = 0; index < 1_000; index += 1) {
      const request = { method: 'GET', url: `http://rebinding.example:${port}/` }
      if (index % 2 === 0) assert.equal((await gate.request(request, policy())).status, 200)
      else assert.equal((await failure(gate.request(request, policy()))).code, 'refused')
    }
    assert.deepEqual([asked, judgedHits, canaryHits], [1_000, 500, 0])
  })
  it('never uses a kept connection to an address that was judged earlier', async (test) => {
    const port = await listen(
      test,
      createHttpServer((_request, response) => void response.end('1')),
    )
    const other = createHttpServer((_request, response) => void response.end('2'))
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.2', resolve))
    test.after(() => void other.close())
    let address = ''
    const gate = openGate(test, { resolve: async () => [{ address, family: 4 }] })
    for (const last of ['1', '2', '1', '1', '2', '2']) {
      address = `127.0.0.${last}`
      const asked = { method: 'GET', url: `http://moving.example:${port}/` }
      const { body } = await gate.request(asked, policy())
      assert.equal(Buffer.from(body).toString(), last)
    }
  })
})
