import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyInstance } from 'fastify'

/** What caused some work: the request with this id, or a background job with this name. */
export type LogOrigin = { readonly reqId: string } | { readonly job: string }

// Like the fields of log.ts, this belongs to a piece of work, not to the module.
const origins = new AsyncLocalStorage<LogOrigin>()

/** What caused the work in progress, for the log lines of code that does not know its request; empty if unknown. */
export function getLogOrigin(): LogOrigin | Record<string, never> {
  return origins.getStore() ?? {}
}

/** Runs background work under the name of its job, whichever request has started it. */
export function runJob<T>(job: string, work: () => T): T {
  return origins.run({ job }, work)
}

/** Makes each request the origin of what its validation and its handler do. */
export function setLogOrigins(app: FastifyInstance): void {
  // After the body: its events have the context of the connection.
  app.addHook('preValidation', (request, _reply, done) => origins.run({ reqId: request.id }, done))
}
