import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeOnBothDatabases, type NewDatabaseUrl } from '../../../test/postgres.ts'
import {
  databaseBytes,
  expectOk,
  readAllText,
  type TestContext,
  testContext,
} from '../../../test/test-context.ts'
import { getIdentifierContext, hashIdentifier } from './erasure.ts'
import type { ResumeErasuresDeps } from './resume-erasures.ts'
import { resumeErasures } from './resume-erasures.ts'
import { createResumeDeps } from './test/resume-deps.ts'

describeOnBothDatabases('The erasure of a customer with many accounts', defineTests)

const COUNT = 400

function defineTests(newUrl: NewDatabaseUrl): void {
  let t: TestContext
  let definitionId: string
  before(async () => {
    t = await testContext({ url: await newUrl() })
    definitionId = (await t.createDefinition()).integrationDefinitionId
  })
  after(() => t.close())

  /** Copies one account, with an event each, among accounts of another customer. */
  async function fill(accountIdentifier: string): Promise<void> {
    const names = { accountIdentifier, integrationAccountName: `${accountIdentifier} name` }
    const { integrationAccountId } = await t.createAccount(definitionId, names)
    await t.database.transaction(async (trx) => {
      const account = await trx
        .selectFrom('accounts')
        .selectAll()
        .where('account_id', '=', integrationAccountId)
        .executeTakeFirstOrThrow()
      const { position: _, ...event } = await trx
        .selectFrom('events')
        .selectAll()
        .where('subject', '=', integrationAccountId)
        .executeTakeFirstOrThrow()
      for (let index = 1; index < COUNT; index += 1) {
        const account_id = `acc_copy_${accountIdentifier.length}_${index}` as const
        const account_identifier = index % 2 === 0 ? accountIdentifier : 'other-customer'
        const name = index % 2 === 0 ? account.name : 'Other'
        const response_json = null
        const copy = {
          ...account,
          account_id,
          account_identifier,
          name,
          response_json,
          search_text: null,
        }
        await trx.insertInto('accounts').values(copy).execute()
        const event_id = `evt_copy_${accountIdentifier.length}_${index}` as const
        const data = JSON.stringify({ account: { integrationAccountName: name } })
        await trx
          .insertInto('events')
          .values({
            ...event,
            event_id,
            subject: account_id,
            account_identifier,
            data,
            sequence: null,
          })
          .execute()
      }
    })
  }

  /** The response of an erasure that takes long says that it continues, so the request is repeated. */
  async function eraseToTheEnd(accountIdentifier: string) {
    while (true) {
      const receipt = expectOk(await t.call('POST', '/v1/erasure', { body: { accountIdentifier } }))
      if (receipt.status === 'finished') return receipt
    }
  }

  it('answers other requests meanwhile, and leaves no trace in rows or bytes', async () => {
    await fill('many-planted')
    let isErasing = true
    let answered = 0
    const askOften = async () => {
      while (isErasing) {
        expectOk(await t.call('GET', '/v1/link'))
        answered += 1
        await sleep(2)
      }
    }
    const asking = askOften()
    const receipt = await eraseToTheEnd('many-planted')
    isErasing = false
    await asking
    assert.equal(receipt.erased.accounts, COUNT / 2)
    // Fifty transactions erase the accounts: a request is answered in nearly every gap, on a busy machine too.
    assert.ok(answered >= 20, `${answered} requests were answered meanwhile`)
    assert.ok(!(await readAllText(t)).includes('many-planted'))
    if (t.database.dialect !== 'sqlite') return
    await t.database.rewriteFile()
    const bytes = await databaseBytes(t)
    assert.ok(
      !bytes.includes('many-planted'),
      `in the file, at byte ${bytes.indexOf('many-planted')}`,
    )
  })

  it('is continued after a crash at any transaction, in the background, with exact counts', async () => {
    await fill('many-then-crashed')
    const workspaceId = t.workspaceId
    const deps = createResumeDeps(t)
    const customer = { workspaceId, identifier: 'many-then-crashed' }
    const identifierHash = hashIdentifier(deps.vault, customer)
    const context = getIdentifierContext({ workspaceId, identifierHash })
    const sealed_identifier = await deps.vault.seal(context, customer.identifier)
    await t.database.transaction((trx) =>
      trx
        .insertInto('erasures')
        .values({
          erasure_id: 'ers_crashed',
          workspace_id: workspaceId,
          counts: '{}',
          identifier_hash: identifierHash,
          alive_until: 1,
          created_at: 1,
          finished_at: null,
          sealed_identifier,
        })
        .execute(),
    )
    for (let limit = 1; limit < 2_000; limit += 7) {
      await resumeErasures(failAfter(deps, limit), new AbortController().signal)
      const erasure = await deps.erasures.find({ workspaceId, identifierHash })
      if (erasure?.isRunning !== true) break
      await t.database.transaction((trx) =>
        trx.updateTable('erasures').set({ alive_until: 1 }).execute(),
      )
    }
    const erasure = await deps.erasures.find({ workspaceId, identifierHash })
    assert.equal(erasure?.counts.accounts, COUNT / 2)
    assert.equal(erasure?.sealedIdentifier, null)
  })

  it('is counted exactly while two processes run it, as after a lease that expired', async () => {
    const { erasures } = createResumeDeps(t)
    const { erasureId } = expectOk(
      await t.call('POST', '/v1/erasure', { body: { accountIdentifier: 'counted-twice' } }),
    )
    await Promise.all(
      Array.from({ length: 24 }, () =>
        t.database.transaction((trx) => erasures.addCounts(trx, erasureId, { accounts: 1 }, 1)),
      ),
    )
    const { counts } = await t.database.read
      .selectFrom('erasures')
      .select('counts')
      .where('erasure_id', '=', erasureId)
      .executeTakeFirstOrThrow()
    assert.equal(JSON.parse(counts).accounts, 24)
  })
}

/** Dependencies of a process whose database fails after some transactions. */
function failAfter(deps: ResumeErasuresDeps, limit: number): ResumeErasuresDeps {
  let count = 0
  const database: typeof deps.database = {
    ...deps.database,
    transaction: (work, options) => {
      count += 1
      if (count > limit) return Promise.reject(new Error('crashed'))
      return deps.database.transaction(work, options)
    },
  }
  return { ...deps, database }
}
