import assert from 'node:assert/strict'
import { IntegrationAccount } from '../src/accounts/accounts/account.ts'
import { LinkResponse } from '../src/connect/links/schemas.ts'
import { ListedIntegrationDefinition } from '../src/integrations/definitions/schemas.ts'
import { ERRORS, type ErrorCode } from '../src/platform/error-codes.ts'
import type { TestResponse } from './test-app.ts'

/** The exact fields of responses, in alphabetical order. */
export const RESPONSE_KEYS = {
  account: Object.keys(IntegrationAccount.properties).sort(),
  definition: [
    'createdAt',
    'deleted',
    'icon',
    'integrationDefinitionId',
    'integrationType',
    'key',
    'name',
    'releaseStage',
    'sourceUrl',
    'updatedAt',
    'version',
    'workspaceId',
  ],
  listedDefinition: Object.keys(ListedIntegrationDefinition.properties).sort(),
  /** Only a list has counters, on request. */
  link: Object.keys(LinkResponse.properties)
    .filter((name) => name !== 'counters')
    .sort(),
  failure: ['error', 'errors', 'message', 'path', 'status', 'statusCode', 'timestamp'],
} as const

export const ISO_TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** Asserts the status 201 and returns the body. */
export function expectCreated(response: TestResponse) {
  assert.equal(response.status, 201, response.text)
  return response.body
}

/** Asserts the status 200 and returns the body. */
export function expectOk(response: TestResponse) {
  assert.equal(response.status, 200, response.text)
  return response.body
}

/** Asserts that a response is the ApiException of this code and returns its body. */
export function expectError(response: TestResponse, code: ErrorCode) {
  const [status, errorClass] = ERRORS[code]
  assert.equal(response.body?.error, code, response.text)
  assert.equal(response.status, status)
  assert.deepEqual(Object.keys(response.body).sort(), RESPONSE_KEYS.failure)
  assert.deepEqual([response.body.statusCode, response.body.status], [status, errorClass])
  assert.match(response.body.timestamp, ISO_TIMESTAMP)
  assert.equal(response.headers['cache-control'], 'no-store')
  return response.body
}

/** Asserts that an object has exactly these fields. */
export function expectKeys(value: object, keys: readonly string[]): void {
  assert.deepEqual(Object.keys(value).sort(), [...keys].sort())
}
