import type { FastifyRequest } from 'fastify'

/** The query of a request as it was sent, without the question mark. */
export function getRawQuery({ originalUrl }: FastifyRequest): string {
  const queryStart = originalUrl.indexOf('?')
  return queryStart === -1 ? '' : originalUrl.slice(queryStart + 1)
}

/** The parameters of the raw query, because the parser of the API rejects some URLs of old embeds. */
export function getSearchParams(request: FastifyRequest): URLSearchParams {
  return new URLSearchParams(getRawQuery(request))
}
