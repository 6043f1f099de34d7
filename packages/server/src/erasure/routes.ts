import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { createResponseSchemas, EmptyQuery, IdOf, ref } from '../http/schema.ts'
import type { WorkspaceId } from '../workspaces/workspace.ts'
import { type DeleteWorkspaceDeps, deleteWorkspace } from './delete-workspace.ts'
import { type EraseCustomerDeps, eraseCustomer } from './erase-customer.ts'
import { DeletedWorkspace, EraseCustomer, ErasureReceipt } from './schemas.ts'

const tags = ['Erasure']

export interface ErasureRoutesDeps extends EraseCustomerDeps, DeleteWorkspaceDeps {}

/** `/v1/erasure`, and the deletion of workspaces */
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

    app.delete('/v1/workspace/:workspaceId', {
      config: { scope: 'workspace:write' },
      schema: {
        operationId: 'deleteWorkspace',
        summary: 'Delete a workspace and everything in it',
        description:
          'The workspace answers 404 at once, and its tokens are revoked. Revokes the tokens of its accounts at their providers, erases its data and destroys its data key. Responds after at most 20 seconds; a longer deletion continues in the background.',
        tags,
        params: Type.Object({
          workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
        }),
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(DeletedWorkspace), 'The deleted workspace.'),
      },
      handler: async (request) =>
        deleteWorkspace(deps, getCaller(request), request.params.workspaceId),
    })
  }
}
