import assert from 'node:assert/strict'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../src/platform/storage/id.ts'
import type { TestApp } from '../test-app.ts'
import { assertApiException, type FuzzResponse } from './assert-api-exception.ts'
import { type FuzzRequest, generateRequests } from './fuzz-requests.ts'
import { CANARY } from './invalid-bodies.ts'
import { type Operation, readOperations } from './operations.ts'

export interface FuzzRun {
  readonly runs: number
  readonly seed: number
}

/** Sends generated requests and checks every response against the error contract. */
export async function runFuzz(t: TestContext, service: TestApp, { runs, seed }: FuzzRun) {
  const operations = await readOperations(service)
  const knownValues = await createKnownValues(service)
  const tally = createTally()
  const prototypeBefore = listPrototypeKeys()
  const check = async (request: FuzzRequest) => {
    const fuzzResponse = await send(service, request)
    assertResponse(request, fuzzResponse)
    tally.add(request, fuzzResponse)
  }
  const delay = monitorEventLoopDelay({ resolution: 10 })
  delay.enable()
  const startedAt = performance.now()
  for (const [index, { operation, numRuns }] of divideRuns(operations, runs).entries()) {
    const requests = generateRequests(operation, { token: service.token, knownValues })
    await fc.assert(fc.asyncProperty(requests, check), { numRuns, seed: seed + index })
  }
  const seconds = (performance.now() - startedAt) / 1_000
  delay.disable()
  t.diagnostic(
    `FUZZ_SEED=${seed}: ${runs} requests in ${seconds.toFixed(1)} s, event loop delayed by ${Math.round(delay.max / 1e6)} ms at most, generator included. ${tally.summary()}`,
  )
  assert.deepEqual(listPrototypeKeys(), prototypeBefore, 'Object.prototype was changed')
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.ok(tally.named > runs / 10, `only ${tally.named} answers had to name a field`)
  assert.equal((await service.call('GET', '/v1/user')).status, 200)
}

/** Every operation gets its share, whatever the seed is. */
function divideRuns(operations: readonly Operation[], runs: number) {
  const weighted = operations.map((operation) => ({
    operation,
    // Most errors are possible in bodies.
    weight: operation.body === undefined ? 1 : 2,
  }))
  const total = weighted.reduce((sum, { weight }) => sum + weight, 0)
  return weighted.map(({ operation, weight }) => ({
    operation,
    numRuns: Math.ceil((runs * weight) / total),
  }))
}

async function createKnownValues(service: TestApp) {
  const link = await service.call('POST', '/v1/link', { body: { linkName: 'Known' } })
  return {
    workspaceId: service.workspaceId,
    linkId: link.body.linkId,
    integrationDefinitionId: newId('def', Date.now()),
    integrationAccountId: newId('acc', Date.now()),
    integrationOAuthAppId: newId('oap', Date.now()),
    tokenId: newId('tok', Date.now()),
    // Nothing listens there, so no request leaves this machine.
    sourceUrl: 'http://127.0.0.1:1/bundle.js',
    integrationType: 'Ticketing',
    email: 'known@example.com',
    expiresIn: 60,
    canExpire: true,
  }
}

async function send(service: TestApp, request: FuzzRequest): Promise<FuzzResponse> {
  const response = await service.app.inject({
    method: request.method as 'GET',
    url: `/api${request.url}`,
    headers: { ...request.headers },
    ...(request.payload === undefined ? {} : { payload: request.payload }),
  })
  return { status: response.statusCode, headers: response.headers, text: response.body }
}

function assertResponse(request: FuzzRequest, fuzzResponse: FuzzResponse): void {
  assert.ok(fuzzResponse.status < 500, `${fuzzResponse.status}: ${fuzzResponse.text}`)
  assert.equal(typeof fuzzResponse.headers['x-request-id'], 'string')
  if (fuzzResponse.status < 400 || request.method === 'HEAD') return
  const body = assertApiException(fuzzResponse)
  if (request.field === undefined) return
  assert.equal(fuzzResponse.status, 400, fuzzResponse.text)
  const named = Object.keys(body.errors as object)
  const isNamed = named.some(
    (name) => name === request.field || name.startsWith(`${request.field}.`),
  )
  assert.ok(isNamed, `${request.field} is not among ${named}`)
  if (!request.field.includes(CANARY)) assertNoEcho(fuzzResponse, named)
}

/** Responses may contain keys, but no values. */
function assertNoEcho(fuzzResponse: FuzzResponse, named: readonly string[]): void {
  const text = named.reduce((rest, name) => rest.replaceAll(name, ''), fuzzResponse.text)
  assert.ok(!text.includes(CANARY), `a value is repeated: ${fuzzResponse.text}`)
}

function createTally() {
  const counts = new Map<string, number>()
  let named = 0
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  return {
    get named() {
      return named
    },
    add(request: FuzzRequest, fuzzResponse: FuzzResponse): void {
      if (request.field !== undefined) named += 1
      count(request.kind)
      count(String(fuzzResponse.status))
    },
    summary: () =>
      [...counts]
        .map(([key, times]) => `${key} ${times}`)
        .sort()
        .join(', '),
  }
}

function listPrototypeKeys(): string[] {
  return Reflect.ownKeys(Object.prototype).map(String)
}
