import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import { getCaller } from '../auth/authenticate-requests.ts'
import { EmptyQuery, listOf, ref, responseSchemas } from '../http/schema.ts'
import { type CreateTokenDeps, createToken } from './create-token.ts'
import { deleteToken } from './delete-token.ts'
import { listTokens } from './list-tokens.ts'
import { CreateToken, NewToken, Token } from './token.ts'

const tags = ['Tokens']

/** `/v1/user/token` */
export function tokenRoutes(deps: CreateTokenDeps): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.post('/v1/user/token', {
      config: { scope: 'tokens' },
      schema: {
        operationId: 'createToken',
        summary: 'Mint a token that is no wider than this one',
        description:
          'The new token ends with this one, by time and by revocation. It is shown this once only.',
        tags,
        querystring: EmptyQuery,
        body: ref(CreateToken),
        response: responseSchemas(201, ref(NewToken), 'The token. It is shown this once only.'),
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
          'The tokens of the user that were not revoked, oldest first, without their secrets.',
        tags,
        querystring: EmptyQuery,
        response: responseSchemas(
          200,
          listOf(Token),
          'Tokens that were not revoked, oldest first.',
        ),
      },
      handler: async (request) => listTokens(deps, getCaller(request)),
    })

    app.delete('/v1/user/token/:tokenId', {
      config: { scope: 'tokens' },
      schema: {
        operationId: 'deleteToken',
        summary: 'Revoke a token and all that it minted',
        description: 'Ends the token at once. Repeating it answers the same.',
        tags,
        params: Type.Object({ tokenId: Type.String({ description: 'Identifier of the token.' }) }),
        querystring: EmptyQuery,
        response: responseSchemas(200, ref(Token), 'The revoked token.'),
      },
      handler: async (request) => deleteToken(deps, getCaller(request), request.params.tokenId),
    })
  }
}
