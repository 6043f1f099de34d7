import type { RouteOptions } from 'fastify'

const HEADERS = {
  type: 'object',
  properties: {
    'Idempotency-Key': {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description:
        'Makes the request safe to retry: within 24 hours, a request with the same key and the same body gets the response of the first and has no further effect. Use a new random value, such as a UUID, for each request.',
    },
  },
} as const

/** Adds the header to the operation in the OpenAPI document, but not to the schema that requests are validated by. */
export function documentIdempotencyKey(route: RouteOptions): void {
  const swaggerTransform = ({ schema, url }: { schema: object; url: string }) => ({
    url,
    schema: { ...schema, headers: HEADERS },
  })
  route.config = { ...route.config, swaggerTransform } as NonNullable<RouteOptions['config']>
}
