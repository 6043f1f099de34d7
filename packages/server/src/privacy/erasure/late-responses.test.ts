import assert from 'node:assert/strict'
import { it } from 'node:test'
import { createEgressGateway, parseAllowList } from '@linchpin/runner'
import { describeOnBothDatabases } from '../../../test/postgres.ts'
import { startDispatcher } from '../../activity/webhooks/dispatch/dispatcher.ts'
import { startDispatchTestContext } from '../../activity/webhooks/test/dispatch-context.ts'
import { startReceiver } from '../../activity/webhooks/test/receiver.ts'
import { createLog } from '../../platform/http/log.ts'
import { scrubEventsOfSubject } from './scrub-records-store.ts'

describeOnBothDatabases('The response to a webhook that was in flight', (newUrl) => {
  it('is not logged if an erasure has scrubbed its event in the meantime', async (test) => {
    const t = await startDispatchTestContext({ url: await newUrl() })
    const egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
    const workspaceId = await t.createWorkspace()
    const receiver = await startReceiver(async (response, { body, event: { subject } }) => {
      response.statusCode = 500
      if (subject === 'acc_erased')
        await t.database.transaction((trx) => scrubEventsOfSubject(trx, workspaceId, subject, 0))
      response.end(body)
    })
    await t.createEndpoint(workspaceId, { url: receiver.url })
    const account = { integrationAccountName: 'Planted name' }
    for (const subject of ['acc_erased', 'acc_live'])
      await t.publish(workspaceId, 'account.updated', subject, { account })
    await t.number(workspaceId)
    const dispatcher = startDispatcher({
      database: t.database,
      vault: t.vault,
      egressGateway,
      log: createLog('silent'),
      now: Date.now,
      onTransition: async () => {},
    })
    test.after(async () => {
      await dispatcher.stop()
      await receiver.close()
      await egressGateway.close()
      await t.close()
    })
    dispatcher.wake([workspaceId])
    const readFailures = () => t.database.read.selectFrom('delivery_failures').selectAll().execute()
    await test.waitFor(async () => assert.equal((await readFailures()).length, 2), {
      timeout: 20_000,
    })
    const [erased, live] = (await readFailures()).sort((a, b) => a.sequence - b.sequence)
    assert.equal(erased?.response, '')
    assert.match(live?.response ?? '', /Planted name/)
  })
})
