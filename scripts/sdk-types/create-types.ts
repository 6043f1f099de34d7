import { ERRORS } from '../../packages/server/src/platform/error-codes.ts'
import { formatTypes } from './format-types.ts'
import { type ApiDocument, renderTypes } from './render-types.ts'

/** The contents of `packages/sdk/src/api-types.ts` for an OpenAPI document. @throws Error for parts that it does not know */
export function createTypes(document: object): string {
  return formatTypes(renderTypes(document as ApiDocument, Object.keys(ERRORS).toSorted()))
}
