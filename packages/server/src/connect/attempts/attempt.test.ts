import assert from 'node:assert/strict'
import { it } from 'node:test'
import { expectOk, testContext } from '../../../test/test-context.ts'
import { selectAuditEntries } from '../../platform/storage/audit-inbox.ts'
import { createValidFormValues, defineDesk } from '../connect-page/test/desk.ts'

it('A form that fails is counted at its link with a documented code, listed with that of CHECK, and audited with the address', async (test) => {
  const t = await testContext({ pages: true })
  test.after(() => t.close())
  const desk = await defineDesk(t)
  desk.setCheckResponse({ status: false, error: 'no', code: 'wrong_host', field: 'base_url' })
  const path = await t.link({ integrationDefinitionId: desk.definitionId })
  const visitor = t.visitor()
  await visitor.submit(await visitor.get(path), createValidFormValues(t))
  await t.counters.flush()
  const { counters, refusals } = expectOk(await t.call('GET', `/v1/link/${path.split('/').at(-1)}`))
  assert.deepEqual([counters.attempts, counters.successes], [1, 0])
  assert.deepEqual(refusals, [{ code: 'credentials_rejected', count: 1 }])
  const [attempt] = expectOk(await t.call('GET', '/v1/attempt'))
  assert.equal(attempt?.code, 'wrong_host')
  const entry = await selectAuditEntries(t.database.read)
    .select('ip')
    .where('action', '=', 'connect.failed')
    .executeTakeFirstOrThrow()
  assert.equal(entry.ip, '127.0.0.1')
})
