import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { createResponseSchemas, EmptyQuery, IdOf, listOf, ref } from '../../platform/http/schema.ts'
import { sendJson } from '../../platform/http/send-json.ts'
import { getCaller } from '../auth/authenticate-requests.ts'
import { type CreateTokenDeps, createToken } from './create-token.ts'
import { deleteToken } from './delete-token.ts'
import { type ListTokensDeps, listTokens } from './list-tokens.ts'
import { CreateToken, NewToken, Token } from './schemas.ts'
import type { TokenId } from './token.ts'

const tags = ['Tokens']

/** `/v1/user/token` */
export function tokenRoutes(deps: CreateTokenDeps & ListTokensDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/user/token', {
      config: { scope: 'tokens', returnsSecret: true },
      schema: {
        operationId: 'createToken',
        summary: 'Create a token with at most the scopes of this one',
        description:
          'The new token ends with this one, by expiry or revocation. It is returned only once.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateToken),
        response: createResponseSchemas(201, ref(NewToken), 'The token. It is returned only once.'),
      },
      handler: async (request, reply) =>
        reply.code(201).send(await createToken(deps, getCaller(request), request.body)),
    })

    app.get('/v1/user/token', {
      config: { scope: 'tokens' },
      schema: {
        operationId: 'listTokens',
        summary: 'List tokens',
        description:
          'Returns the tokens of the user that are not revoked, oldest first, without the token values.',
        tags,
        querystring: EmptyQuery,
        response: createResponseSchemas(
          200,
          listOf(Token),
          'The tokens that are not revoked, oldest first.',
        ),
      },
      handler: async (request, reply) =>
        sendJson(reply, await listTokens(deps, getCaller(request))),
    })

    app.delete('/v1/user/token/:tokenId', {
      config: { scope: 'tokens' },
      schema: {
        operationId: 'deleteToken',
        summary: 'Revoke a token and all tokens created with it',
        description:
          'Takes effect immediately. Users that were created with them keep their tokens. Repeated calls return the same response.',
        tags,
        params: Type.Object({
          tokenId: IdOf<TokenId>({ description: 'Identifier of the token.' }),
        }),
        querystring: EmptyQuery,
        response: createResponseSchemas(200, ref(Token), 'The revoked token.'),
      },
      handler: async (request) => deleteToken(deps, getCaller(request), request.params.tokenId),
    })
  }
}
