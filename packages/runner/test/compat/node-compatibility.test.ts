import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'
import {
  createEgressGateway,
  createRunner,
  parseAllowList,
  type Runner,
  scrub,
} from '../../src/index.ts'
import { BUSY_MACHINE_OPTIONS } from '../busy-machine-options.ts'
import { integrations } from './integrations.ts'

const TENANT = { workspaceId: 'workspace' }

type Config = Readonly<Record<string, string>>
type Call = readonly ['SPEC' | 'CHECK' | 'RUN', Config]

const testFolder = path.dirname(fileURLToPath(import.meta.url))
const shapes: Readonly<Record<string, BuildOptions>> = {
  unbundled: {},
  minified: { minify: true, target: 'es2017' },
}

describe('a bundle in the sandbox', () => {
  const receivedRequests: unknown[] = []
  const server = createServer(
    (request, response) => void serve(request, response, receivedRequests),
  )
  let runner: Runner
  let folder: string
  let url: string
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    folder = await mkdtemp(path.join(tmpdir(), 'linchpin-compat-'))
    const egressGateway = createEgressGateway({ allow: parseAllowList('127.0.0.1/32') })
    runner = createRunner({ egressGateway, children: 1, ...BUSY_MACHINE_OPTIONS })
  })
  after(async () => {
    await runner.close()
    server.close()
    server.closeAllConnections()
    await rm(folder, { recursive: true })
  })

  for (const [client, source] of Object.entries(integrations)) {
    for (const [shape, options] of Object.entries(shapes)) {
      it(`responds and sends requests as in Node: ${client}, ${shape}`, async () => {
        receivedRequests.length = 0
        const code = await buildBundle(source, options)
        const file = path.join(folder, `${createHash('sha256').update(code).digest('hex')}.cjs`)
        await writeFile(file, code)
        const calls = listCalls(url)
        const expected = (await runInNode(file, calls)).map((value, at) =>
          removeVolatileValues(value, calls[at]?.[1]),
        )
        const expectedRequests = normalize(receivedRequests.splice(0))
        const actual = []
        for (const [command, config] of calls)
          actual.push(await runInSandbox(runner, code, command, config))
        assert.deepEqual(normalize(actual), normalize(expected))
        assert.deepEqual(normalize(receivedRequests.splice(0)), expectedRequests)
      })
    }
  }
})

function listCalls(url: string): Call[] {
  const right = { authType: 'Api Key', api_key: 'right', url }
  return [
    ['SPEC', right],
    ['CHECK', right],
    ['CHECK', { ...right, api_key: 'wrong' }],
    ['CHECK', { ...right, api_key: 'line\nbreak' }],
    ['CHECK', { ...right, url: 'http://127.0.0.1:4' }],
    ['RUN', right],
  ]
}

async function buildBundle(source: string, options: BuildOptions): Promise<string> {
  const stdin = { contents: source, resolveDir: testFolder }
  const common: BuildOptions = { bundle: true, platform: 'node', format: 'cjs', write: false }
  const { outputFiles } = await build({ stdin, ...common, logLevel: 'error', ...options })
  return outputFiles?.[0]?.text ?? ''
}

async function runInNode(file: string, calls: readonly Call[]): Promise<unknown[]> {
  const script = `const main = require(${JSON.stringify(file)}).default
    const values = []
    const next = async () => {
      for (const [command, config] of ${JSON.stringify(calls)}) values.push(await main(command, { config }))
      process.stdout.write(JSON.stringify(values), () => process.exit(0))
    }
    next()`
  const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
    timeout: 20_000,
  })
  return JSON.parse(stdout)
}

// The runner removes the values of the config from the result of a CHECK.
function removeVolatileValues(value: unknown, config: unknown): unknown {
  const { error } = Object(value)
  return typeof error === 'string' ? { ...Object(value), error: scrub(error, config) } : value
}

async function runInSandbox(
  runner: Runner,
  code: string,
  ...[command, config]: Call
): Promise<unknown> {
  const buildBundle = {
    sha256: createHash('sha256').update(code).digest('hex'),
    load: async () => code,
  }
  return (await runner.run({ bundle: buildBundle, tenant: TENANT, command, params: { config } }))
    .value
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  receivedRequests: unknown[],
) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method, url = '', headers } = request
  const body = Buffer.concat(chunks).toString('latin1')
  receivedRequests.push({ method, url, headers: filterHeaders(request.rawHeaders), body })
  const { pathname } = new URL(url, 'http://x')
  response.setHeader('X-Two', ['1', '2'])
  if (pathname === '/redirect') return response.writeHead(302, { location: '/json' }).end()
  if (pathname === '/html') return response.writeHead(500).end('<!DOCTYPE html><title>Oops</title>')
  if (pathname === '/missing') return response.writeHead(404).end('{"message":"No such thing"}')
  const allowed = headers.authorization === 'Bearer right'
  if (pathname === '/me' && !allowed) return response.writeHead(401).end('{"message":"Bad key"}')
  const responseBody = JSON.stringify({
    user: { name: 'Ann' },
    text: 'ü'.repeat(400),
    actual: body.length,
  })
  response.setHeader('Content-Type', 'application/json')
  if (pathname !== '/packed') return response.end(responseBody)
  const brotli = /\bbr\b/.test(`${headers['accept-encoding']}`)
  response.setHeader('Content-Encoding', brotli ? 'br' : 'gzip')
  return response.end(brotli ? brotliCompressSync(responseBody) : gzipSync(responseBody))
}

// The headers of the connection and of the framing are set by the side that owns the socket.
function filterHeaders(raw: readonly string[]): string[] {
  const others = /^(host|connection|content-length|transfer-encoding|keep-alive)$/i
  const lines = raw.flatMap((name, at) => (at % 2 ? [] : [`${name}: ${raw[at + 1]}`]))
  return lines.filter((line) => !others.test(line.split(':')[0] ?? '')).sort()
}

// Multipart boundaries are random.
function normalize(value: unknown): unknown {
  const text = JSON.stringify(value).replace(/-{4,}[\w-]{8,}/g, 'B')
  return JSON.parse(text.replace(/boundary=[\w-]+/g, 'boundary=B'))
}
