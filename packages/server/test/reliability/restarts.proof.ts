import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { describe, it } from 'node:test'
import { fillAccounts } from '../../../../bench/fill-accounts.ts'
import { createDeskCredentials, defineDesk, startDeskProvider } from './desk-provider.ts'
import { createServiceSetup, startService } from './service-process.ts'

const ACCOUNTS = Number(process.env.RESTART_ACCOUNTS ?? 100_000)
const KILLS = Number(process.env.RESTART_KILLS ?? 5)
/** On a quiet machine with two cores; a busy one may take as many times longer as a bare server does. */
const READY_MS = Number(process.env.RESTART_READY_MS ?? 500)
const BARE_READY_MS = 30

describe('A start after kill -9 (SQLite)', () => {
  it(`is ready within ${READY_MS} ms with ${ACCOUNTS} accounts`, async (t) => {
    const setup = await createServiceSetup()
    t.after(() => setup.remove())
    const provider = await startDeskProvider()
    t.after(() => provider.close())
    let service = await startService(setup)
    t.after(() => service.child.kill('SIGKILL'))
    const definitionId = await defineDesk(service, provider)
    const account = {
      ...createDeskCredentials(definitionId, provider, 'desk_live_0'),
      integrationAccountName: 'Restarts',
    }
    const created = await service.call('POST', '/v1/integration_account', account)
    await service.stop()
    await fillAccounts({
      file: path.join(setup.dataDir, 'linchpin.db'),
      url: undefined,
      accountId: created.body.integrationAccountId,
      otherWorkspaceId: created.body.workspaceId,
      count: ACCOUNTS,
    })
    service = await startService(setup)
    const [times, bareTimes]: [number[], number[]] = [[], []]
    for (let kill = 0; kill < KILLS; kill += 1) {
      await service.call('POST', '/v1/link', { linkName: `before kill ${kill}` })
      await service.kill()
      bareTimes.push(await measureBareServer())
      service = await startService(setup)
      times.push(Math.round(service.readyAfterMs))
    }
    const [ready, bare] = [median(times), median(bareTimes)]
    t.diagnostic(
      `${ACCOUNTS} accounts, ${KILLS} kills: ready after ${times.join(', ')} ms, median ${ready} ms; a bare node:http server after ${bare} ms`,
    )
    assert.ok(ready < READY_MS * Math.max(1, bare / BARE_READY_MS))
  })
})

/** Milliseconds until a server of node:http listens. */
async function measureBareServer(): Promise<number> {
  const startedAt = performance.now()
  const code = "require('node:http').createServer().listen(0, () => console.log('ready'))"
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] })
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  return Math.round(performance.now() - startedAt)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
