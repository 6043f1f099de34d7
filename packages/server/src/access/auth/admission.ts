import type { IncomingMessage, ServerResponse } from 'node:http'
import { NOTHING_TO_RELEASE, type Release, type RequestQueue } from './request-queue.ts'

/** Lets requests through the fair queue of tenants. */
export interface Admission {
  /**
   * Waits until a request of the tenant may start. It ends with its response. A request that was handed over has waited.
   *
   * @throws ApiError `overloaded`; the promise never rejects
   */
  admit(
    request: IncomingMessage,
    response: ServerResponse,
    tenant: string,
  ): Promise<void> | undefined
  /** Records that a request has waited already, or was rejected, before it reaches the framework. */
  handOver(request: IncomingMessage, rejection?: unknown): void
  /** Ends the request's turn before its response, because it now waits for something that takes no work. */
  leave(request: IncomingMessage): void
}

/** Creates the admission to a queue. */
export function createAdmission(queue: RequestQueue): Admission {
  const outcomes = new WeakMap<IncomingMessage, { readonly rejection: unknown }>()
  const turns = new WeakMap<IncomingMessage, Release>()
  const leave = (request: IncomingMessage) => {
    turns.get(request)?.()
    turns.delete(request)
  }
  return {
    admit(request, response, tenant) {
      const outcome = outcomes.get(request)
      if (outcome?.rejection !== undefined) throw outcome.rejection
      if (outcome !== undefined) return undefined
      const release = queue.acquire(tenant)
      const keep = (turn: Release) => {
        if (turn === NOTHING_TO_RELEASE) return
        turns.set(request, turn)
        response.once('close', () => leave(request))
      }
      if (release instanceof Promise) return release.then(keep)
      keep(release)
      return undefined
    },
    handOver: (request, rejection) => void outcomes.set(request, { rejection }),
    leave,
  }
}
