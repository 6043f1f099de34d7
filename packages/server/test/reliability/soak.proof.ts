import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { readResidentMegabytes } from './process-memory.ts'
import { startRequestLoad } from './request-load.ts'
import { createServiceSetup, type ServiceProcess, startService } from './service-process.ts'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 20)
const CLIENTS = Number(process.env.SOAK_CLIENTS ?? 4)
/** Caches fill until then; after that, memory may not grow. */
const WARM_UP_SHARE = 0.3
const MAX_MB_PER_MINUTE = 1
const SAMPLE_MS = 5_000

interface Sample {
  readonly minute: number
  readonly megabytes: number
  readonly descriptors: number
}

describe('A service under load for a long time', () => {
  it('answers every request, and neither its memory nor its open files grow, child processes included', async (t) => {
    const provider = await startDeskProvider()
    t.after(() => provider.close())
    const setup = await createServiceSetup()
    t.after(() => setup.remove())
    const service = await startService(setup)
    t.after(() => service.child.kill('SIGKILL'))
    const stopping = new AbortController()
    const cycles = runCycles(
      service,
      await defineDesk(service, provider),
      provider,
      stopping.signal,
    )
    const load = startRequestLoad(service.url, setup.token, CLIENTS)
    const samples = await sample(service)
    stopping.abort()
    const [{ sent, failures }, connected] = await Promise.all([load.stop(), cycles])
    const counted = samples.filter(({ minute }) => minute >= MINUTES * WARM_UP_SHARE)
    const growth = computeSlope(counted)
    const sizes = counted.map(({ megabytes }) => Math.round(megabytes))
    const descriptors = counted.map((each) => each.descriptors)
    t.diagnostic(
      `${MINUTES} minutes, ${sent} requests, ${connected} accounts connected and deleted; ${Math.min(...sizes)} to ${Math.max(...sizes)} MB, ${growth.toFixed(2)} MB per minute; ${Math.min(...descriptors)} to ${Math.max(...descriptors)} open files`,
    )
    assert.deepEqual(failures.slice(0, 5), [])
    assert.ok(connected > 0 && counted.length >= 10)
    assert.ok(growth < MAX_MB_PER_MINUTE, `${growth} MB per minute: ${sizes.join(' ')}`)
    assert.ok(Math.max(...descriptors) - Math.min(...descriptors) < 40, descriptors.join(' '))
  })
})

/** Checks, connects, reads and deletes accounts, one after the other. Returns how many. */
async function runCycles(
  service: ServiceProcess,
  definitionId: string,
  provider: { readonly url: string },
  signal: AbortSignal,
): Promise<number> {
  let count = 0
  for (; !signal.aborted; count += 1) {
    const credentials = createDeskCredentials(definitionId, provider, `desk_live_${count}`)
    const account = {
      ...credentials,
      integrationAccountName: 'Soak',
      accountIdentifier: `c-${count % 50}`,
    }
    const created = await service.call('POST', '/v1/integration_account', account)
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const path = `/v1/integration_account/${created.body.integrationAccountId}`
    assert.equal((await service.call('GET', path)).status, 200)
    assert.equal((await service.call('DELETE', path)).status, 200)
    await sleep(20)
  }
  return count
}

async function sample(service: ServiceProcess): Promise<Sample[]> {
  const startedAt = performance.now()
  const samples: Sample[] = []
  for (;;) {
    const minute = (performance.now() - startedAt) / 60_000
    if (minute >= MINUTES) return samples
    samples.push({
      minute,
      megabytes: readResidentMegabytes(service.pid),
      descriptors: readdirSync(`/proc/${service.pid}/fd`).length,
    })
    await sleep(SAMPLE_MS)
  }
}

/** By least squares, in megabytes per minute. */
function computeSlope(samples: readonly Sample[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const at = mean(samples.map(({ minute }) => minute))
  const size = mean(samples.map(({ megabytes }) => megabytes))
  const products = samples.map((each) => (each.minute - at) * (each.megabytes - size))
  return mean(products) / mean(samples.map(({ minute }) => (minute - at) ** 2))
}
