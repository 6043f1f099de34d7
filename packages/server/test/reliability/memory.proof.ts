import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createHostileRoutes, HOSTILE_BUNDLES } from './hostile-bundles.ts'
import { readResidentMegabytes } from './process-memory.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

/** At full length in `npm run proof -- memory`; the short form detects a leak of one megabyte per call. */
const CALLS = Number(process.env.MEMORY_CALLS ?? 320)
const IS_SHORT = CALLS < 1_400
const CLIENTS = 4
/** One of this many calls is hostile. */
const HOSTILE_EVERY = IS_SHORT ? 32 : 16
const WARM_UP_CALLS = IS_SHORT ? 104 : 600
const BATCH = IS_SHORT ? 8 : 40
/** How many megabytes a thousand calls may add. A leak of one bundle's memory per call would add 64,000. */
const MAX_GROWTH = IS_SHORT ? 400 : 40

describe('Memory usage over thousands of bundle calls, including hostile ones', () => {
  it('stays constant, child processes included', async (t) => {
    const { service, callNumber, countAnswered } = await start(t)
    const samples: { at: number; megabytes: number }[] = []
    for (let at = 0; at < CALLS; at += BATCH) {
      await runBatch(at, callNumber)
      // No call runs between batches: resident memory is leaked or cached.
      if (at >= WARM_UP_CALLS) samples.push({ at, megabytes: readResidentMegabytes(service.pid) })
    }
    const growth = computeSlope(samples) * 1_000
    const sizes = samples.map(({ megabytes }) => Math.round(megabytes))
    t.diagnostic(
      `${samples.length} samples, ${Math.min(...sizes)} to ${Math.max(...sizes)} MB, ${growth.toFixed(1)} MB per 1,000 calls`,
    )
    assert.ok(samples.length >= 20 && Math.min(...sizes) > 50, 'the memory was not measured')
    assert.ok(growth < MAX_GROWTH, `${growth} MB per 1,000 calls: ${sizes.join(' ')}`)
    assert.ok(countAnswered() > CALLS / 2, `${countAnswered()} checks were answered`)
    assert.equal((await service.call('GET', '/v1/user')).status, 200)
  })
})

async function runBatch(from: number, callNumber: (number: number) => Promise<void>) {
  let next = from
  const runClient = async () => {
    while (next < from + BATCH) {
      next += 1
      await callNumber(next - 1)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, runClient))
}

async function start(t: TestContext) {
  const provider = await startDeskProvider({ routes: createHostileRoutes() })
  t.after(() => provider.close())
  // A small heap: with a large one, uncollected garbage would hide a leak. With 64 MB the service does little but collect.
  const setup = await createServiceSetup({ nodeArgs: ['--max-old-space-size=96'] })
  t.after(() => setup.remove())
  const service = await startService(setup)
  t.after(() => service.kill())
  const desk = await defineDesk(service, provider)
  // In a workspace of their own: theirs is throttled, and gets hardly any time beside other busy programs.
  const created = await service.call('POST', '/v1/workspace', { name: 'Hostile' })
  const { workspaceId } = created.body
  const hostile: string[] = []
  for (const index of HOSTILE_BUNDLES.keys()) {
    const sourceUrl = `${provider.url}/hostile/${index}.js`
    hostile.push(await defineHostile(service, { sourceUrl, workspaceId }, index))
  }
  let answered = 0
  const check = (body: unknown) => service.call('POST', '/v1/integration_account/check', body)

  async function callNumber(number: number): Promise<void> {
    if (number % HOSTILE_EVERY !== 0) {
      const isValid = number % 3 !== 0
      const key = isValid ? `desk_live_${number}` : 'desk_revoked_1'
      const { status, body } = await check(createDeskCredentials(desk, provider, key))
      // On a busy machine a check beside spinning bundles may take too long, or its request to the provider; its memory
      // counts all the same.
      if (status !== 200) assert.match(body.error, /^(?:integration_timeout|overloaded)$/)
      else if (isValid && !body.status) assert.doesNotMatch(body.error, /did not accept/)
      else answered += 1
      if (status === 200 && !isValid) assert.equal(body.status, false)
      return
    }
    const index = (number / HOSTILE_EVERY) % HOSTILE_BUNDLES.length
    const bundle = HOSTILE_BUNDLES[index]
    const config = { token: `secret ${number}` }
    const response = await check({
      workspaceId,
      integrationDefinitionId: hostile[index],
      authType: 'Token',
      config,
    })
    // On a busy machine it may reach the limit of time before the one that it is written for.
    if (response.body.error === 'integration_timeout') return
    assert.equal(
      response.status,
      bundle?.expect.status,
      `${bundle?.name}: ${response.body.message}`,
    )
    if (bundle?.expect.error) assert.equal(response.body.error, bundle.expect.error, bundle.name)
    // Nothing of the previous call remains: otherwise this check result would be true.
    if (response.status === 200) assert.equal(response.body.status, false, bundle?.name)
  }
  return { service, callNumber, countAnswered: () => answered }
}

async function defineHostile(
  service: ServiceProcess,
  place: { readonly sourceUrl: string; readonly workspaceId: string },
  index: number,
): Promise<string> {
  const response = await service.call('POST', '/v1/integration_definition', {
    name: `Hostile ${index}`,
    ...place,
    integrationType: 'Other',
  })
  assert.equal(response.status, 201, JSON.stringify(response.body))
  return response.body.integrationDefinitionId
}

/** Fits a line by least squares; returns megabytes per call. */
function computeSlope(samples: readonly { at: number; megabytes: number }[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(samples.map((sample) => sample.at))
  const size = mean(samples.map((sample) => sample.megabytes))
  const numerators = samples.map((sample) => (sample.at - at) * (sample.megabytes - size))
  const squares = samples.map((sample) => (sample.at - at) ** 2)
  return mean(numerators) / mean(squares)
}
