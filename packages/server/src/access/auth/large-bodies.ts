import type { FastifyReply, FastifyRequest, RequestPayload } from 'fastify'
import { ApiError } from '../../platform/errors.ts'
import { getCaller } from './authenticate-requests.ts'
import { getTenant } from './caller.ts'

/** Bodies up to this length need no slot. */
const SMALL_BYTES = 1024 * 1024
const SLOTS_OF_TENANT = 2
const SLOTS_OF_NODE = 8

/** Bounds the memory of long bodies that are parsed as a whole: two at a time for each tenant, eight on a node. */
export class LargeBodies {
  readonly #counts = new Map<string, number>()
  #count = 0

  /**
   * Admits the body of a request. Returns the function that ends its time, which may be called more than once.
   *
   * @param length in bytes; undefined if the request does not declare it
   * @throws ApiError `overloaded`
   */
  admit(tenant: string, length: number | undefined): () => void {
    if (length !== undefined && length <= SMALL_BYTES) return () => {}
    const ofTenant = this.#counts.get(tenant) ?? 0
    if (ofTenant >= SLOTS_OF_TENANT || this.#count >= SLOTS_OF_NODE) throw createOverloadedError()
    this.#add(tenant, 1)
    let isHeld = true
    return () => {
      if (isHeld) this.#add(tenant, -1)
      isHeld = false
    }
  }

  /** The same for a request: the time of its body ends with its response. */
  admitBody(
    tenant: string,
    { headers }: Pick<FastifyRequest, 'headers'>,
    reply: Pick<FastifyReply, 'raw'>,
  ): void {
    const length = headers['content-length']
    reply.raw.once('close', this.admit(tenant, length === undefined ? undefined : Number(length)))
  }

  /** The same as a `preParsing` hook of the API. */
  readonly admitRequest = (
    request: FastifyRequest,
    reply: FastifyReply,
    payload: RequestPayload,
    done: (error: null, payload: RequestPayload) => void,
  ): void => {
    this.admitBody(getTenant(getCaller(request)), request, reply)
    done(null, payload)
  }

  #add(tenant: string, change: number): void {
    const count = (this.#counts.get(tenant) ?? 0) + change
    this.#count += change
    if (count === 0) this.#counts.delete(tenant)
    else this.#counts.set(tenant, count)
  }
}

function createOverloadedError(): ApiError {
  return new ApiError('overloaded', 'Too many long bodies are in progress. Try again later.', {
    headers: { 'retry-after': '1', connection: 'close' },
  })
}
