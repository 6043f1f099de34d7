import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { copyRepository } from '../../../../../bench/mutants/copy-repository.ts'
import type { Defect } from '../../../../../bench/mutants/mutant.ts'
import { withDefect } from '../../../../../bench/mutants/run-mutant.ts'
import { describePostgres } from '../../postgres.ts'
import { startDeskProvider } from '../desk-provider.ts'
import { createServiceSetup, type ServiceSetup } from '../service-process.ts'
import { AGENT_OPERATIONS } from './agent-operations.ts'
import { killAtEachWrite } from './kill-at-each-write.ts'
import { CREATE_LINK, OPERATIONS, type Operation } from './operations.ts'

/** The sources: a bundle has its own driver of PostgreSQL, which the kills cannot reach. */
const SOURCE = join(import.meta.dirname, '../../../src/main.ts')

describe('kill -9 of a service before each write of a request, on SQLite', () => {
  for (const operation of [...OPERATIONS, ...AGENT_OPERATIONS])
    it(`${operation.name}: stored with its audit entry and event or not at all`, async (t) => {
      await expectKills(t, operation, {})
    })

  it('finds a link that is stored without its audit entry and event (control)', async (t) => {
    const copy = copyRepository()
    t.after(() => copy.remove())
    const program = join(copy.folder, 'packages/server/src/main.ts')
    await withDefect(copy.folder, SEPARATE_RECORD, () =>
      assert.rejects(expectKills(t, CREATE_LINK, { program }), {
        name: 'AssertionError',
        message: /a link without its event|links or their audit events without the other/,
      }),
    )
  })
})

describePostgres('kill -9 of a service before each write of a request', (server) => {
  for (const operation of [...OPERATIONS, ...AGENT_OPERATIONS])
    it(`${operation.name}: stored with its audit entry and event or not at all`, async (t) => {
      const databaseUrl = await server().createMigratedDatabase()
      await expectKills(t, operation, { databaseUrl, program: SOURCE })
    })
})

async function expectKills(
  t: TestContext,
  operation: Operation,
  options: Partial<ServiceSetup>,
): Promise<void> {
  const provider = await startDeskProvider()
  t.after(() => provider.close())
  const setup = await createServiceSetup(options)
  t.after(() => setup.remove())
  const counts = await killAtEachWrite({ t, setup, provider }, operation)
  const kills = counts.lost + counts.stored
  t.diagnostic(`${operation.name}: ${kills} kills, ${counts.stored} after the commit`)
  // Kills on both sides of the commit, so the test would see a loss.
  assert.ok(counts.lost > 1 && counts.stored > 0, JSON.stringify(counts))
}

/** A link is recorded in a transaction of its own. */
const SEPARATE_RECORD: Defect = {
  file: 'packages/server/src/connect/links/create-link.ts',
  original: `    await insertLink(trx, link)
`,
  replacement: `    await insertLink(trx, link)
  })
  await deps.database.transaction(async (trx) => {
`,
}
