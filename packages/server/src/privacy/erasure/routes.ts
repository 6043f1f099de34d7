import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { WorkspaceId } from '../../access/workspaces/workspace.ts'
import { createResponseSchemas, EmptyQuery, IdOf, ref } from '../../platform/http/schema.ts'
import { type DeleteWorkspaceDeps, deleteWorkspace } from './delete-workspace.ts'
import { type EraseCustomerDeps, eraseCustomer } from './erase-customer.ts'
import { type ExportCustomerDeps, ExportCustomerQuery, exportCustomer } from './export-customer.ts'
import { DeletedWorkspace, EraseCustomer, ErasureReceipt } from './schemas.ts'

const tags = ['Erasure']

export interface ErasureRoutesDeps
  extends EraseCustomerDeps,
    DeleteWorkspaceDeps,
    ExportCustomerDeps {}

/** `/v1/erasure`, `/v1/export`, and the deletion of workspaces */
export function erasureRoutes(deps: ErasureRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.addHook('preClose', () => deps.erasureTasks.stop())

    app.post('/v1/erasure', {
      // A retry continues the erasure instead of getting the response of the first request.
      config: { scope: 'accounts:write', ignoresIdempotencyKey: true },
      schema: {
        operationId: 'eraseCustomer',
        summary: 'Erase a customer',
        description:
          'Revokes the tokens of the accounts with this accountIdentifier, deletes the accounts, and removes names, identifiers and identities from the records about it. Texts of yours that mention the customer stay, and are reported. Responds after at most 20 seconds; a longer erasure continues in the background. Repeated calls return the same receipt.',
        tags,
        querystring: EmptyQuery,
        body: ref(EraseCustomer),
        response: createResponseSchemas(200, ref(ErasureReceipt), 'The receipt.'),
      },
      handler: async (request) => eraseCustomer(deps, getCaller(request), request.body),
    })

    app.get('/v1/export', {
      config: { scope: 'read' },
      schema: {
        operationId: 'exportCustomer',
        summary: 'Export what is stored about a customer',
        description:
          'Streams JSON lines, without secrets; audit entries only with the scope audit:read. An export without the last line, of type `end`, is incomplete. The export is recorded in the audit trail.',
        tags,
        querystring: ExportCustomerQuery,
        response: { ...createResponseSchemas(200, Type.Unknown(), ''), 200: EXPORT_RESPONSE },
      },
      handler: async (request, reply) =>
        reply
          .header('content-type', 'application/jsonl; charset=utf-8')
          .send(await exportCustomer(deps, getCaller(request), request.query)),
    })

    app.delete('/v1/workspace/:workspaceId', {
      config: { scope: 'workspace:write' },
      schema: {
        operationId: 'deleteWorkspace',
        summary: 'Delete a workspace and everything in it',
        description:
          'From now on, no request finds the workspace, and its tokens are revoked. Revokes the tokens of its accounts at their providers, erases its data and destroys its data key. Responds after at most 20 seconds; a longer deletion continues in the background.',
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

const EXPORT_RESPONSE = {
  description: 'One JSON object per line.',
  content: { 'application/jsonl': { schema: { type: 'string' } } },
}
