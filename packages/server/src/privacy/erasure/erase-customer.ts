import { setTimeout as sleep } from 'node:timers/promises'
import type { Caller } from '../../access/auth/caller.ts'
import { defineOperation } from '../../access/operations/define-operation.ts'
import { resolveWorkspace, type WorkspaceStore } from '../../access/workspaces/workspace-store.ts'
import type { ContinuedTasks } from '../../platform/http/drain.ts'
import type { Actor } from '../../platform/record/change.ts'
import { record } from '../../platform/record/record-store.ts'
import { newId } from '../../platform/storage/id.ts'
import {
  type Customer,
  EraseCustomer,
  type Erasure,
  ErasureReceipt,
  getIdentifierContext,
  hashIdentifier,
  serializeErasure,
} from './erasure.ts'
import { getErasureLease } from './erasure-store.ts'
import { type RunErasureDeps, runErasure } from './run-erasure.ts'

export interface EraseCustomerDeps extends RunErasureDeps {
  readonly workspaces: WorkspaceStore
  readonly erasureTasks: ContinuedTasks
}

export const eraseCustomerOperation = defineOperation({
  id: 'eraseCustomer',
  sdk: 'customers.erase',
  method: 'POST',
  path: '/v1/erasure',
  tag: 'Erasure',
  summary: 'Erase a customer',
  description:
    'Revokes the tokens of the accounts with this accountIdentifier, deletes the accounts, and removes names, identifiers and identities from the records about it. Texts of yours, such as names of links, stay. Responds after at most 20 seconds; a longer erasure continues in the background. Repeated calls return the same receipt.',
  scope: 'accounts:write',
  body: EraseCustomer,
  response: ErasureReceipt,
  returns: 'The receipt.',
  errors: [],
  audit: 'customer.erased',
  // A retry continues the erasure instead of getting the response of the first request.
  config: { ignoresIdempotencyKey: true },
  handle: (deps: EraseCustomerDeps, caller, { body }) => eraseCustomer(deps, caller, body),
})

/**
 * Erases a customer: revokes the tokens of its accounts at their providers, deletes the accounts, and removes its names,
 * identifiers and identities from the records about it (docs/erasure.md). Repeated calls return the same receipt,
 * unless there is more to erase.
 *
 * @throws ApiError `workspace_not_accessible`
 */
export async function eraseCustomer(
  deps: EraseCustomerDeps,
  caller: Caller,
  { accountIdentifier, workspaceId }: EraseCustomer,
): Promise<ErasureReceipt> {
  const customer = {
    workspaceId: await resolveWorkspace(deps.workspaces, caller, workspaceId),
    identifier: accountIdentifier,
  }
  const deadline = performance.now() + RESPONSE_WAIT_MS
  const key = { ...customer, identifierHash: hashIdentifier(deps.vault, customer) }
  while (true) {
    const claimed = await claimErasure(deps, caller, customer)
    if (claimed !== undefined) {
      const { signal } = deps.erasureTasks
      const run = { erasure: claimed, customer, actor: caller, signal }
      await deps.erasureTasks.waitAtMost(
        runErasure(deps, run),
        Math.max(0, deadline - performance.now()),
      )
    }
    const erasure = await deps.erasures.find(key)
    // The workspace may have been deleted in the meantime, with its erasures.
    if (erasure === undefined) await resolveWorkspace(deps.workspaces, caller, customer.workspaceId)
    const isLate = performance.now() >= deadline
    if (erasure !== undefined && (claimed !== undefined || !erasure.isRunning || isLate))
      return serializeErasure(erasure)
    // Another process runs it. It is claimed again if that process does not report.
    await sleep(POLL_MS)
  }
}

/** How long a request waits. The erasure continues after it. */
const RESPONSE_WAIT_MS = 20_000
const POLL_MS = 250

/** Claims the erasure of a customer and records that it was requested. Undefined while another process runs it. */
async function claimErasure(
  deps: EraseCustomerDeps,
  actor: Actor,
  customer: Customer,
): Promise<Erasure | undefined> {
  const lease = getErasureLease(deps)
  const { workspaceId, identifier } = customer
  const identifierHash = hashIdentifier(deps.vault, customer)
  const context = getIdentifierContext({ workspaceId, identifierHash })
  const erasure = {
    erasureId: newId('ers', lease.now),
    workspaceId,
    identifierHash,
    sealedIdentifier: await deps.vault.seal(context, identifier),
    counts: {},
    isRunning: true,
    createdAt: lease.now,
    finishedAt: null,
  }
  return deps.database.transaction(
    async (trx) => {
      const claimed = await deps.erasures.claim(trx, erasure, lease)
      if (claimed !== undefined)
        await record(trx, actor, lease.now, {
          action: 'customer.erasure_requested',
          workspaceId,
          subject: claimed.erasureId,
          detail: { customer: Buffer.from(identifierHash).toString('hex') },
        })
      return claimed
    },
    { serializable: true },
  )
}
