import assert from 'node:assert/strict'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  createBundlePolicy,
  expectEgressError,
  listen,
  openEgressGateway,
  serve,
} from '../../test/egress/egress-test-support.ts'
import {
  listForbiddenUrls,
  PRIVATE_HOSTS,
  resolveCorpusHost,
} from '../../test/egress/ssrf-corpus.ts'
import { parseAllowList } from './address.ts'
import type { EgressGateway, Purpose } from './egress.ts'

const PURPOSES: readonly Purpose[] = ['source', 'bundle', 'oauth', 'webhook', 'keys', 'telemetry']

describe('SSRF protection', () => {
  const cleanups: (() => void | Promise<void>)[] = []
  const suite = { after: (undo: () => void | Promise<void>) => void cleanups.push(undo) }
  let canaryHits = 0
  let egressGateway: EgressGateway
  let canary = 0
  const canaryServer = (): Server =>
    createServer((socket) => {
      canaryHits += 1
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\ncanary')
    })

  before(async () => {
    canary = await listen(suite, canaryServer())
    const ipv6Canary = canaryServer()
    await new Promise<void>((resolve) => ipv6Canary.listen(canary, '::1', resolve))
    suite.after(() => void ipv6Canary.close())
    egressGateway = openEgressGateway(suite, { allow: [], resolve: resolveCorpusHost })
  })

  after(async () => {
    for (const undo of cleanups) await undo()
  })

  /** Rejected, not merely unreachable: nothing was dialled. */
  async function assertRefused(url: string, purpose: Purpose): Promise<void> {
    const error = await expectEgressError(
      egressGateway.request({ method: 'GET', url }, createBundlePolicy({ purpose })),
    )
    assert.equal(error.code, 'refused', `${JSON.stringify(url)}: ${error.detail}`)
    const validated = egressGateway.validate(url, createBundlePolicy({ purpose }))
    assert.equal((await expectEgressError(validated)).code, 'refused')
    assert.equal(canaryHits, 0, url)
  }

  it('is tested with more than 250 URLs and working canary servers', async () => {
    assert.ok(new Set([...PRIVATE_HOSTS, ...listForbiddenUrls(canary)]).size >= 250)
    const open = openEgressGateway(suite, { allow: parseAllowList('127.0.0.1,::1') })
    for (const host of ['127.0.0.1', '[::1]']) {
      const url = `http://${host}:${canary}/`
      assert.equal((await open.request({ method: 'GET', url }, createBundlePolicy())).status, 200)
    }
    assert.equal(canaryHits, 2)
    canaryHits = 0
  })

  it('rejects every private host on an open port, by its address alone', async () => {
    for (const host of PRIVATE_HOSTS) {
      for (const purpose of PURPOSES) await assertRefused(`https://${host}/x`, purpose)
    }
  })

  it('rejects every private host on the port of a canary', async () => {
    for (const host of PRIVATE_HOSTS) {
      await assertRefused(`http://${host}:${canary}/x`, 'bundle')
      await assertRefused(`https://${host}:${canary}/x`, 'source')
    }
  })

  it('rejects confusing URLs, other ports and other schemes', async () => {
    for (const url of listForbiddenUrls(canary)) {
      for (const purpose of PURPOSES) await assertRefused(url, purpose)
    }
  })

  it('rejects redirects to each of them', async (test) => {
    let location = ''
    let status = 302
    const port = await serve(test, (_request, response) => {
      response.writeHead(status, { Location: location }).end()
    })
    const allow = parseAllowList(`127.0.0.1:${port}`)
    const redirecting = openEgressGateway(test, { allow, resolve: resolveCorpusHost })
    const redirectTargets = PRIVATE_HOSTS.map((host) => `//${host}:${canary}/`)
    const malformedUrls = listForbiddenUrls(canary).filter(
      (url) => /^[\x21-\x7e]+$/.test(url) && url !== '/',
    )
    for (const [index, redirectTarget] of [...redirectTargets, ...malformedUrls].entries()) {
      location = encodeURI(redirectTarget).replaceAll('%25', '%')
      status = [301, 302, 303, 307, 308][index % 5] ?? 302
      const request = { method: 'GET', url: `http://127.0.0.1:${port}/` }
      const error = await expectEgressError(
        redirecting.request(request, createBundlePolicy({ maxRedirects: 3 })),
      )
      assert.equal(error.code, 'refused', `${location}: ${error.detail}`)
    }
    assert.equal(canaryHits, 0)
  })
})

describe('DNS rebinding protection', () => {
  it('dials the validated address, however often the DNS answer changes', async (test) => {
    let allowedHits = 0
    let rebindingHits = 0
    const port = await serve(test, (_request, response) => {
      allowedHits += 1
      response.end('validated')
    })
    const canary = createServer((socket) => {
      rebindingHits += 1
      socket.destroy()
    })
    await new Promise<void>((resolve) => canary.listen(port, '127.0.0.2', resolve))
    test.after(() => void canary.close())
    let lookupCount = 0
    const egressGateway = openEgressGateway(test, {
      allow: parseAllowList('127.0.0.1'),
      resolve: async () => {
        lookupCount += 1
        return [{ address: lookupCount % 2 === 1 ? '127.0.0.1' : '127.0.0.2', family: 4 }]
      },
    })
    for (let index = 0; index < 1_000; index += 1) {
      const request = { method: 'GET', url: `http://rebinding.example:${port}/` }
      if (index % 2 === 0)
        assert.equal((await egressGateway.request(request, createBundlePolicy())).status, 200)
      else
        assert.equal(
          (await expectEgressError(egressGateway.request(request, createBundlePolicy()))).code,
          'refused',
        )
    }
    assert.deepEqual([lookupCount, allowedHits, rebindingHits], [1_000, 500, 0])
  })
  it('never reuses an idle connection to an address that was validated earlier', async (test) => {
    const port = await listen(
      test,
      createHttpServer((_request, response) => void response.end('1')),
    )
    const other = createHttpServer((_request, response) => void response.end('2'))
    await new Promise<void>((resolve) => other.listen(port, '127.0.0.2', resolve))
    test.after(() => void other.close())
    let address = ''
    const egressGateway = openEgressGateway(test, { resolve: async () => [{ address, family: 4 }] })
    for (const last of ['1', '2', '1', '1', '2', '2']) {
      address = `127.0.0.${last}`
      const request = { method: 'GET', url: `http://moving.example:${port}/` }
      const { body } = await egressGateway.request(request, createBundlePolicy())
      assert.equal(Buffer.from(body).toString(), last)
    }
  })
})
