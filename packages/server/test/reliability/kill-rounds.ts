import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRandom } from '../create-random.ts'
import { defineDesk, startDeskProvider } from './desk-provider.ts'
import { createLedger, type Ledger, type LedgerErrors } from './ledger.ts'
import { type ServiceProcess, type ServiceSetup, startService } from './service-process.ts'
import { createFirstAccount, startLoad, type WriteLoad } from './write-load.ts'

/** The process that is killed at the end of a round in addition to the service. */
export interface Outage {
  /** Kills the database too, and restarts it before the service. */
  readonly kill: () => Promise<void>
  readonly restart: () => Promise<void>
  /** The rounds in which both are killed. */
  readonly killsBoth: (round: number) => boolean
  /** The rounds in which only the database is killed, and the service must recover. */
  readonly killsDatabaseOnly: (round: number) => boolean
}

export interface KillRounds {
  readonly rounds: number
  readonly seed: number
  readonly outage?: Outage
}

/** Writes arrive for this long before the kill, in milliseconds. */
const LOAD_MS = { from: 150, to: 350 }
/** On average. A busy machine gets more time. */
const MIN_WRITES_PER_ROUND = Number(process.env.KILL_WRITES ?? 10)
const RECOVERY_TIMEOUT_MS = 5_000

/**
 * Kills a service again and again while clients write, and compares the stored data after each restart with the
 * acknowledged writes. Also runs a control: if requests without a response counted as acknowledged, there would have to
 * be losses.
 */
export async function runKillRounds(
  t: TestContext,
  setup: ServiceSetup,
  { rounds, seed, outage }: KillRounds,
): Promise<void> {
  const random = createRandom(seed)
  const ledger = createLedger()
  const provider = await startDeskProvider()
  const restarts: number[] = []
  let service: ServiceProcess | undefined
  try {
    service = await startService(setup)
    const definitionId = await defineDesk(service, provider)
    await createFirstAccount(service, { ledger, provider, definitionId })
    for (let round = 0; round < rounds; round += 1) {
      const killsDatabaseOnly = outage?.killsDatabaseOnly(round) === true
      const load: WriteLoad = {
        ledger,
        provider,
        definitionId,
        prefix: `r${round}`,
        allows503: killsDatabaseOnly,
      }
      await readOnce(service, ledger)
      const running = startLoad(service, load)
      await sleep(LOAD_MS.from + random() * (LOAD_MS.to - LOAD_MS.from))
      await waitForAcknowledged(ledger, (round + 1) * MIN_WRITES_PER_ROUND)
      if (killsDatabaseOnly) await interruptDatabase(service, outage)
      else {
        const killBoth = outage?.killsBoth(round) === true
        await Promise.all([service.kill(), killBoth ? outage?.kill() : undefined])
        if (killBoth) await outage?.restart()
      }
      assert.deepEqual(await running.stop(), [], `round ${round} answered what it should not`)
      if (!killsDatabaseOnly) {
        service = await startService(setup)
        restarts.push(service.readyAfterMs)
      }
      assert.deepEqual(await ledger.compare(service), NO_ERRORS, `seed ${seed}, round ${round}`)
    }
    const control = await ledger.compare(service, { expectAll: true })
    t.diagnostic(
      `seed ${seed}: ${rounds} rounds, ${ledger.acknowledgedCount} promised, ${ledger.unansweredCount} without an answer, ${ledger.readCount} reads of credentials, ready again after ${Math.round(median(restarts))} ms (median)`,
    )
    assert.ok(
      ledger.acknowledgedCount >= rounds * MIN_WRITES_PER_ROUND,
      'too little was written to prove anything',
    )
    assert.ok(ledger.readCount > 0, 'no credentials were read')
    assert.ok(control.lost.length > 0, 'the control found no losses: the ledger would not see any')
    assert.equal(await service.stop(), 0)
  } finally {
    await service?.kill()
    await provider.close()
  }
}

const NO_ERRORS: LedgerErrors = { lost: [], incomplete: [], unexpected: [] }

/**
 * Until a process knows what the code of an integration does, it creates headers under the account's lease, which a killed
 * process holds for up to 30 s: the reads of a round would wait for it.
 */
async function readOnce(service: ServiceProcess, ledger: Ledger): Promise<void> {
  const path = `/v1/integration_account/${ledger.getAccountId()}/credentials`
  assert.equal((await service.call('GET', path)).status, 200)
}

async function waitForAcknowledged(ledger: Ledger, count: number): Promise<void> {
  const deadline = Date.now() + 20_000
  while (ledger.acknowledgedCount < count && Date.now() < deadline) await sleep(10)
}

/** The database restarts while the service keeps running: the service must accept writes again by itself. */
async function interruptDatabase(
  service: ServiceProcess,
  outage: Outage | undefined,
): Promise<void> {
  await outage?.kill()
  await sleep(100)
  await outage?.restart()
  const deadline = Date.now() + RECOVERY_TIMEOUT_MS
  while (Date.now() < deadline) {
    const ready = await fetch(`${service.url}/health/ready`)
    await ready.text()
    if (ready.ok) return
    await sleep(25)
  }
  assert.fail(`not ready ${RECOVERY_TIMEOUT_MS} ms after the database came back`)
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
