import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
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
    const start = process.threadCpuUsage()
    const response = await send(t, url, body)
    const { user, system } = process.threadCpuUsage(start)
    // The process was stalled and responds with 503 for some seconds.
    if (response.statusCode === 503) await sleep(500)
    else assert.ok(response.statusCode < 500, `${operationId}: ${response.payload}`)
    if (response.statusCode !== 503) least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

function* listBodies({ maxBytes, properties }: JsonRoute): Generator<[string, Buffer]> {
  for (const [shape, build] of Object.entries(SHAPES)) yield [shape, build('', maxBytes)]
  for (const [name, schema] of Object.entries(properties)) {
    const shapes = isPlain(schema) ? TEXTS : STRUCTURES
    for (const shape of shapes) {
      const bytes = Buffer.concat([
        Buffer.from(`{"${name}":`),
        (SHAPES[shape] as Build)('', maxBytes - name.length - 5),
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

type Build = (prefix: string, bytes: number) => Buffer

const text =
  (unit: string): Build =>
  (_, bytes) => {
    const buffer = Buffer.alloc(bytes, '"')
    buffer.fill(unit, 1, bytes - 1)
    // A unit that was cut would escape the quote.
    const rest = (bytes - 2) % Buffer.byteLength(unit)
    buffer.fill(' ', bytes - 1 - rest)
    buffer[bytes - 1 - rest] = 0x22
    return buffer
  }
const repeat =
  (open: string, unit: string, close: string): Build =>
  (_, bytes) => {
    const count = Math.floor((bytes - open.length - close.length - 2) / unit.length)
    return Buffer.from(`${open}${unit.repeat(count)}${close}`)
  }
const generate =
  (open: string, unit: (index: number) => string, close: string): Build =>
  (_, bytes) => {
    const parts = [open]
    let size = open.length + close.length + 8
    for (let index = 0; index < 120_000; index += 1) {
      const part = `${index === 0 ? '' : ','}${unit(index)}`
      size += part.length
      if (size > bytes) break
      parts.push(part)
    }
    return Buffer.from(`${parts.join('')}${close}`)
  }

const SHAPES: Readonly<Record<string, Build>> = {
  'empty objects': repeat('[', '{},', '1]'),
  'short keys': generate('{', (index) => `"${index.toString(36)}":1`, '}'),
  'as many short keys as are allowed': generate(
    '{',
    (index) => (index < 49_990 ? `"${index.toString(36)}":1` : ' '),
    '}',
  ),
  'as many long keys as are allowed': generate(
    '{',
    (index) => `"${index.toString(36).padEnd(30, 'x')}":1`,
    '}',
  ),
  'objects of different shapes': generate(
    '[',
    (index) => (index < 33_000 ? `{"${index.toString(36)}":1}` : ' '),
    '1]',
  ),
  'equal keys': repeat('{', '"a":1,', '"a":1}'),
  'prototype keys': generate('{', (index) => `"constructor":{"a${index}":1}`, '}'),
  'colliding keys': generate('{', (index) => `"${1e9 + 131_072 * index}":1`, '}'),
  'short texts': generate('[', (index) => `"${index.toString(36)}"`, ']'),
  'equal texts': repeat('[', '"a",', '"a"]'),
  nesting: repeat('', '[', ''),
  'closed nesting': (_, bytes) =>
    Buffer.from('['.repeat(bytes / 2 - 1) + ']'.repeat(bytes / 2 - 1)),
  'allowed nesting': repeat('[', `${'['.repeat(20)}${']'.repeat(20)},`, '1]'),
  'infinite numbers': repeat('[', '1e999,', '1]'),
  'long numbers': repeat('[', `9007199254740993.${'0'.repeat(750)}1,`, '1]'),
  'one long number': repeat('', '7', ''),
  'small numbers': generate(
    '[',
    (index) => `2.22507385850720${index % 90}e-${300 + (index % 20)}`,
    ']',
  ),
  whitespace: repeat('', ' ', ''),
  'whitespace between values': repeat('[', '1 , ', '1]'),
  'one text': text('A'),
  'escaped letters': text('\\u0041'),
  'escaped quotes': text('\\"'),
  'escaped backslashes': text('\\\\'),
  'lone surrogates': text('\\ud800'),
  'surrogates in texts': repeat('[', '"\\ud83d\\ude00",', '1]'),
  'multi-byte text': text('é€'),
  emoji: text('😀'),
  'spaces in a text': text(' '),
  'bytes that are not UTF-8': (_, bytes) => Buffer.alloc(bytes, 0xff),
}

/** What validation and the handler may spend time on, beyond what parsing costs. */
const TEXTS = ['one text', 'emoji', 'spaces in a text', 'escaped letters']
const STRUCTURES = [
  ...['short texts', 'equal texts', 'small numbers', 'allowed nesting', 'escaped quotes'],
  ...['as many long keys as are allowed', 'objects of different shapes', 'empty objects'],
]
