import { setTimeout as sleep } from 'node:timers/promises'
import { createEgressGateway, type EgressGateway, parseAllowList } from '@linchpin/runner'
import { startEventNumbering } from '../../src/activity/events/event-store.ts'
import { startDispatcher } from '../../src/activity/webhooks/dispatch/dispatcher.ts'
import { startDispatchTestContext } from '../../src/activity/webhooks/test/dispatch-context.ts'
import { createLog } from '../../src/platform/http/log.ts'

// A process that numbers events and sends them to endpoints, until it is killed.
const { DATABASE_URL: url, DATABASE_FILE: file, MARKS_FIRST: marksFirst } = process.env
const t = await startDispatchTestContext({ url, file })
const egressGateway = createEgressGateway({ allow: parseAllowList('webhook=127.0.0.0/8') })
const log = createLog('silent')

/** The control: a sender that stores the delivery before it sends it. */
const markFirst: EgressGateway = {
  ...egressGateway,
  async stream(request, policy) {
    await t.database.transaction((trx) =>
      trx
        .updateTable('deliveries')
        .set({ state: 'delivered' })
        .where('event_id', '=', String(request.headers?.['webhook-id']) as `evt_${string}`)
        .where('endpoint_id', 'in', (eb) =>
          eb.selectFrom('webhook_endpoints').select('endpoint_id').where('url', '=', request.url),
        )
        .execute(),
    )
    await sleep(150)
    return egressGateway.stream(request, policy)
  },
}
const dispatcher = startDispatcher({
  database: t.database,
  vault: t.vault,
  log,
  leaseMs: 1_500,
  egressGateway: marksFirst === undefined ? egressGateway : markFirst,
  now: Date.now,
  onTransition: async () => {},
})
startEventNumbering({
  database: t.database,
  events: t.events,
  log,
  onNumbered: (workspaceIds) => dispatcher.wake(workspaceIds),
})
// Keeps the process alive until the test ends.
process.stdin.resume().on('end', () => process.exit())
process.stdout.write('ready\n')
