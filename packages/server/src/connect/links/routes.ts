import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { getCaller } from '../../access/auth/authenticate-requests.ts'
import type { Caller } from '../../access/auth/caller.ts'
import { IntegrationAccount } from '../../accounts/accounts/schemas/account.ts'
import { CreateAccountThroughLink } from '../../accounts/accounts/schemas/account-requests.ts'
import { createResponseSchemas, EmptyQuery, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { countFailure, type LinkCounters } from './counters/link-counters.ts'
import {
  type CreateAccountThroughLinkDeps,
  createAccountThroughLink,
} from './create-account-through-link.ts'
import { type CreateLinkDeps, createLink } from './create-link.ts'
import { deleteLink } from './delete-link.ts'
import type { GetLinkDeps } from './get-link.ts'
import type { LinkId } from './link.ts'
import { CreateLink, UpdateLink } from './link-requests.ts'
import { params, tags } from './read-routes.ts'
import { ExtendedLink, LinkResponse, LinkSettings } from './schemas.ts'
import { updateLink } from './update-link.ts'

export interface LinkRoutesDeps extends CreateLinkDeps, GetLinkDeps, CreateAccountThroughLinkDeps {
  readonly counters: LinkCounters
}

/** `/v1/link`, except its reads, and creating accounts through a link. */
export function linkRoutes(deps: LinkRoutesDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/link', {
      config: { scope: 'links:write' },
      schema: {
        operationId: 'createLink',
        summary: 'Create a link',
        description:
          'Through a link, customers add accounts for selected categories or for one integration definition.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateLink),
        response: createResponseSchemas(201, ref(LinkResponse), 'The link.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createLink(deps, getCaller(request), request.body)),
    })

    app.post('/v1/link/:linkId', {
      config: { scope: 'links:write' },
      schema: {
        operationId: 'updateLink',
        summary: 'Update a link',
        description:
          'Changes its name, limits or allowlists. Fields that are not sent keep their values. What it allows to connect cannot be changed: create another link.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(UpdateLink),
        response: createResponseSchemas(200, ref(LinkSettings), 'The link.'),
      },
      handler: async (request) =>
        updateLink(deps, getCaller(request), request.params.linkId, request.body),
    })

    app.delete('/v1/link/:linkId', {
      config: { scope: 'links:write' },
      schema: {
        operationId: 'deleteLink',
        summary: 'Revoke a link',
        description:
          'No further accounts can be added through the link. Repeated calls return the same response.',
        tags,
        params,
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(ExtendedLink), 'The revoked link.'),
      },
      handler: async (request, reply) =>
        sendJson(reply, await deleteLink(deps, getCaller(request), request.params.linkId)),
    })

    app.post('/v1/integration_account/link/:linkId', {
      config: { scope: 'accounts:write', rate: 'bundle' },
      schema: {
        operationId: 'createAccountThroughLink',
        summary: 'Create an integration account through a link',
        description: 'Like Create integration account, subject to the restrictions of the link.',
        tags,
        params,
        querystring: EmptyQuery,
        body: ref(CreateAccountThroughLink),
        response: createResponseSchemas(201, ref(IntegrationAccount), 'The account.'),
      },
      handler: async (request, reply) => {
        const { params, body } = request
        return sendJson(
          reply.code(201),
          await createCountedAccount(deps, getCaller(request), params.linkId, body),
        )
      },
    })
  }
}

async function createCountedAccount(
  deps: LinkRoutesDeps,
  caller: Caller,
  linkId: LinkId,
  input: CreateAccountThroughLink,
): Promise<string> {
  try {
    const account = await createAccountThroughLink(deps, caller, linkId, input)
    deps.counters.attempted(linkId)
    deps.counters.succeeded(linkId)
    return account
  } catch (error) {
    countFailure(deps.counters, linkId, error)
    throw error
  }
}
