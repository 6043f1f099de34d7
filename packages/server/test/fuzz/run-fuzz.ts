import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import fc from 'fast-check'
import { newId } from '../../src/storage/id.ts'
import type { TestApp } from '../test-app.ts'
import { assertApiException, type RawAnswer } from './expectations.ts'
import { CANARY } from './faulty-bodies.ts'
import { type FuzzRequest, fuzzRequests } from './fuzz-requests.ts'
import { readOperations } from './operations.ts'

export interface FuzzRun {
  readonly runs: number
  readonly seed: number
}

/** Sends generated requests and holds every answer against the error contract. */
export async function runFuzz(t: TestContext, service: TestApp, { runs, seed }: FuzzRun) {
  const operations = await readOperations(service)
  const known = await makeKnown(service)
  const tally = createTally()
  const prototypeBefore = describePrototype()
  const property = fc.asyncProperty(
    fuzzRequests({ operations, token: service.token, known }),
    async (request) => {
      const answer = await send(service, request)
      judge(request, answer)
      tally.add(request, answer)
    },
  )
  const from = performance.now()
  await fc.assert(property, { numRuns: runs, seed })
  const seconds = (performance.now() - from) / 1_000
  t.diagnostic(`FUZZ_SEED=${seed}: ${runs} requests in ${seconds.toFixed(1)} s. ${tally.summary()}`)
  assert.deepEqual(describePrototype(), prototypeBefore, 'Object.prototype was changed')
  assert.equal(({} as Record<string, unknown>).polluted, undefined)
  assert.deepEqual(
    tally.untouched(operations.map(({ id }) => id)),
    [],
    'operations without a request',
  )
  assert.ok(tally.named > runs / 10, `only ${tally.named} answers had to name a field`)
  assert.equal((await service.call('GET', '/v1/user')).status, 200)
}

async function makeKnown(service: TestApp) {
  const link = await service.call('POST', '/v1/link', { body: { linkName: 'Known' } })
  return {
    workspaceId: service.workspaceId,
    linkId: link.body.linkId,
    integrationDefinitionId: newId('def', Date.now()),
    integrationAccountId: newId('acc', Date.now()),
    integrationOAuthAppId: newId('oap', Date.now()),
    tokenId: newId('tok', Date.now()),
    // Nothing listens there, and nothing leaves this machine.
    sourceUrl: 'http://127.0.0.1:1/bundle.js',
    integrationType: 'Ticketing',
    email: 'known@example.com',
    expiresIn: 60,
    canExpire: true,
  }
}

async function send(service: TestApp, request: FuzzRequest): Promise<RawAnswer> {
  const response = await service.app.inject({
    method: request.method as 'GET',
    url: `/api${request.url}`,
    headers: { ...request.headers },
    ...(request.payload === undefined ? {} : { payload: request.payload }),
  })
  return { status: response.statusCode, headers: response.headers, text: response.body }
}

function judge(request: FuzzRequest, answer: RawAnswer): void {
  assert.ok(answer.status < 500, `${answer.status}: ${answer.text}`)
  assert.equal(typeof answer.headers['x-request-id'], 'string')
  if (answer.status < 400 || request.method === 'HEAD') return
  const body = assertApiException(answer)
  if (request.field === undefined) return
  assert.equal(answer.status, 400, answer.text)
  const named = Object.keys(body.errors as object)
  const isNamed = named.some(
    (name) => name === request.field || name.startsWith(`${request.field}.`),
  )
  assert.ok(isNamed, `${request.field} is not among ${named}`)
  if (!request.field.includes(CANARY)) assertNoEcho(answer, named)
}

/** Keys may be named, values never. */
function assertNoEcho(answer: RawAnswer, named: readonly string[]): void {
  const text = named.reduce((rest, name) => rest.replaceAll(name, ''), answer.text)
  assert.ok(!text.includes(CANARY), `a value is repeated: ${answer.text}`)
}

function createTally() {
  const operations = new Set<string>()
  const counts = new Map<string, number>()
  let named = 0
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)
  return {
    get named() {
      return named
    },
    add(request: FuzzRequest, answer: RawAnswer): void {
      operations.add(request.operation)
      if (request.field !== undefined) named += 1
      count(request.kind)
      count(String(answer.status))
    },
    untouched: (ids: readonly string[]) => ids.filter((id) => !operations.has(id)),
    summary: () =>
      [...counts]
        .map(([key, times]) => `${key} ${times}`)
        .sort()
        .join(', '),
  }
}

function describePrototype(): string[] {
  return Reflect.ownKeys(Object.prototype).map(String)
}
