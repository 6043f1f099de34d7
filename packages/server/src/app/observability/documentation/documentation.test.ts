import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { type TestApp, testApp } from '../../../../test/test-app.ts'
import { listOperations, type OpenApiDocument } from '../api-reference/openapi-document.ts'
import type { SearchEntry } from './search-entry.ts'

describe('The documentation', () => {
  let t: TestApp
  let document: OpenApiDocument
  /** Every page of the documentation by its path, and the policy that it was sent with. */
  const pages = new Map<string, string>()
  const policies = new Map<string, string>()

  before(async () => {
    t = await testApp()
    document = t.app.swagger() as unknown as OpenApiDocument
    const queue = ['/docs']
    for (const path of queue) {
      const { statusCode, body, headers } = await t.app.inject({ url: path })
      assert.equal(statusCode, 200, path)
      pages.set(path, body)
      policies.set(path, String(headers['content-security-policy']))
      for (const { url } of listTargets(path, body))
        if (isPage(url.pathname) && !queue.includes(url.pathname)) queue.push(url.pathname)
    }
  })
  after(() => t.close())

  const isPage = (path: string) => path.startsWith('/docs') && !/\.(?:png|svg)$/.test(path)

  /** The links and files of a page as a browser resolves them. */
  function listTargets(path: string, body: string) {
    return [...body.matchAll(/(?<kind>href|src)="(?<to>[^"]+)"/g)]
      .map(({ groups }) => ({
        to: groups?.to ?? '',
        url: new URL(groups?.to ?? '', `http://d${path}`),
      }))
      .filter(({ url }) => url.host === 'd')
  }

  const listIds = (body = '') => [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id ?? '')

  describe('/docs', () => {
    it('has a page for each group of operations, each document and each decision', () => {
      const expected = [
        ...document.tags.map(({ name }) => `/docs/api/${name.toLowerCase().replaceAll(' ', '-')}`),
        ...globSync('docs/*.md').map((file) => `/${file.replace('.md', '')}`),
        ...globSync('docs/decisions/0*.md').map((file) => `/${file.replace('.md', '')}`),
      ]
      assert.ok(expected.length > 60)
      assert.deepEqual(
        expected.filter((path) => !pages.has(path)),
        [],
      )
    })

    it('shows each operation and each schema once', () => {
      const operations = document.tags.flatMap(({ name }) => listOperations(document, name))
      assert.ok(operations.length > 60)
      const ids = [...pages]
        .filter(([path]) => path.includes('/api/'))
        .flatMap(([, body]) => listIds(body))
      for (const id of [
        ...operations.map(({ operation }) => operation.operationId),
        ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
      ])
        assert.equal(ids.filter((other) => other === id).length, 1, id)
    })

    it('has no link to a section, page or file that does not exist', async () => {
      const statuses = new Map<string, number>()
      const broken: string[] = []
      for (const [path, body] of pages)
        for (const { to, url } of listTargets(path, body)) {
          const target = pages.get(url.pathname)
          if (target === undefined && !statuses.has(url.pathname))
            statuses.set(url.pathname, (await t.app.inject({ url: url.pathname })).statusCode)
          const hasSection =
            target === undefined ||
            url.hash === '' ||
            listIds(target).includes(decodeURIComponent(url.hash.slice(1)))
          // The root leads to the console.
          const status = statuses.get(url.pathname) ?? 200
          if ((status !== 200 && !(status === 303 && url.pathname === '/')) || !hasSection)
            broken.push(`${path}: ${to}`)
        }
      assert.deepEqual(broken, [])
    })

    it('has only relative links, so that a proxy may serve it below a path', () => {
      for (const [path, body] of pages)
        assert.deepEqual(body.match(/(?:href|src)="\/[^"]*"/g), null, path)
    })

    it('loads nothing from other origins, and runs no script but its own', () => {
      for (const [path, body] of pages) {
        assert.match(
          policies.get(path) ?? '',
          /^default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; /,
        )
        assert.doesNotMatch(
          body,
          /<script(?! type="module" src="\.[./]*\/assets\/documentation\.)|javascript:/i,
        )
      }
    })

    it('has no page of more than 20 screens of operations', () => {
      for (const [path, body] of pages)
        assert.ok(!path.includes('/api/') || body.length < 450_000, `${path}: ${body.length}`)
    })

    it('304: is not sent again to a browser that has it', async () => {
      const { headers, statusCode } = await t.app.inject({ url: '/docs/quickstart' })
      assert.equal(statusCode, 200)
      const again = await t.app.inject({
        url: '/docs/quickstart',
        headers: { 'if-none-match': `"other", ${headers.etag}` },
      })
      assert.deepEqual([again.statusCode, again.body], [304, ''])
    })

    it('is compressed once: a request costs less than 5 ms of CPU time', async () => {
      const get = (encoding: string) =>
        t.app.inject({ url: '/docs/errors', headers: { 'accept-encoding': encoding } })
      const plain = await get('gzip;q=0, br;q=0.0')
      assert.equal(plain.headers['content-encoding'], undefined)
      const small = await get('gzip, br')
      assert.equal(small.headers['content-encoding'], 'br')
      assert.equal(brotliDecompressSync(small.rawPayload).toString(), plain.body)
      const start = process.threadCpuUsage()
      for (let count = 0; count < 50; count += 1) await get('gzip, br')
      const { user, system } = process.threadCpuUsage(start)
      assert.ok((user + system) / 50_000 < 5, `${(user + system) / 50_000} ms each`)
    })

    it('404 route_not_found for any other name, path traversal included', async () => {
      for (const name of [
        'nothing',
        'quickstart.md',
        '../package.json',
        '..%2Fpackage.json',
        'images/..%2F..%2Fpackage.json',
        'images/nothing.png',
        'api/nothing',
        'decisions',
        '__proto__',
      ]) {
        const response = await t.app.inject({ url: `/docs/${name}` })
        assert.deepEqual(
          [response.statusCode, response.json().error],
          [404, 'route_not_found'],
          name,
        )
      }
    })
  })

  describe('GET /docs/search.json', () => {
    it('200: has every operation, and each entry leads to a section that exists', async () => {
      const response = await t.app.inject({ url: '/docs/search.json' })
      const entries = response.json<readonly SearchEntry[]>()
      assert.ok(entries.length > 500, `${entries.length} entries`)
      const operations = document.tags.flatMap(({ name }) => listOperations(document, name))
      for (const { operation } of operations)
        assert.ok(entries.some(({ url }) => url.endsWith(`#${operation.operationId}`)))
      const broken = entries.filter(({ url }) => {
        const [path, anchor] = url.split('#')
        return anchor !== undefined && !listIds(pages.get(`/docs/${path}`)).includes(anchor)
      })
      assert.deepEqual(broken, [])
    })
  })
})
