import type { Log } from '../../platform/http/log.ts'
import type { IdempotencyClaim, SealedResponse } from '../../platform/record/change.ts'
import { CLAIM_MS, type IdempotencyKeyStore } from '../../platform/record/idempotency-key-store.ts'
import type { StoredKeyLimit } from './limit-stored-keys.ts'

/** A request that has claimed its key. */
export interface ClaimedRequest {
  readonly claim: IdempotencyClaim
  /** Stores the response of a success with the key, and frees the key after a failure. Never rejects. */
  finish(status: number, payload: unknown): Promise<void>
}

export interface RunClaimedRequestDeps {
  readonly store: IdempotencyKeyStore
  readonly limit: StoredKeyLimit
  readonly log: Log
}

/** How the response of an operation is stored. */
export interface ResponseFormat {
  /** The status of a success. */
  readonly status: number
  serialize(response: unknown): string
  seal(json: string): Uint8Array
}

const EXTENSION_MS = CLAIM_MS / 3
/** Ten minutes: longer than any request takes. */
const MAX_EXTENSIONS = 60

/** Extends the claim until the request has finished. */
export function runClaimedRequest(
  { store, limit, log }: RunClaimedRequestDeps,
  owned: Omit<IdempotencyClaim, 'seal'>,
  { status, seal, serialize }: ResponseFormat,
): ClaimedRequest {
  const warn = (error: unknown) => log.warn({ err: error }, 'an idempotency key was not updated')
  let extensions = 0
  const extending = setInterval(() => {
    extensions += 1
    // A request that never finishes must not hold its key.
    if (extensions === MAX_EXTENSIONS) clearInterval(extending)
    store.extend(owned).catch(warn)
  }, EXTENSION_MS).unref()
  let settledJson: string | undefined
  let bytes = 0
  const sealJson = (json: string): SealedResponse => {
    const sealed = seal(json)
    bytes = sealed.length
    return { status, sealed }
  }
  const claim: IdempotencyClaim = {
    ...owned,
    seal(response) {
      settledJson = typeof response === 'string' ? response : serialize(response)
      return sealJson(settledJson)
    },
  }
  return {
    claim,
    async finish(actualStatus, payload) {
      clearInterval(extending)
      try {
        if (actualStatus !== status) return await store.release(owned)
        // Most operations have stored these bytes with their effect.
        if (payload !== settledJson) await store.storeResponse(owned, sealJson(String(payload)))
        limit.count(owned.userId, bytes)
      } catch (error) {
        // The key is free when the claim ends, unless the request had an effect.
        warn(error)
      }
    },
  }
}
