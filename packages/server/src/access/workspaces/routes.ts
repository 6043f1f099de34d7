import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { createResponseSchemas, EmptyQuery, IdOf, listOf, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { type CreateWorkspaceDeps, createWorkspace } from './create-workspace.ts'
import { type ListWorkspacesDeps, listWorkspaces } from './list-workspaces.ts'
import { CreateWorkspace, UpdateWorkspace, WorkspaceSettings } from './schemas.ts'
import { updateWorkspace } from './update-workspace.ts'
import type { WorkspaceId } from './workspace.ts'

const tags = ['Workspaces']

/** `/v1/workspace` */
export function workspaceRoutes(
  deps: CreateWorkspaceDeps & ListWorkspacesDeps,
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/workspace', {
      config: { scope: 'workspace:write', optionalBody: true },
      schema: {
        operationId: 'createWorkspace',
        summary: 'Create a workspace',
        description:
          'The workspace belongs to the user of this token. A token that is bound to a workspace cannot create another one.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateWorkspace),
        response: createResponseSchemas(201, ref(WorkspaceSettings), 'The workspace.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createWorkspace(deps, getCaller(request), request.body)),
    })

    app.get('/v1/workspace', {
      config: { scope: 'read' },
      schema: {
        operationId: 'listWorkspaces',
        summary: 'List the workspaces that the token can access',
        description: 'Returns the workspaces with their settings, oldest first.',
        tags,
        querystring: EmptyQuery,
        response: createResponseSchemas(
          200,
          listOf(WorkspaceSettings),
          'The workspaces, oldest first.',
        ),
      },
      handler: async (request, reply) =>
        sendJson(reply, await listWorkspaces(deps, getCaller(request))),
    })

    app.post('/v1/workspace/:workspaceId', {
      config: { scope: 'workspace:write' },
      schema: {
        operationId: 'updateWorkspace',
        summary: 'Change the settings of a workspace',
        description:
          'Changes the settings in the request and leaves the others unchanged. Lists and the theme are replaced as a whole.',
        tags,
        params: Type.Object({
          workspaceId: IdOf<WorkspaceId>({ description: 'Identifier of the workspace.' }),
        }),
        querystring: EmptyQuery,
        body: ref(UpdateWorkspace),
        response: createResponseSchemas(200, ref(WorkspaceSettings), 'The workspace.'),
      },
      handler: async (request) =>
        updateWorkspace(deps, getCaller(request), request.params.workspaceId, request.body),
    })
  }
}
