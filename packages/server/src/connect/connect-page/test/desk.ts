import { createMiniBundle } from '../../../../test/mini-bundle.ts'
import type { PageTestContext } from './page-test-context.ts'

/** A spec with a field of every kind. CHECK returns the provider's response at `/told`. */
export const DESK_SPEC = {
  auth_specification: {
    'Api Key': {
      input_specification: {
        type: 'object',
        required: ['api_key', 'base_url', 'mode'],
        properties: {
          api_key: {
            type: 'string',
            title: 'Key of the desk',
            description: 'Starts with desk_.',
            'x-placeholder': 'desk_…',
            'x-help-url': 'https://help.desk.example/keys?a=1',
            'x-order': 1,
            minLength: 8,
          },
          base_url: { type: 'string', format: 'url', 'x-secret': false, 'x-order': 2 },
          region: { type: 'string', enum: ['eu', 'us'], default: 'us' },
          port: { type: 'integer', minimum: 1, maximum: 65_535 },
          email: { type: 'string', format: 'email' },
          code: { type: 'string', pattern: '^[A-Z]{3}-\\d{2}$' },
          is_test: { type: 'boolean', title: 'This is a test account' },
          tags: { type: 'array' },
        },
      },
    },
  },
  other_inputs: {
    input_specification: {
      type: 'object',
      properties: { mode: { type: 'string', default: 'told' } },
    },
  },
}

/** Valid form values. */
export function createValidFormValues(t: PageTestContext): Record<string, string> {
  return { 'field.api_key': 'desk_live_canary_0123', 'field.base_url': t.stubServer.url }
}

/** Defines the desk integration; its provider accepts every key until `setCheckResponse` is called. */
export async function defineDesk(t: PageTestContext, body: Record<string, unknown> = {}) {
  let checkResponse: unknown = { status: true }
  let providerCalls = 0
  t.stubServer.serve('/told', (_request, response) => {
    providerCalls += 1
    response.end(JSON.stringify(checkResponse))
  })
  const definition = await t.createDefinition({
    name: 'Desk',
    code: createMiniBundle(DESK_SPEC),
    ...body,
  })
  return {
    definitionId: definition.integrationDefinitionId,
    /** Sets the result of CHECK. */
    setCheckResponse: (next: unknown) => {
      checkResponse = next
    },
    /** Number of requests to the provider. */
    providerCalls: () => providerCalls,
  }
}
