import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { type Build, JSON_SHAPES, measureCpuMs } from './costly-bodies.ts'
import { type TestApp, testApp } from './test-app.ts'

/** Main-thread CPU time of one request, in milliseconds. */
const MAX_MS = 50
/** The machine may be busy: the least of so many attempts counts. */
const ATTEMPTS = 30

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

interface JsonRoute {
  readonly operationId: string
  readonly url: string
  readonly maxBytes: number
  readonly properties: Readonly<Record<string, Schema>>
}

describe('The most expensive body', () => {
  let t: TestApp
  let routes: JsonRoute[]
  before(async () => {
    t = await testApp({ logLevel: 'info' })
    routes = await listJsonRoutes(t)
  })
  after(() => t.close())

  it('costs less than 50 ms of the main thread on every route that takes JSON', async () => {
    assert.ok(routes.length > 20)
    assert.ok(routes.some(({ maxBytes }) => maxBytes > 30 * 1024 * 1024))
    const expensive: string[] = []
    for (const route of routes)
      for (const [shape, body] of listBodies(route)) {
        const ms = await measure(t, route, body)
        if (ms >= MAX_MS) expensive.push(`${route.operationId}: ${shape} takes ${ms} ms`)
      }
    assert.deepEqual(expensive, [])
  })
})

/** Every POST that the service documents with a JSON body. */
async function listJsonRoutes(t: TestApp): Promise<JsonRoute[]> {
  const { paths, components } = t.app.swagger() as unknown as {
    paths: Record<
      string,
      Record<
        string,
        { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } }
      >
    >
    components: { schemas: Record<string, Schema> }
  }
  const routes: JsonRoute[] = []
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { operationId, requestBody }] of Object.entries(methods)) {
      const schema = requestBody?.content['application/json']?.schema
      if (schema === undefined) continue
      assert.equal(method, 'post')
      const url = path.replaceAll(/\{\w+\}/g, 'x_00000000000000000000000000')
      const name = schema.$ref?.split('/').at(-1) ?? ''
      const properties = components.schemas[name]?.properties ?? {}
      routes.push({ operationId, url, properties, maxBytes: await findMaxBytes(t, url) })
    }
  return routes
}

/** The limit is in the error of a body that exceeds it. */
async function findMaxBytes(t: TestApp, url: string): Promise<number> {
  const response = await send(t, url, Buffer.alloc(64 * 1024 * 1024, ' '))
  const [, number, unit] = /is larger than ([\d.]+) (kB|MB)/.exec(response.json().message) ?? []
  assert.equal(response.statusCode, 413, url)
  return Math.floor(Number(number) * (unit === 'MB' ? 1024 * 1024 : 1024))
}

function send(t: TestApp, url: string, payload: Buffer) {
  return t.app.inject({
    method: 'POST',
    url,
    payload,
    headers: { authorization: `Bearer ${t.token}`, 'content-type': 'application/json' },
  })
}

async function measure(t: TestApp, { url, operationId }: JsonRoute, body: Buffer): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < ATTEMPTS && least >= MAX_MS; attempt += 1) {
    // Injected requests alone would never let the event loop turn.
    await setImmediate()
    let response: Awaited<ReturnType<typeof send>> | undefined
    const ms = await measureCpuMs(async () => {
      response = await send(t, url, body)
    })
    assert.ok(response)
    // The process was stalled and responds with 503 for some seconds.
    if (response.statusCode === 503) await sleep(500)
    else assert.ok(response.statusCode < 500, `${operationId}: ${response.payload}`)
    if (response.statusCode !== 503) least = Math.min(least, ms)
  }
  return least
}

function* listBodies({ maxBytes, properties }: JsonRoute): Generator<[string, Buffer]> {
  for (const [shape, build] of Object.entries(JSON_SHAPES)) yield [shape, build(maxBytes)]
  for (const [name, schema] of Object.entries(properties)) {
    const shapes = isPlain(schema) ? TEXTS : STRUCTURES
    for (const shape of shapes) {
      const bytes = Buffer.concat([
        Buffer.from(`{"${name}":`),
        (JSON_SHAPES[shape] as Build)(maxBytes - name.length - 5),
        Buffer.from('}'),
      ])
      yield [`${shape} in ${name}`, bytes]
    }
  }
}

const isPlain = ({ type, anyOf }: Schema): boolean =>
  anyOf === undefined
    ? type !== undefined && !/array|object/.test(String(type))
    : anyOf.every(isPlain)

/** What validation and the handler may spend time on, beyond what parsing costs. */
const TEXTS = ['one text', 'emoji', 'spaces in a text', 'escaped letters']
const STRUCTURES = [
  ...['short texts', 'equal texts', 'small numbers', 'allowed nesting', 'escaped quotes'],
  ...['as many long keys as are allowed', 'objects of different shapes', 'empty objects'],
]
