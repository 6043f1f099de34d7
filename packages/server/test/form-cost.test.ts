import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { createValidFormValues, defineDesk } from '../src/connect/connect-page/test/desk.ts'
import type { PageTestContext } from '../src/connect/connect-page/test/page-test-context.ts'
import { extractForm } from '../src/connect/connect-page/test/test-visitor.ts'
import { FORM_SHAPES, measureCpuMs } from './costly-bodies.ts'
import { testContext } from './test-context.ts'

/** Main-thread CPU time of one request, in milliseconds. */
const MAX_MS = 50
/** The machine may be busy: the least of so many attempts counts. */
const ATTEMPTS = 30
const KB = 1_024

interface FormRoute {
  readonly url: string
  /** Fields that a form needs to be processed. */
  readonly fields: string
  readonly maxBytes: number
}

describe('The most expensive form or query', () => {
  let t: PageTestContext
  let linkPath: string
  let cookie: string
  let fields: string
  let address = 0
  before(async () => {
    t = await testContext({ pages: true })
    const desk = await defineDesk(t)
    linkPath = await t.link({ integrationDefinitionId: desk.definitionId })
    const visitor = t.visitor()
    const form = extractForm(await visitor.get(linkPath))
    fields = String(new URLSearchParams({ ...form.fields, ...createValidFormValues(t) }))
    cookie = [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; ')
  })
  after(() => t.close())

  /** The least CPU time of some attempts, each from another address, because pages limit the rate of one. */
  const measure = async (
    method: 'GET' | 'POST',
    url: string,
    payload?: Buffer,
  ): Promise<number> => {
    let least = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < ATTEMPTS && least >= MAX_MS; attempt += 1) {
      await setImmediate()
      let status = 0
      address += 1
      const remoteAddress = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
      const headers = {
        cookie,
        origin: 'null',
        'sec-fetch-site': 'same-origin',
        ...(payload === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        authorization: `Bearer ${t.token}`,
      }
      const ms = await measureCpuMs(async () => {
        const response = await t.app.inject({
          method,
          url,
          headers,
          remoteAddress,
          ...(payload === undefined ? {} : { payload }),
        })
        status = response.statusCode
      })
      // The process was stalled.
      if (status === 503) await sleep(500)
      else {
        assert.ok(status < 500 && status !== 429 && status !== 413, `${url}: ${status}`)
        least = Math.min(least, ms)
      }
    }
    return least
  }

  const listFormRoutes = (): FormRoute[] => {
    const id = linkPath.slice('/link/'.length)
    const pages = ['/link/ID/connect', '/link/frame/ID/connect', '/link/ID/sign-in']
    const sessionPages = ['open', 'disconnect', 'choose', 'connect'].flatMap((action) => [
      `/connect/ID/${action}`,
      `/connect/frame/ID/${action}`,
    ])
    return [
      ...[...pages, ...sessionPages].map((url) => ({
        url: url.replace('ID', id),
        fields,
        maxBytes: 64 * KB,
      })),
      { url: '/oauth/connect/x', fields: '', maxBytes: KB },
      { url: '/sandbox/authorize', fields: '', maxBytes: KB },
    ]
  }

  it('costs less than 50 ms of the main thread on every route that takes a form', async () => {
    const expensive: string[] = []
    for (const { url, fields: required, maxBytes } of listFormRoutes())
      for (const [shape, build] of Object.entries(FORM_SHAPES)) {
        const start = Buffer.from(required === '' ? '' : `${required}&`)
        const body = Buffer.concat([start, build(maxBytes - start.length)])
        const ms = await measure('POST', url, body)
        if (ms >= MAX_MS) expensive.push(`${url}: ${shape} takes ${ms} ms`)
      }
    assert.deepEqual(expensive, [])
  })

  it('costs less than 50 ms of the main thread in a query, whatever the route', async () => {
    const urls = [
      ['/oauth/connect/x', 4 * KB],
      ['/api/v1/oauth/callback', 12 * KB],
      ['/sandbox/authorize', 4 * KB],
      [linkPath, 4 * KB],
      ['/api/v1/link', 4 * KB],
      ['/api/v1/event', 4 * KB],
      ['/api/v1/integrationAccount/x/proxy/path', 4 * KB],
    ] as const
    const expensive: string[] = []
    for (const [url, maxLength] of urls)
      for (const [shape, build] of Object.entries(FORM_SHAPES)) {
        const query = build(maxLength - url.length - 1)
        const ms = await measure('GET', `${url}?${query}`)
        if (ms >= MAX_MS) expensive.push(`${url}: ${shape} takes ${ms} ms`)
      }
    assert.deepEqual(expensive, [])
  })
})
