import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../http/schema.ts'
import { type EraseCustomerDeps, eraseCustomer } from './erase-customer.ts'
import { EraseCustomer, ErasureReceipt } from './schemas.ts'

const tags = ['Erasure']

export interface ErasureRoutesDeps extends EraseCustomerDeps {}

/** `/v1/erasure` */
export function erasureRoutes(deps: ErasureRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('preClose', () => deps.erasureTasks.stop())

    app.post('/v1/erasure', {
      config: { scope: 'accounts:write' },
      schema: {
        operationId: 'eraseCustomer',
        summary: 'Erase a customer',
        description:
          'Revokes the tokens of the accounts with this accountIdentifier, deletes the accounts, and removes names, identifiers and identities from everything that is stored. Responds after at most 20 seconds; a longer erasure continues in the background. Repeated calls return the same receipt.',
        tags,
        querystring: EmptyQuery,
        body: ref(EraseCustomer),
        response: createResponseSchemas(200, ref(ErasureReceipt), 'The receipt.'),
      },
      handler: async (request) => eraseCustomer(deps, getCaller(request), request.body),
    })
  }
}
